"""The cost of requests that read, by their kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import gcd
from typing import TYPE_CHECKING, Any, Final

from pksk.capacity import Cost, index_entry, query_units, read_units, reads, scan_units
from pksk.dataclass import dataclass
from pksk.expressions import evaluate, parse_condition
from pksk.limits import PAGE_BYTES
from pksk.model.cost.item_sizes import ItemSizes, always_holds, least_items, may_hold
from pksk.model.cost.request_cost import RequestCost, check_image_count, placeholders, wire_item, wire_items
from pksk.model.cost.tally import Tally, VectorSearch, items_in_words
from pksk.model.declaration import Declaration
from pksk.model.planning import KeyPlan, KeyQuery, Plan
from pksk.model.requests.geo_query_costs import estimate_geo_query, price_geo_query
from pksk.model.requests.get import Get
from pksk.model.requests.nearest import Nearest
from pksk.model.requests.query import Query
from pksk.model.requests.scan import Scan
from pksk.model.writes.write_conditions import shared_key_condition
from pksk.partitions import new_partitions, segment
from pksk.schema import Index, Table
from pksk.values import WireItem

if TYPE_CHECKING:
    from pksk.model.entity import Entity


def _estimate_get(get: Get, tally: Tally, transactional: bool) -> None:
    """One item."""
    declaration = get.entity.__pksk__
    size = tally.sizes(declaration).item
    tally.touch(declaration.table, None, "read")
    if size is not None:
        units = read_units(size, consistent=get.consistent, transactional=transactional)
        tally.charge(declaration.table, read=units)


def _price_get(get: Get, images: Sequence[object]) -> Cost:
    check_image_count(get, images, 1)
    return price_get(get, images[0])


def price_get(get: Get, image: object, *, transactional: bool = False) -> Cost:
    """The price of reading an item, or none."""
    item = wire_item(get, image)
    return reads.get_cost(get.declaration.table, item, consistent=get.consistent, transactional=transactional)


def _get_notes(get: Get) -> Iterator[str]:
    if shared_key_condition(get.declaration) is not None:
        yield "the item may be of another entity that shares the key; pksk checks that after reading"


def _estimate_query(query: Query, tally: Tally, _: bool) -> None:
    """The rows of a query, in each of its branches."""
    branches = query.plan.branches
    if not branches:
        _estimate_branch(query, query.key_queries, query.plan, tally, share=tally.share)
    for key_query, branch in zip(query.key_queries, branches, strict=False):
        _estimate_branch(query, (key_query,), branch, tally, share=tally.share * len(branches))


def _estimate_branch(
    query: Query, key_queries: Sequence[KeyQuery], plan: Plan, tally: Tally, share: int
) -> None:
    if not plan.requests:
        return
    table = plan.entities[0].__pksk__.table
    index = table.index(plan.index)
    twice = plan.reads_table or _fetches(plan, index)
    for name in (index.name, None) if twice else (index.name,):
        tally.touch(table, name, "read")
    groups = _row_counts(query, key_queries, plan, tally, share)
    read = [_row_sizes(group, index, tally) for group in groups]
    if not groups or None in read:
        return
    known = [each for each in read if each is not None]
    total = sum(group.rows * entry for group, (entry, _) in zip(groups, known, strict=True))
    units = page_units(total / len(plan.requests), consistent=query.consistent) * len(plan.requests)
    tally.charge(table, plan.index, read=units)
    if twice:
        each_row = (
            group.rows * read_units(item, consistent=query.consistent)
            for group, (_, item) in zip(groups, known, strict=True)
        )
        tally.charge(table, read=sum(each_row))
        tally.assumptions.append("every row is read from the table as well")


@dataclass(frozen=True)
class _RowCount:
    """How many rows are read, of entities that count as large as the largest of them."""

    rows: float
    entities: tuple[type[Entity], ...]


def _row_sizes(group: _RowCount, index: Index, tally: Tally) -> tuple[int, int] | None:
    """The bytes of an entry, and of an item."""
    sizes = [tally.sizes(entity.__pksk__) for entity in group.entities]
    entry, item = _largest(tally.entry(each, index) for each in sizes), _largest(each.item for each in sizes)
    return None if entry is None or item is None else (entry, item)


def _largest(sizes: Iterable[int | None]) -> int | None:
    known = list(sizes)
    return None if None in known else max(size for size in known if size is not None)


def _fetches(plan: Plan, index: Index) -> bool:
    return index.kind == "lsi" and any("Select" in request for request in plan.requests)


def _row_counts(
    query: Query, key_queries: Sequence[KeyQuery], plan: Plan, tally: Tally, share: int
) -> list[_RowCount]:
    """How many rows are read, by declarations or keys; none if that is unknown."""
    if tally.options.items is not None:
        tally.assumptions.append(f"{items_in_words(tally.options.items)} a call, as declared")
        return [_RowCount(tally.options.items / share, plan.entities)]
    if query.max_results is not None and _is_limited(plan, query.max_results):
        rows = query.max_results * len(plan.requests)
        tally.assumptions.append(f"{_entity_names(plan)}: {items_in_words(rows)} a call, by its limit")
        return [_RowCount(rows, plan.entities)]
    counts = [_entity_rows(key_query, plan, tally, alone=len(key_queries) == 1) for key_query in key_queries]
    known = [each for each in counts if each is not None]
    return known if len(known) == len(counts) else _unknown_rows(plan, tally)


def _is_limited(plan: Plan, most: int) -> bool:
    """Whether requests stop at the limit; if rows are filtered out, reading continues on the next page."""
    if plan.filters_after_reading or plan.has_foreign_items:
        return False
    return all(
        "FilterExpression" not in request and "Limit" in request and request["Limit"] <= most
        for request in plan.requests
    )


def _unknown_rows(plan: Plan, tally: Tally) -> list[_RowCount]:
    # The sizes are assumptions all the same; only the counts are missing.
    for entity in plan.entities:
        tally.sizes(entity.__pksk__)
    return []


def _entity_names(plan: Plan) -> str:
    return " and ".join(entity.__name__ for entity in plan.entities)


def _entity_rows(key_query: KeyQuery, plan: Plan, tally: Tally, *, alone: bool) -> _RowCount | None:
    """How many rows of one entity are read."""
    name, requests = key_query.entity.__name__, len(plan.requests)
    keys = plan.keys if alone else next(c.keys for c in key_query.candidates if c.index.name == plan.index)
    per_partition = key_query.declaration.per_partition
    if keys is not None and _names_one_item(keys):
        rows, reason = requests, "since all parts of the key are given"
    elif keys is not None and per_partition is not None and not _is_narrowed(key_query, keys):
        rows, reason = per_partition * requests, "by per_partition"
    else:
        own = "a call reads (items=)" if alone else f"of {name} a call reads (items=, or its per_partition=)"
        tally.missing.append(f"how many items {own}")
        return None
    tally.assumptions.append(f"{name}: {items_in_words(rows)} a call, {reason}")
    return _RowCount(rows, (key_query.entity,))


def _names_one_item(keys: KeyPlan) -> bool:
    """Whether the plan names one item in each partition."""
    equal = [bounds for _, bounds in keys.sort if bounds.condition == "="]
    return keys.key.index is None and len(equal) == len(keys.key.sort)


def _is_narrowed(key_query: KeyQuery, keys: KeyPlan) -> bool:
    """Whether the query reads less than all items of the entity in a partition."""
    sort = {field for part in keys.key.sort for field in part.fields}
    return bool(set(key_query.values) & sort - set(keys.key.partition_fields))


def page_units(total: float, *, consistent: bool) -> float:
    """The units of reading so many bytes, page by page."""
    whole, rest = divmod(round(total), PAGE_BYTES)
    units = whole * query_units(PAGE_BYTES, consistent=consistent)
    return units + query_units(rest, consistent=consistent) if rest or not whole else units


def price_rows(read: Query | Scan, images: Sequence[object]) -> Cost:
    """A query or scan: the items that each of its requests evaluates."""
    plan = read.plan
    check_image_count(read, images, len(plan.requests))
    table = plan.entities[0].__pksk__.table
    total = Cost()
    for request, rows in zip(plan.requests, images, strict=True):
        items = wire_items(read, rows)
        fetch = "Select" in request
        index, most = request.get("IndexName"), request.get("Limit")
        partitions = 1
        if isinstance(read, Scan):
            low, high = segment(request.get("Segment", 0), request.get("TotalSegments", 1))
            partitions = new_partitions(table, index).count(low, high)
        if not isinstance(read, Scan) and index is None and table.sk is None:
            most = None  # there is one item at most, and no page after it
        total += reads.paged_query_cost(
            table,
            index,
            items,
            consistent=read.consistent,
            fetch=fetch,
            page_items=most,
            partitions=partitions,
        )
        if plan.reads_table:
            total += reads.batch_get_cost(table, _returned_items(table, request, items))
    return total


def _returned_items(
    table: Table, request: Mapping[str, Any], items: Iterable[WireItem]
) -> Iterator[WireItem]:
    """The items whose rows come back: those that are in the index, and that the request's filter lets pass."""
    index, text = table.index(request.get("IndexName")), request.get("FilterExpression")
    condition = None if text is None else parse_condition(text, *placeholders(request))
    for item in items:
        row = item if index.kind == "table" else index_entry(index, item)
        if row is not None and (condition is None or evaluate(condition, row)):
            yield item


def _estimate_scan(scan: Scan, tally: Tally, _: bool) -> None:
    """All items of the table or index, of every entity that can be there."""
    table = scan.entity.__pksk__.table
    index = table.index(scan.plan.index)
    tally.touch(table, index.name, "read")
    declared, known = tally.options.items, least_items(table, index)
    if declared is not None and declared >= known:
        tally.assumptions.append(f"{items_in_words(declared)} in all, as declared")
        counts: list[tuple[int | None, Declaration]] = [(declared, scan.entity.__pksk__)]
    elif declared is not None:
        tally.assumptions.append(f"a scan reads all items, and not only {declared:,}")
        counts = [
            (_item_count(each, tally), each)
            for each in table.entities
            if always_holds(index, each) and each.items
        ]
    else:
        counts = [(_item_count(each, tally), each) for each in table.entities if may_hold(index, each)]
    sizes = [(count, tally.sizes(each)) for count, each in counts if count is not None]
    total = sum(count * (tally.entry(each, index) or 0) for count, each in sizes)
    units = page_units(total / scan.total_segments, consistent=scan.consistent) * scan.total_segments
    partitions = len(new_partitions(table, index.name))
    # A bound of segments that is also one of partitions divides none.
    reads_of_partitions = partitions + scan.total_segments - gcd(partitions, scan.total_segments)
    least = scan_units(0, reads_of_partitions, consistent=scan.consistent)
    if least > units:
        tally.assumptions.append(
            f"{table} has the {partitions} partitions of a new table, each read at the minimum"
        )
    tally.charge(table, index.name, read=max(units, least))
    if scan.plan.reads_table:
        tally.charge(table, read=sum(count * _item_units(each, scan) for count, each in sizes))
        tally.assumptions.append("every row is read from the table as well")


def _item_units(sizes: ItemSizes, scan: Scan) -> float:
    return read_units(sizes.item or 0, consistent=scan.consistent)


def _item_count(declaration: Declaration, tally: Tally) -> int | None:
    count = declaration.item_count
    if count is None:
        tally.missing.append(f"how many items {declaration.name} has (items= of the entity)")
    else:
        tally.assumptions.append(f"{declaration.name}: {items_in_words(count)}, as declared")
    return count


_SEARCH_NOTE = (
    "AWS bills a search by the bytes that it reads, which are unknown beforehand: they are not counted"
)


def _estimate_nearest(nearest: Nearest, tally: Tally, _: bool) -> None:
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


def _read_count(nearest: Nearest, tally: Tally) -> float:
    """How many items are read: as many as the pattern declares, at most `k`."""
    declared, most = tally.options.items, nearest.k
    if declared is not None and declared / tally.share <= most:
        tally.assumptions.append(f"{items_in_words(declared)} a call, as declared")
        return declared / tally.share
    tally.assumptions.append(
        f"{nearest.entity.__name__}: {items_in_words(most)} a search, as many as it asks for"
    )
    return float(most)


def _price_nearest(nearest: Nearest, images: Sequence[object]) -> Cost:
    """A search by vector: what is read from the table of the items that it finds."""
    check_image_count(nearest, images, 1)
    items = wire_items(nearest, images[0])
    return reads.batch_get_cost(nearest.entity.__pksk__.table, items) if nearest.reads_table else Cost()


# The cost of each kind of read, by its name.
READ_COSTS: Final[Mapping[str, RequestCost[Any]]] = {
    "get": RequestCost(_estimate_get, _price_get, notes=_get_notes),
    "query": RequestCost(_estimate_query, price_rows),
    "scan": RequestCost(_estimate_scan, price_rows),
    "geo_query": RequestCost(estimate_geo_query, price_geo_query),
    "nearest": RequestCost(_estimate_nearest, _price_nearest),
}
