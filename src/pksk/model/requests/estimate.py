"""Estimates what a call is likely to cost, from declared rates, counts and sizes, and lists its assumptions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import TYPE_CHECKING, Any

from pksk.capacity import Cost
from pksk.dataclass import dataclass
from pksk.model.access_options import AccessOptions
from pksk.model.cost.tally import IndexUse, Tally, VectorSearch, VectorWrite
from pksk.model.requests.kinds import COSTS

if TYPE_CHECKING:
    from pksk.model.requests.request import Request


@dataclass(frozen=True)
class Estimate:
    """The likely cost of a call, what was assumed for it, and what is missing; without a figure where any is.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     customer: str
        ...     id: str
        ...     primary = Key("CUST#{customer}", "ORDER#{id}")
        >>> print(estimate([Order.primary(customer="7")], AccessOptions(items=100, item_size=1000)))
        12.5 read units
        >>> print(estimate([Order.primary(customer="7")]))
        unknown: how many items a call reads (items=)
    """

    cost: Cost | None
    assumptions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    vectors: tuple[VectorWrite, ...] = ()
    searches: tuple[VectorSearch, ...] = ()
    touched: frozenset[IndexUse] = field(default=frozenset(), repr=False)

    def data(self) -> dict[str, Any]:
        """The estimate as JSON can hold it."""
        vectors = {"vector_writes": [vars(each) for each in self.vectors]} if self.vectors else {}
        searches = {"vector_searches": [vars(each) for each in self.searches]} if self.searches else {}
        beside = vectors | searches
        return beside | {
            "read": self.cost.read if self.cost else None,
            "write": self.cost.write if self.cost else None,
            "charges": self.cost.data()["charges"] if self.cost else [],
            "assumptions": list(self.assumptions),
            "missing": list(self.missing),
        }

    def __str__(self) -> str:
        if self.cost is None:
            return f"unknown: {', '.join(self.missing)}"
        vectors = [f"{round(each.size_bytes):,} bytes in {each.index}" for each in self.vectors]
        beside = [*vectors, *map(str, self.searches)]
        return " and ".join([*([str(self.cost)] if self.cost.charges or not beside else []), *beside])


def estimate(requests: Iterable[Request], options: AccessOptions | None = None) -> Estimate:
    """The estimate for requests that one call makes together; `options.items` counts what all of them read."""
    made = list(requests)
    tally = Tally(options or AccessOptions(), share=max(1, len(made)))
    if not made:
        tally.missing.append("what a call asks for: its example makes no request")
    for request in made:
        COSTS[request.kind].estimate(request, tally, False)
    missing = tuple(dict.fromkeys(tally.missing))
    return Estimate(
        None if missing else Cost(tally.charges),
        tuple(dict.fromkeys(tally.assumptions)),
        missing,
        () if missing else merge_vector_writes(tally.vectors),
        _merge_searches(tally.searches),
        frozenset(tally.touched),
    )


def merge_vector_writes(vectors: Iterable[VectorWrite]) -> tuple[VectorWrite, ...]:
    """The writes of vector indexes, one for each index."""
    sizes: dict[tuple[str, str], float] = {}
    for each in vectors:
        place = each.table, each.index
        sizes[place] = sizes.get(place, 0.0) + each.size_bytes
    return tuple(VectorWrite(*place, size) for place, size in sizes.items())


def _merge_searches(searches: Iterable[VectorSearch]) -> tuple[VectorSearch, ...]:
    """The searches of vector indexes, those of one index together."""
    counts: dict[tuple[str, str], float] = {}
    for each in searches:
        place = each.table, each.index
        counts[place] = counts.get(place, 0.0) + each.searches
    return tuple(VectorSearch(*place, count) for place, count in counts.items())
