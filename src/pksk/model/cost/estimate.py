"""Estimates: what a call is likely to cost, from declared rates, counts and sizes; with its assumptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pksk.capacity import Cost
from pksk.model.cost.reads import estimate_get, estimate_query, estimate_scan
from pksk.model.cost.tally import Tally
from pksk.model.cost.writes import estimate_check, estimate_delete, estimate_put, estimate_update
from pksk.model.patterns.declared import Declared

__all__ = ["Estimate", "estimate"]


@dataclass(frozen=True)
class Estimate:
    """The likely cost of a call, what was assumed for it, and what is missing; without a figure where any is.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     customer: str
        ...     id: str
        ...     primary = Key("CUST#{customer}", "ORDER#{id}")
        >>> print(estimate([Order.primary(customer="7")], Declared(items=100, item_size=1000)))
        12.5 read units
        >>> print(estimate([Order.primary(customer="7")]))
        unknown: how many items a call reads (items=)
    """

    cost: Cost | None
    assumptions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def data(self) -> dict[str, Any]:
        """The estimate as JSON can hold it."""
        return {
            "read": self.cost.read if self.cost else None,
            "write": self.cost.write if self.cost else None,
            "charges": self.cost.data()["charges"] if self.cost else [],
            "assumptions": list(self.assumptions),
            "missing": list(self.missing),
        }

    def __str__(self) -> str:
        return str(self.cost) if self.cost is not None else f"unknown: {', '.join(self.missing)}"


def estimate(requests: Iterable[Any], declared: Declared | None = None) -> Estimate:
    """The estimate for requests that one call makes together; `declared.items` counts what all of them read."""
    made = list(requests)
    tally = Tally(declared or Declared(), share=max(1, len(made)))
    _count(made, tally, transactional=False)
    missing = tuple(dict.fromkeys(tally.missing))
    assumptions = tuple(dict.fromkeys(tally.assumptions))
    return Estimate(None if missing else Cost(tally.charges), assumptions, missing)


def _count(requests: Sequence[Any], tally: Tally, *, transactional: bool) -> None:
    for request in requests:
        if request.kind == "transaction":
            tally.checked |= {member.entity for member in request.members if member.kind in ("check", "put")}
            _count(request.members, tally, transactional=True)
        elif request.kind == "batch":
            _count_batch(request.members, tally)
        else:
            _ESTIMATES[request.kind](request, tally, transactional)


def _count_batch(members: Sequence[Any], tally: Tally) -> None:
    """The members of the example stand for as many as the pattern declares."""
    declared = tally.declared.items
    alone = Tally(tally.declared)
    _count(members, alone, transactional=False)
    times = 1.0 if declared is None else declared / (tally.share * len(members))
    if declared is not None:
        tally.assumptions.append(f"{declared:,} items a call, as declared")
    tally.charges += (Cost(alone.charges) * times).charges
    tally.assumptions += alone.assumptions
    tally.missing += alone.missing


_Count = Callable[[Any, Tally, bool], None]

_ESTIMATES: dict[str, _Count] = {
    "query": lambda query, tally, _: estimate_query(query, tally),
    "scan": lambda scan, tally, _: estimate_scan(scan, tally),
    "get": estimate_get,
    "put": estimate_put,
    "update": estimate_update,
    "delete": estimate_delete,
    "check": lambda check, tally, _: estimate_check(check, tally),
}
