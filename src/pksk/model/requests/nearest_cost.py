"""What a vector search costs: only the items that are read from the table afterwards cost read units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pksk.capacity import Cost, batch_get_cost, read_units
from pksk.model.cost.request_cost import RequestCost, check_image_count, wire_items
from pksk.model.cost.tally import Tally, VectorSearch, items_in_words
from pksk.model.requests.nearest import Nearest

_SEARCH_NOTE = (
    "AWS bills a search by the bytes that it reads, which are unknown beforehand: they are not counted"
)


def _estimate(nearest: Nearest[Any], tally: Tally, _: bool) -> None:
    """One search, and the items that are read from the table after it."""
    declaration, plan = nearest.entity.__pksk__, nearest.plan
    table = declaration.table
    tally.touch(table, plan.index, "read")
    tally.searches.append(VectorSearch(table.name, str(plan.index)))
    tally.assumptions.append(_SEARCH_NOTE)
    if not plan.reads_table:
        return
    tally.touch(table, None, "read")
    size, count = tally.sizes(declaration).item, _read_count(nearest, tally)
    if size is not None:
        tally.charge(table, read=count * read_units(size, consistent=False))


def _read_count(nearest: Nearest[Any], tally: Tally) -> float:
    """How many items are read: as many as the pattern declares, at most `k`."""
    declared, most = tally.options.items, nearest.k
    if declared is not None and declared / tally.share <= most:
        tally.assumptions.append(f"{items_in_words(declared)} a call, as declared")
        return declared / tally.share
    tally.assumptions.append(
        f"{nearest.entity.__name__}: {items_in_words(most)} a search, as many as it asks for"
    )
    return float(most)


def _price(nearest: Nearest[Any], images: Sequence[Any]) -> Cost:
    """A search by vector: what is read from the table of the items that it finds."""
    check_image_count(nearest, images, 1)
    found = wire_items(nearest, images[0])
    return batch_get_cost(nearest.entity.__pksk__.table, found) if nearest.reads_table else Cost()


NEAREST_COST: Final = RequestCost(_estimate, _price)
