"""The cost of queries by region: estimated from declared figures, and priced over stored items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pksk.capacity import Cost, index_entry, read_units, reads
from pksk.cells import CellPlan, CellQuery, CellRange, CellStatistics
from pksk.errors import InvalidValue
from pksk.model.cost.request_cost import check_image_count, wire_items
from pksk.model.cost.tally import Tally, items_in_words
from pksk.model.requests.geo_query_plan import cells_until, plan_cells, rest_of, seen_statistics
from pksk.schema import Index
from pksk.values import WireItem

if TYPE_CHECKING:
    from pksk.model.requests.geo_query import GeoQuery


def estimate_geo_query(query: GeoQuery, tally: Tally, _: bool) -> None:
    """The queries of the plan, as if the items that a call reads were spread evenly over its cells."""
    declaration = query.entity.__pksk__
    table, index = declaration.table, declaration.indexes[query.key]
    twice = query.plan.reads_table
    for name in (index.name, None) if twice else (index.name,):
        tally.touch(table, name, "read")
    sizes = tally.sizes(declaration)
    entry = tally.entry(sizes, index)
    density = _density(query, tally)
    if density is None or entry is None:
        return
    size = query.statistics.item_bytes if query.statistics is not None else None
    units = _units(query, CellStatistics(density, size or entry, "declared"))
    tally.charge(table, index.name, read=units)
    if twice and sizes.item is not None:
        found = density * len(query.cell_plan.cover)
        tally.charge(table, read=found * read_units(sizes.item, consistent=query.consistent))
        tally.assumptions.append("every row is read from the table as well")


def _density(query: GeoQuery, tally: Tally) -> float | None:
    """How many items a cell has on average; None if that is not known."""
    cover, declaration = query.cell_plan.cover, query.entity.__pksk__
    declared, partition = tally.options.items, declaration.per_partition
    if declared is not None:
        tally.assumptions.append(f"{items_in_words(declared)} a call, as declared")
        return declared / tally.share / max(1, len(cover))
    if query.statistics is not None and query.statistics.items_per_cell is not None:
        tally.assumptions.append(
            f"{query.statistics.items_per_cell:.3g} items a cell, {query.statistics.source}"
        )
        return query.statistics.items_per_cell
    if query.nearest_count is not None:
        tally.assumptions.append(
            f"{declaration.name}: the {items_in_words(query.nearest_count)} that it asks for"
        )
        return query.nearest_count / max(1, len(cover))
    if partition is not None:
        tally.assumptions.append(
            f"{declaration.name}: {items_in_words(partition)} a partition, by per_partition"
        )
        return partition / (1 << cover.suffix_bits)
    tally.missing.append("how many items a call reads (items=)")
    return None


def _units(query: GeoQuery, even: CellStatistics) -> float:
    """The read units, if items are spread evenly and the store knows only what the query says."""
    plan = query.cell_plan
    if plan.units is not None:
        return plan_cells(query, even, query.first_region).units or 0.0
    total = 0.0
    for read in plan.queries:
        expected = read.cells * (even.items_per_cell or 0.0)
        size = even.item_bytes or 0.0
        if read.limit is None or expected <= read.limit:
            total += plan.cost.units(expected * size)
            continue
        first = plan.cover.curve.number(read.first)
        last = plan.cover.curve.name(first + int(read.limit / (even.items_per_cell or 1.0)), len(read.first))
        rest = plan.rest(read, last, even)
        total += plan.cost.units(read.limit * size) + (rest.units or 0.0)
    return total


def price_geo_query(query: GeoQuery, images: Sequence[object]) -> Cost:
    """A query by region: one list with the items of its partitions, read as by a store that has seen none of them."""
    check_image_count(query, images, 1)
    if query.nearest_count is not None:
        raise InvalidValue(
            "priced-images",
            "GeoQuery: a search for the nearest items has no price beforehand: what it reads depends on what it finds.",
            fix="price query.inside(Circle(...)), or measure the search with db.meter().",
        )
    declaration = query.entity.__pksk__
    table, index = declaration.table, declaration.indexes[query.key]
    entries = _sorted_entries(index, wire_items(query, images[0]))
    plan, total = query.cell_plan, Cost()
    base = query.base_plan(plan.queries)
    waiting = [(plan, each, 0) for each in plan.queries]
    while waiting:
        owner, read, skipped = waiting.pop()
        found = _in_range(query, read, entries)[skipped:]
        part = found if read.limit is None else found[: read.limit]
        total += reads.paged_query_cost(
            table,
            index.name,
            [item for item, _ in part],
            consistent=query.consistent,
            fetch=False,
            page_items=None,
            partitions=1,
        )
        if base.reads_table:
            total += reads.batch_get_cost(table, [item for item, _ in part])
        if read.limit is None or len(found) < read.limit:
            continue
        rest, again = _rest(query, owner, read, [entry for _, entry in part])
        waiting += [(rest, each, again if not number else 0) for number, each in enumerate(rest.queries)]
    return total


def _rest(query: GeoQuery, plan: CellPlan, read: CellQuery, part: Sequence[WireItem]) -> tuple[CellPlan, int]:
    """What is left after a query that ended at its limit, and how many items of the first cell were read."""
    in_key = query.cells.cell_in_key(query.parts, CellRange(*read[:3]))
    last = in_key.cell_of(part[-1])
    assert last is not None
    seen = seen_statistics(query, part, len(part), cells_until(read, last))
    several = query.cells.several_items
    rest = rest_of(plan, read, last, seen, several=several)
    if not (several and rest.queries and rest.queries[0].first == last[len(read.prefix) :]):
        return rest, 0
    return rest, sum(in_key.cell_of(each) == last for each in part)


def _sorted_entries(index: Index, items: Iterable[WireItem]) -> list[tuple[WireItem, WireItem]]:
    """The items that are in an index, each with its entry, in the order of their keys."""
    pairs = [(item, item if index.kind == "table" else index_entry(index, item)) for item in items]
    known = [(item, entry) for item, entry in pairs if entry is not None]
    return sorted(known, key=lambda pair: [str(pair[1][name]) for name in index.keys if name in pair[1]])


def _in_range(
    query: GeoQuery, read: CellQuery, entries: Sequence[tuple[WireItem, WireItem]]
) -> list[tuple[WireItem, WireItem]]:
    partition, sort = query.cells.key_range(query.parts, CellRange(*read[:3]))
    return [
        (item, entry)
        for item, entry in entries
        if all(entry[name].get("S") == text for name, text in partition.attributes.items())
        and all(bounds.contains(entry[name].get("S", "")) for name, bounds in sort)
    ]
