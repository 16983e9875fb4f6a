"""The capacity that access patterns consume per second, and what is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.capacity import Cost
from pksk.dataclass import dataclass
from pksk.model.cost.tally import IndexUse, Side
from pksk.model.requests.estimate import Estimate, estimate

if TYPE_CHECKING:
    from pksk.model.patterns.pattern import Pattern
    from pksk.schema import Table


_SIDES: dict[Any, tuple[Side, ...]] = {True: ("read",), False: ("write",)}


@dataclass(frozen=True)
class PatternUse:
    """One pattern, with its example call, the estimate of a call, and its rate."""

    pattern: Pattern
    requests: tuple[Any, ...]
    problem: str
    estimate: Estimate
    rate: float | None

    @cached_property
    def per_second(self) -> Cost | None:
        """The units per second; None if unknown."""
        if self.rate is None or self.estimate.cost is None:
            return None
        return self.estimate.cost * self.rate

    def written(self, table: str, index: str) -> float:
        """The known bytes written to a vector index per second."""
        vectors = self.estimate.vectors if self.rate is not None else ()
        here = (each.size_bytes for each in vectors if (each.table, each.index) == (table, index))
        return sum(here) * (self.rate or 0.0)

    @property
    def lacks(self) -> tuple[str, ...]:
        """The missing inputs for the cost of the pattern."""
        rate = () if self.rate is not None else ("its rate (rate=)",)
        return (*rate, *((self.problem,) if self.problem else self.estimate.missing))


def pattern_uses(tables: Sequence[Table]) -> list[PatternUse]:
    """The use of every pattern of these tables, each pattern once."""
    found: dict[int, Pattern] = {id(each): each for table in tables for each in table.patterns}
    return [_use(pattern) for pattern in found.values()]


def _use(pattern: Pattern) -> PatternUse:
    outcome = pattern.outcome()
    likely = Estimate(None) if outcome.problem else estimate(outcome.requests, pattern.options)
    rate = pattern.options.calls_per_second(pattern.name)
    return PatternUse(pattern, outcome.requests, outcome.problem, likely, rate)


def unknown_index_uses(tables: Sequence[Table], uses: Iterable[PatternUse]) -> set[IndexUse]:
    """The tables and indexes whose reads or writes are only partly known."""
    found: set[IndexUse] = set()
    for table in tables:
        if not table.patterns:
            found |= _every_index_use(table, ("read", "write"))
    for use in uses:
        if use.per_second is None:
            found |= use.estimate.touched or _possible_index_uses(tables, use.pattern)
    return found


def _possible_index_uses(tables: Sequence[Table], pattern: Pattern) -> set[IndexUse]:
    """What a pattern without a known call may read or write."""
    # Only its requests show whether a batch or transaction reads.
    sides = _SIDES.get(pattern.return_type.request_class.reads, ("read", "write"))
    ours = [table for table in tables if any(pattern is each for each in table.patterns)]
    return set().union(*(_every_index_use(table, sides) for table in ours))


def _every_index_use(table: Table, sides: Iterable[Side]) -> set[IndexUse]:
    names = [None, *(index.name for index in table.indexes)]
    return {(table.name, name, side) for name in names for side in sides}
