"""What a Query costs: the number of rows times their size, rounded as DynamoDB rounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pksk.capacity import Cost, batch_get_cost, index_entry, paged_query_cost, query_units, read_units
from pksk.dataclass import dataclass
from pksk.expressions import evaluate, parse_condition
from pksk.limits import PAGE_BYTES
from pksk.model.cost.request_cost import RequestCost, check_image_count, wire_items
from pksk.model.cost.tally import Tally, items_in_words
from pksk.model.cost.write_attempt import placeholders_of
from pksk.model.requests.query import Query

if TYPE_CHECKING:
    from pksk.model.planning.key_plan import KeyPlan
    from pksk.model.planning.key_query import KeyQuery
    from pksk.model.planning.query_plan import Plan
    from pksk.model.requests.scan import Scan
    from pksk.schema import Index, Table
    from pksk.values import WireItem


def _estimate(query: Query[Any], tally: Tally, _: bool) -> None:
    """The rows of a query, in each of its branches."""
    branches = query.plan.branches
    if not branches:
        _estimate_branch(query, query.key_queries, query.plan, tally, share=tally.share)
    for ask, branch in zip(query.key_queries, branches, strict=False):
        _estimate_branch(query, (ask,), branch, tally, share=tally.share * len(branches))


def _estimate_branch(
    query: Query[Any], key_queries: Sequence[KeyQuery], plan: Plan, tally: Tally, share: int
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
    entities: tuple[Any, ...]


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
    query: Query[Any], key_queries: Sequence[KeyQuery], plan: Plan, tally: Tally, share: int
) -> list[_RowCount]:
    """How many rows are read, from what is declared or what the keys say; none where that is not known."""
    if tally.options.items is not None:
        tally.assumptions.append(f"{items_in_words(tally.options.items)} a call, as declared")
        return [_RowCount(tally.options.items / share, plan.entities)]
    if query.max_results is not None and _is_limited(plan, query.max_results):
        rows = query.max_results * len(plan.requests)
        tally.assumptions.append(f"{_entity_names(plan)}: {items_in_words(rows)} a call, by its limit")
        return [_RowCount(rows, plan.entities)]
    found = [_entity_rows(ask, plan, tally, alone=len(key_queries) == 1) for ask in key_queries]
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else _unknown_rows(plan, tally)


def _is_limited(plan: Plan, most: int) -> bool:
    """Whether requests stop at the limit; if rows are filtered out, reading continues on the next page."""
    if plan.filters_after_reading or plan.has_foreign_items:
        return False
    return all(
        "FilterExpression" not in request and "Limit" in request and request["Limit"] <= most
        for request in plan.requests
    )


def _unknown_rows(plan: Plan, tally: Tally) -> list[_RowCount]:
    # The sizes are told all the same: what is missing is only how many.
    for entity in plan.entities:
        tally.sizes(entity.__pksk__)
    return []


def _entity_names(plan: Plan) -> str:
    return " and ".join(entity.__name__ for entity in plan.entities)


def _entity_rows(ask: KeyQuery, plan: Plan, tally: Tally, *, alone: bool) -> _RowCount | None:
    """How many rows of one entity are read."""
    name, requests = ask.entity.__name__, len(plan.requests)
    keys = plan.keys if alone else next(c.keys for c in ask.candidates if c.index.name == plan.index)
    per_partition = ask.declaration.per_partition
    if keys is not None and _names_one_item(keys):
        rows, reason = requests, "since all parts of the key are given"
    elif keys is not None and per_partition is not None and not _is_narrowed(ask, keys):
        rows, reason = per_partition * requests, "by per_partition"
    else:
        own = "a call reads (items=)" if alone else f"of {name} a call reads (items=, or its per_partition=)"
        tally.missing.append(f"how many items {own}")
        return None
    tally.assumptions.append(f"{name}: {items_in_words(rows)} a call, {reason}")
    return _RowCount(rows, (ask.entity,))


def _names_one_item(keys: KeyPlan) -> bool:
    """Whether the plan names one item in each partition."""
    equal = [bounds for _, bounds in keys.sort if bounds.condition == "="]
    return keys.key.index is None and len(equal) == len(keys.key.sort)


def _is_narrowed(ask: KeyQuery, keys: KeyPlan) -> bool:
    """Whether the question asks for less than all that an entity has in a partition."""
    sort = {field for part in keys.key.sort for field in part.fields}
    return bool(set(ask.values) & sort - set(keys.key.partition_fields))


def page_units(total: float, *, consistent: bool) -> float:
    """The units of reading so many bytes, page by page."""
    whole, rest = divmod(round(total), PAGE_BYTES)
    units = whole * query_units(PAGE_BYTES, consistent=consistent)
    return units + query_units(rest, consistent=consistent) if rest or not whole else units


def price_rows(read: Query[Any] | Scan[Any], images: Sequence[Any]) -> Cost:
    """A query or scan: the items that each of its requests evaluates."""
    plan = read.plan
    check_image_count(read, images, len(plan.requests))
    table = plan.entities[0].__pksk__.table
    total = Cost()
    for request, rows in zip(plan.requests, images, strict=True):
        items = wire_items(read, rows)
        fetch = "Select" in request
        index, most = request.get("IndexName"), request.get("Limit")
        total += paged_query_cost(
            table, index, items, consistent=read.consistent, fetch=fetch, page_items=most
        )
        if plan.reads_table:
            total += batch_get_cost(table, _returned_items(table, request, items))
    return total


def _returned_items(
    table: Table, request: Mapping[str, Any], items: Iterable[WireItem]
) -> Iterator[WireItem]:
    """The items whose rows come back: those that are in the index, and that the request's filter lets pass."""
    index, text = table.index(request.get("IndexName")), request.get("FilterExpression")
    condition = None if text is None else parse_condition(text, *placeholders_of(request))
    for item in items:
        row = item if index.kind == "table" else index_entry(index, item)
        if row is not None and (condition is None or evaluate(condition, row)):
            yield item


QUERY_COST: Final = RequestCost(_estimate, price_rows)
