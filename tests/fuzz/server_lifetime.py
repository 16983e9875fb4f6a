"""The life of one server: started, fuzzed, inspected, stopped, and its file checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import orjson

from pksk.engine import Engine, check_file
from tests.engine.valid_requests import SET_UP, VALID

from .answers import Wrong
from .fuzz import Failure, Tally, fuzz
from .sample_tables import KEY_ID, SECRET, SampleTables
from .server_process import Running, Usage
from .shrink import shrunk

__all__ = ["LIFETIMES", "ServerLifetime", "live"]

_MOST_THREADS: Final = 40  # those that answer long requests are kept, once there are as many as may be
_MORE_DESCRIPTORS: Final = 40  # as with threads: each that reads a file beside others keeps it open
_MORE_KB: Final = 64 << 10


@dataclass(frozen=True, slots=True)
class ServerLifetime:
    """How a server is begun."""

    file: bool = False
    options: tuple[str, ...] = ()
    signed: bool = False

    @property
    def variables(self) -> Mapping[str, str]:
        """What its environment has in addition."""
        return {"PKSK_ACCESS_KEY_ID": KEY_ID, "PKSK_SECRET_ACCESS_KEY": SECRET} if self.signed else {}


LIFETIMES: Final = {
    "memory": ServerLifetime(),
    "file": ServerLifetime(file=True, options=("--no-sync",)),
    "signed": ServerLifetime(signed=True),
    "durable": ServerLifetime(file=True),
}


def live(
    life: ServerLifetime,
    requests: int,
    start: int,
    *,
    exchanges: int | None = None,
    progress: Callable[[Tally], None] = lambda _: None,
) -> Tally:
    """Fuzz one server from its beginning to its end; raises `Failure` or `Wrong`."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tables.db"
        data = str(path) if life.file else ":memory:"
        with Running(Path(folder) / "log", data, life.options, life.variables) as server:
            try:
                tally = fuzz(
                    server, requests, start, exchanges=exchanges, signed=life.signed, progress=progress
                )
            except Failure as failure:
                failure.smaller = _smaller(failure, server, life)
                raise
            _look_over(server, tally, life)
            server.stop()
        if life.file:
            report = check_file(path)
            if not report.is_sound:
                raise Wrong(str(report))
    return tally


def _look_over(server: Running, tally: Tally, life: ServerLifetime) -> None:
    """Check that it answers as it did at the start, and that no connection is left."""
    world = SampleTables(server.port, signed=life.signed)
    try:
        _check_answers(world)
    finally:
        world.close()
    server.await_no_connections()
    tally.usages.append(server.usage())
    _check_usage(tally.usages)


def _check_answers(world: SampleTables) -> None:
    """Check that valid requests have the responses of an engine in this process."""
    world.renew()
    with Engine.open() as engine:
        for operation, request in SET_UP:
            engine.call(operation, request)
        engine.call("CreateBackup", {"TableName": "orders", "BackupName": "nightly"})
        for (operation, body), (_, request) in zip(world.valid, VALID, strict=True):
            status, shown = world.answer(operation, body)
            if body == orjson.dumps(request):  # it names nothing that each of the two has its own name for
                expected, _ = engine.answer(operation, body)
                if status != expected:
                    raise Wrong(
                        f"{operation} answers {status} afterwards: {shown}; {expected} is right\n{request}"
                    )


def _check_usage(usages: list[Usage]) -> None:
    """Compare its resources at the end with those after a fifth of the run, when caches were warm."""
    warm, end = usages[len(usages) // 5], usages[-1]
    if end.threads > _MOST_THREADS:
        raise Wrong(f"threads are left: {warm}; then {end}")
    if end.descriptors > warm.descriptors + _MORE_DESCRIPTORS:
        raise Wrong(f"descriptors are left: {warm}; then {end}")
    if end.memory_kb > warm.memory_kb + _MORE_KB:
        raise Wrong(f"memory is left: {warm}; then {end}")


def _smaller(failure: Failure, server: Running, life: ServerLifetime) -> bytes | None:
    """The body of a failing call, made smaller; None where it does not fail alone, or the server is gone."""
    position = len(failure.answers) - 1
    if position < 0 or failure.answers[position].status < 500:
        return None
    request = failure.exchange.expected[position]
    try:
        world = SampleTables(server.port, signed=life.signed)

        def fails(body: bytes) -> bool:
            return world.answer(request.operation, body)[0] >= 500

        return shrunk(request.request_body, fails) if fails(request.request_body) else None
    except (OSError, Wrong, ValueError):
        return None
