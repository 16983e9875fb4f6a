"""Estimates of searches by vector: what is read from the table afterwards; a search itself has no units."""

from __future__ import annotations

from typing import Any

from pksk.capacity import read_units
from pksk.model.cost.tally import Tally, VectorSearch, items_in_words

__all__ = ["estimate_nearest"]

_UNTOLD = "a search is billed by the bytes that it looks at, which AWS does not tell beforehand: they are not counted"


def estimate_nearest(nearest: Any, tally: Tally) -> None:
    """One search, and the items that are read from the table after it."""
    declaration, plan = nearest.entity.__pksk__, nearest.plan
    table = declaration.table
    tally.touch(table, plan.index, "read")
    tally.searches.append(VectorSearch(table.name, str(plan.index)))
    tally.assumptions.append(_UNTOLD)
    if not plan.hydrates:
        return
    tally.touch(table, None, "read")
    size, count = tally.sizes(declaration).item, _count(nearest, tally)
    if size is not None:
        tally.charge(table, read=count * read_units(size, consistent=False))


def _count(nearest: Any, tally: Tally) -> float:
    """How many items are read: as many as the pattern declares, and never more than are asked for."""
    declared, most = tally.declared.items, nearest.k
    if declared is not None and declared / tally.share <= most:
        tally.assumptions.append(f"{items_in_words(declared)} a call, as declared")
        return declared / tally.share
    tally.assumptions.append(
        f"{nearest.entity.__name__}: {items_in_words(most)} a search, as many as it asks for"
    )
    return float(most)
