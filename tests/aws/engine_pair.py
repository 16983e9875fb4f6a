"""The same engine twice: one that is called, and one behind a server and a client of AWS."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, cast

import orjson

from pksk.engine import Engine
from pksk.server import Server
from tests.engine.state.catalogues import Clock
from tests.engine.valid_requests import set_up

from .both_clients import open_client, outcome

__all__ = ["EnginePair", "engine_pair"]

# What engines draw at random: the ids of tables and the ends of the names of backups.
_RANDOM = re.compile(
    rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<=backup/\d{14}-)[0-9a-f]{8}"
)


class _Engines:
    """The engine of a server, which can be exchanged for another."""

    def __init__(self) -> None:
        self.now = Engine.open()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.now, name)


class EnginePair:
    """Two engines with the same tables and items, one of them far away."""

    def __init__(self, engines: _Engines, client: Any, host: str) -> None:
        self._engines = engines
        self._host = host
        self._near = engines.now
        self.client = client
        self.renew()

    def renew(self) -> None:
        """Begin again, with new engines."""
        self._near, self._engines.now = (set_up(Engine.open(clock=Clock())) for _ in range(2))

    def outcomes(self, operation: str, request: Any) -> tuple[object, object]:
        """The outcome of a request at the near engine, and through the client at the far one."""
        near, far = outcome(self._near, operation, request), outcome(self.client, operation, request)
        if operation == "DescribeEndpoints" and isinstance(near, dict):
            # The engine names AWS's host, and a server the host of the request.
            near["Endpoints"][0]["Address"] = self._host
        return _shown(near), _shown(far)


@contextmanager
def engine_pair(kind: str) -> Iterator[EnginePair]:
    """A pair with a client of one kind."""
    engines = _Engines()
    with Server(cast("Engine", engines)) as server, closing(open_client(kind, endpoint=server.url)) as client:
        yield EnginePair(engines, client, server.url.removeprefix("http://"))


def _shown(result: object) -> object:
    return orjson.loads(_RANDOM.sub(b"*", orjson.dumps(result)))
