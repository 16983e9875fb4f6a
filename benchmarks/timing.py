"""Times contestants turn by turn, so that a slow moment of the machine falls on all of them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter_ns
from typing import Any

Contestant = Callable[[], object]
Row = dict[str, Any]

TURN_NANOSECONDS = 5_000_000
QUICK_TURN_NANOSECONDS = 500_000


@dataclass(frozen=True)
class Timing:
    """The time of one call over all turns, in microseconds."""

    turns_us: tuple[float, ...]

    @property
    def median_us(self) -> float:
        return median(self.turns_us)

    @property
    def spread(self) -> float:
        """The interquartile range as a share of the median: 0.05 is five per cent."""
        if len(self.turns_us) < 2 or not self.median_us:
            return 0.0
        first, _, third = quantiles(self.turns_us, n=4, method="inclusive")
        return (third - first) / self.median_us


def compare(contestants: Mapping[str, Contestant], *, quick: bool = False) -> dict[str, Timing]:
    """Time each contestant in every turn, each turn beginning with another one."""
    names = list(contestants)
    calls = {name: _calls_in_a_turn(contestants[name], quick=quick) for name in names}
    turns: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(5 if quick else 31):
        start = turn % len(names)
        for name in names[start:] + names[:start]:
            turns[name].append(_time_us(contestants[name], calls[name]))
    return {name: Timing(tuple(times)) for name, times in turns.items()}


def row(
    name: str, ours: Contestant, peer: str = "", theirs: Contestant | None = None, *, quick: bool = False
) -> Row:
    """One line of a table: ours beside a peer, or alone where there is none.

    `ratio` is the peer's time over ours: 2.0 is twice as fast as the peer. `spread` is that of
    the noisier of the two: how far the line can be trusted.
    """
    timings = compare({"ours": ours} | ({"peer": theirs} if theirs else {}), quick=quick)
    ours_us = timings["ours"].median_us
    peer_us = timings["peer"].median_us if theirs else None
    return {
        "name": name,
        "ours_us": ours_us,
        "peer": peer or None,
        "peer_us": peer_us,
        "ratio": peer_us / ours_us if peer_us else None,
        "spread": max(timing.spread for timing in timings.values()),
    }


def _calls_in_a_turn(contestant: Contestant, *, quick: bool) -> int:
    """How many calls fill a turn; also the warm-up."""
    wanted = QUICK_TURN_NANOSECONDS if quick else TURN_NANOSECONDS
    contestant()  # the first call may import what it needs
    calls = 1
    while (spent := _time_us(contestant, calls) * calls * 1000) < wanted:
        calls = max(calls * 2, min(calls * 10, int(calls * wanted / max(spent, 1))))
    return calls


def _time_us(contestant: Contestant, calls: int) -> float:
    collects = gc.isenabled()
    gc.disable()
    try:
        start = perf_counter_ns()
        for _ in range(calls):
            contestant()
        return (perf_counter_ns() - start) / calls / 1000
    finally:
        if collects:
            gc.enable()
