"""What a Scan costs: all items of the table or index, of every entity that can be there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pksk.capacity import read_units
from pksk.model.cost.item_sizes import ItemSizes, may_hold
from pksk.model.cost.request_cost import RequestCost
from pksk.model.cost.tally import Tally, items_in_words
from pksk.model.requests.query_cost import page_units, price_rows
from pksk.model.requests.scan import Scan

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration


def _estimate(scan: Scan[Any], tally: Tally, _: bool) -> None:
    """All items of the table or index, of every entity that can be there."""
    table = scan.entity.__pksk__.table
    index = table.index(scan.plan.index)
    tally.touch(table, index.name, "read")
    if tally.options.items is not None:
        tally.assumptions.append(f"{items_in_words(tally.options.items)} in all, as declared")
        found: list[tuple[int | None, Any]] = [(tally.options.items, scan.entity.__pksk__)]
    else:
        found = [(_item_count(each, tally), each) for each in table.entities if may_hold(index, each)]
    sizes = [(count, tally.sizes(each)) for count, each in found if count is not None]
    total = sum(count * (tally.entry(each, index) or 0) for count, each in sizes)
    units = page_units(total / scan.total_segments, consistent=scan.consistent) * scan.total_segments
    tally.charge(table, index.name, read=units)
    if scan.plan.reads_table:
        tally.charge(table, read=sum(count * _item_units(each, scan) for count, each in sizes))
        tally.assumptions.append("every row is read from the table as well")


def _item_units(sizes: ItemSizes, scan: Scan[Any]) -> float:
    return read_units(sizes.item or 0, consistent=scan.consistent)


def _item_count(declaration: Declaration[Any], tally: Tally) -> int | None:
    count: int | None = declaration.items
    if count is None:
        tally.missing.append(f"how many items {declaration.name} has (items= of the entity)")
    else:
        tally.assumptions.append(f"{declaration.name}: {items_in_words(count)}, as declared")
    return count


SCAN_COST: Final = RequestCost(_estimate, price_rows)
