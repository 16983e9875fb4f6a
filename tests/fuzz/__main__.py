"""`python -m tests.fuzz`: sends bad input of every kind to servers, and checks their responses."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from random import SystemRandom

from .answers import Wrong
from .fuzz import Failure, Tally
from .report import failure_text, summary
from .server_lifetime import LIFETIMES, live

__all__ = ["main"]

_LIFE_REQUESTS = 50_000  # the most for one server; streams keep their changes for a day
_NUMBERS = 10**9


def main(arguments: list[str] | None = None) -> int:
    """Run it; the status is 1 if a server has failed."""
    given = _parser().parse_args(arguments)
    start = SystemRandom().randrange(_NUMBERS) if given.start is None else given.start
    names = list(LIFETIMES) if given.server == "all" else [given.server]
    print(f"{given.requests:,} requests from exchange {start} on, to servers: {', '.join(names)}", flush=True)
    total = Tally()
    for name, requests in _shares(names, given.requests):
        tally = Tally()
        try:
            tally = live(
                LIFETIMES[name], requests, start, exchanges=given.exchanges, progress=_Progress(name, total)
            )
        except Failure as failure:
            print(failure_text(failure, f"--server {name}"))
            return 1
        except Wrong as wrong:
            print(f"FAILED: {name}, {requests} requests from exchange {start} on: {wrong}")
            return 1
        start += tally.exchanges
        total.add(tally)
        print(f"{name:8} {tally.requests:9,} requests, {tally.seconds:6.1f} s; {_usage(tally)}", flush=True)
    print(summary(total))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000, help="how many (20000)")
    parser.add_argument("--exchanges", type=int, help="no more exchanges than these with a server")
    parser.add_argument(
        "--start", type=int, help="the number of the first exchange; any, where none is given"
    )
    parser.add_argument(
        "--server", choices=[*LIFETIMES, "all"], default="all", help="how servers are begun (all)"
    )
    return parser


def _shares(names: list[str], requests: int) -> Iterator[tuple[str, int]]:
    """Servers of all sorts in turn, each with its share of the requests."""
    while requests > 0:
        for position, name in enumerate(names):
            share = min(_LIFE_REQUESTS, -(-requests // (len(names) - position)))
            if share > 0:
                yield name, share
            requests -= share


def _usage(tally: Tally) -> str:
    return f"{tally.usages[0]}; at the end {tally.usages[-1]}"


class _Progress:
    """A progress line on a terminal; nothing elsewhere."""

    def __init__(self, name: str, total: Tally) -> None:
        self._name = name
        self._done = total.requests

    def __call__(self, tally: Tally) -> None:
        if sys.stderr.isatty():
            rate = tally.requests / max(tally.seconds, 1e-9)
            line = (
                f"{self._name}: {self._done + tally.requests:,} requests, {rate:,.0f}/s, {tally.usages[-1]}"
            )
            sys.stderr.write(f"\r{line:100}\r")


if __name__ == "__main__":
    sys.exit(main())
