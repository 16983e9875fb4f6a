"""Concurrent exchanges with one server, until the limit of requests or the first wrong response."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from .answer_checks import judge
from .answers import Answer, Wrong
from .connection import FuzzConnection
from .exchange import Exchange
from .exchange_kinds import exchange_of
from .sample_tables import SampleTables
from .server_process import Running, Usage

__all__ = ["Failure", "Tally", "fuzz"]

LANES: Final = 12
ROUND: Final = 256  # exchanges on the same tables


class Failure(Exception):
    """An exchange that went wrong, and the round that it was in."""

    def __init__(self, reason: str, exchange: Exchange, answers: list[Answer], begin: int) -> None:
        super().__init__(reason)
        self.exchange = exchange
        self.answers = answers
        self.begin = begin
        self.smaller: bytes | None = None


@dataclass
class Tally:
    """The bytes sent and received."""

    requests: int = 0
    exchanges: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    seconds: float = 0.0
    usages: list[Usage] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Add the counts of another server."""
        self.requests += other.requests
        self.exchanges += other.exchanges
        self.kinds += other.kinds
        self.statuses += other.statuses
        self.seconds += other.seconds

    def count(self, exchange: Exchange, answers: list[Answer]) -> None:
        """Note one exchange."""
        self.exchanges += 1
        self.requests += max(1, len(exchange.expected))
        self.kinds[exchange.kind] += 1
        self.kinds.update(each.kind for each in exchange.expected[: len(answers)])
        self.statuses.update(answer.status for answer in answers)


def fuzz(
    server: Running,
    requests: int,
    start: int,
    *,
    exchanges: int | None = None,
    signed: bool = False,
    progress: Callable[[Tally], None] = lambda _: None,
) -> Tally:
    """Send a number of requests in at most a number of exchanges, from the number `start` on; raises `Failure`."""
    tally = Tally()
    world = SampleTables(server.port, signed=signed)
    began = monotonic()
    number = start
    try:
        end = start + (exchanges if exchanges is not None else requests)
        while tally.requests < requests and number < end:
            world.renew()
            _round(server, world, tally, range(number, min(end, number + ROUND)), requests)
            number += ROUND
            server.check_alive()
            tally.usages.append(server.usage())
            tally.seconds = monotonic() - began
            progress(tally)
    finally:
        world.close()
    return tally


def _round(server: Running, world: SampleTables, tally: Tally, numbers: range, requests: int) -> None:
    lanes = [FuzzConnection(server.port) for _ in range(LANES)]
    exchanges = (exchange_of(number, world) for number in numbers)
    begin = numbers[0]
    try:
        while tally.requests < requests and _turn(lanes, exchanges, tally, begin):
            pass
        for lane in lanes:
            while lane.step():
                pass
            _settle(lane, tally, begin)
    finally:
        for lane in lanes:
            lane.close()


def _turn(lanes: list[FuzzConnection], exchanges: Iterator[Exchange], tally: Tally, begin: int) -> bool:
    """Go on with every connection; False once there is nothing further to begin."""
    for lane in lanes:
        if lane.step():
            continue
        _settle(lane, tally, begin)
        following = next(exchanges, None)
        if following is None:
            return False
        lane.begin(following)
    return True


def _settle(lane: FuzzConnection, tally: Tally, begin: int) -> None:
    """Collect the answers of the exchange that is under way, and judge them."""
    exchange = lane.exchange
    if exchange is None:
        return
    try:
        answers = lane.collect()
    except Wrong as wrong:
        raise Failure(str(wrong), exchange, lane.found, begin) from None
    for position, (answer, expected) in enumerate(zip(answers, exchange.expected, strict=False)):
        try:
            judge(answer, expected)
        except Wrong as wrong:
            raise Failure(str(wrong), exchange, answers[: position + 1], begin) from None
    tally.count(exchange, answers)
