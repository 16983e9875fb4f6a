"""`python -m tests.fuzz.soak`: a server under full load for a long time, whose memory must not grow."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Final

from pksk.engine import check_file

from .answer_checks import judge
from .answers import Wrong
from .connection import FuzzConnection
from .exchange import Exchange
from .load import make_tables, requests
from .sample_tables import SampleTables
from .server_process import Running, Usage

__all__ = ["Sample", "check_flat", "main", "soak"]

_CONNECTIONS: Final = 24
_PIPELINED: Final = 2
_READY: Final = 4000  # requests that are prepared and sent in turn
_SAMPLES: Final = 60
_MORE_KB: Final = 24 << 10
_MORE_FILE_BYTES: Final = 64 << 20  # beside the stream, whose changes stay for a day
_MOST_LOG_BYTES: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class Sample:
    """How a server is doing at one moment."""

    seconds: float
    requests: int
    usage: Usage
    file_bytes: int = 0
    log_bytes: int = 0  # the size of SQLite's write-ahead log

    def __str__(self) -> str:
        sizes = (
            f", file {self.file_bytes / 1e6:.1f} MB, log {self.log_bytes / 1e6:.1f} MB"
            if self.file_bytes
            else ""
        )
        rate = self.requests / max(self.seconds, 1e-9)
        return f"{self.seconds:6.1f} s  {self.requests:10,} requests  {rate:7,.0f}/s  {self.usage}{sizes}"


def soak(
    seconds: float,
    data: Path | None = None,
    options: tuple[str, ...] = (),
    report_sample: Callable[[Sample], None] = print,
) -> list[Sample]:
    """Load a server for a time, in memory or on a file; raises `Wrong` for wrong responses."""
    with TemporaryDirectory() as folder:
        path = None if data is None else Path(folder) / data
        with Running(Path(folder) / "log", str(path or ":memory:"), options) as server:
            samples = _loaded(server, seconds, path, report_sample)
            server.await_no_connections()
            server.stop()
        if path is not None and not (report := check_file(path)).is_sound:
            raise Wrong(str(report))
    check_flat(samples)
    return samples


def _loaded(
    server: Running, seconds: float, path: Path | None, report_sample: Callable[[Sample], None]
) -> list[Sample]:
    world = SampleTables(server.port, signed=False)
    make_tables(world)
    world.close()
    lanes = [FuzzConnection(server.port) for _ in range(_CONNECTIONS)]
    exchanges = _exchanges()
    samples: list[Sample] = []
    began = monotonic()
    sent = 0
    try:
        while (passed := monotonic() - began) < seconds:
            if passed >= len(samples) * seconds / _SAMPLES:
                samples.append(_sample(server, passed, sent, path))
                report_sample(samples[-1])
            for lane in lanes:
                _settle(lane)
                lane.begin(next(exchanges))
            sent += _CONNECTIONS * _PIPELINED
        for lane in lanes:
            _settle(lane)
        samples.append(_sample(server, monotonic() - began, sent, path))
        report_sample(samples[-1])
    finally:
        for lane in lanes:
            lane.close()
    return samples


def _exchanges() -> Iterator[Exchange]:
    """The same requests again and again, in another order each time."""
    chance = Random(7)
    ready = [made for _, made in zip(range(_READY), requests(chance), strict=False)]
    while True:
        chosen = chance.choices(ready, k=_PIPELINED)
        yield Exchange.in_order(
            "load", [b"".join(each.data for each in chosen)], [each.expected for each in chosen]
        )


def _settle(lane: FuzzConnection) -> None:
    exchange = lane.exchange
    if exchange is None:
        return
    for answer, expected in zip(lane.collect(), exchange.expected, strict=True):
        judge(answer, expected)


def _sample(server: Running, seconds: float, sent: int, path: Path | None) -> Sample:
    server.check_alive()
    log = None if path is None else path.with_name(f"{path.name}-wal")
    return Sample(seconds, sent, server.usage(), _size(path), _size(log))


def _size(path: Path | None) -> int:
    return path.stat().st_size if path is not None and path.exists() else 0


def check_flat(samples: list[Sample]) -> None:
    """Compare the last fifth with the end of the first; raises `Wrong` if something has grown."""
    part = max(1, len(samples) // 5)
    warm, end = samples[part : 2 * part], samples[-part:]
    before, after = (median(each.usage.memory_kb for each in some) for some in (warm, end))
    if after > before + _MORE_KB:
        raise Wrong(f"memory grows: from {before / 1024:.1f} MB to {after / 1024:.1f} MB")
    for what, most in (("descriptors", _CONNECTIONS), ("threads", 40)):
        first, last = (max(getattr(each.usage, what) for each in some) for some in (warm, end))
        if last > first + most:
            raise Wrong(f"{what} grow: from {first} to {last}")
    if end[-1].file_bytes > warm[-1].file_bytes + _MORE_FILE_BYTES:
        raise Wrong(f"the file grows: from {warm[-1].file_bytes:,} to {end[-1].file_bytes:,} bytes")
    if max(each.log_bytes for each in samples) > _MOST_LOG_BYTES:
        raise Wrong("SQLite's log grows")


def main(arguments: list[str] | None = None) -> int:
    """Run it; the status is 1 if a server has failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="how long, for each storage (600)")
    parser.add_argument(
        "--data", choices=["memory", "file", "both"], default="both", help="the storage (both)"
    )
    given = parser.parse_args(arguments)
    for name, data in (("memory", None), ("file", Path("tables.db"))):
        if given.data not in (name, "both"):
            continue
        print(f"{name}: {_CONNECTIONS} connections for {given.seconds:.0f} seconds", flush=True)
        try:
            soak(given.seconds, data, report_sample=lambda sample: print(sample, flush=True))
        except Wrong as wrong:
            print(f"FAILED: {wrong}")
            return 1
    print("flat")
    return 0


if __name__ == "__main__":
    sys.exit(main())
