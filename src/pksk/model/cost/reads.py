"""Estimates of reads: rows times their size, rounded as DynamoDB rounds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pksk.capacity import query_units, read_units
from pksk.model.cost.tally import Tally

if TYPE_CHECKING:
    from pksk.model.key_plan import KeyPlan
    from pksk.model.plan import Plan
    from pksk.schema import Index

__all__ = ["estimate_get", "estimate_query", "estimate_scan"]

PAGE_BYTES = 1024 * 1024


def estimate_get(get: Any, tally: Tally, transactional: bool) -> None:
    """One item."""
    declaration = get.entity.__pksk__
    size = tally.sizes(declaration).item
    if size is not None:
        units = read_units(size, consistent=get.consistent, transactional=transactional)
        tally.charge(declaration.table.name, read=units)


def estimate_query(query: Any, tally: Tally) -> None:
    """The rows of a query, in each of its branches."""
    branches = query.plan.branches or (query.plan,)
    for branch in branches:
        _branch(query, branch, tally, share=tally.share * len(branches))


def _branch(query: Any, plan: Plan, tally: Tally, share: int) -> None:
    if not plan.requests:
        return
    declaration = plan.entities[0].__pksk__
    index = declaration.table.index(plan.index)
    rows = _rows(query, plan, tally, share)
    # Of several entities in one request, each row counts as one of the largest.
    sizes = [tally.sizes(entity.__pksk__) for entity in plan.entities]
    entry, item = _largest(each.entry(index) for each in sizes), _largest(each.item for each in sizes)
    if rows is None or entry is None or item is None:
        return
    each = rows * entry / len(plan.requests)
    units = _pages(each, consistent=query.consistent) * len(plan.requests)
    tally.charge(declaration.table.name, plan.index, read=units)
    if plan.hydrates or _fetches(plan, index):
        units = rows * read_units(item, consistent=query.consistent)
        tally.charge(declaration.table.name, read=units)
        tally.assumptions.append("every row is read from the table as well")


def _largest(sizes: Iterable[int | None]) -> int | None:
    known = list(sizes)
    return None if None in known else max(size for size in known if size is not None)


def _fetches(plan: Plan, index: Index) -> bool:
    return index.kind == "lsi" and any("Select" in request for request in plan.requests)


def _rows(query: Any, plan: Plan, tally: Tally, share: int) -> float | None:
    """How many rows are read, from what is declared or what the keys say."""
    name = plan.entities[0].__name__
    if tally.declared.items is not None:
        tally.assumptions.append(f"{tally.declared.items:,} items a call, as declared")
        return tally.declared.items / share
    known = _known(query, plan)
    if known is None:
        tally.missing.append("how many items a call reads (items=)")
        return None
    rows, reason = known
    tally.assumptions.append(f"{name}: {rows:,} items a call, {reason}")
    return rows


def _known(query: Any, plan: Plan) -> tuple[int, str] | None:
    declaration, keys = plan.entities[0].__pksk__, plan.keys
    if keys and _whole_key(keys):
        return len(plan.requests), "since all parts of the key are given"
    if query.most is not None and any("Limit" in request for request in plan.requests):
        return query.most * len(plan.requests), "by its limit"
    if declaration.per_partition is not None and keys and not _narrowed(query, plan):
        return declaration.per_partition * len(plan.requests), "by per_partition"
    return None


def _whole_key(keys: KeyPlan) -> bool:
    """Whether the plan names one item in each partition."""
    equal = [bounds for _, bounds in keys.sort if bounds.condition == "="]
    return keys.key.index is None and len(equal) == len(keys.key.sort)


def _narrowed(query: Any, plan: Plan) -> bool:
    """Whether the question asks for less than all that an entity has in a partition."""
    assert plan.keys is not None
    return any(set(ask.given) - set(plan.keys.key.partition_fields) for ask in query.asks)


def _pages(total: float, *, consistent: bool) -> float:
    """The units of reading so many bytes, page by page."""
    whole, rest = divmod(round(total), PAGE_BYTES)
    units = whole * query_units(PAGE_BYTES, consistent=consistent)
    return units + query_units(rest, consistent=consistent) if rest or not whole else units


def estimate_scan(scan: Any, tally: Tally) -> None:
    """All items of the table or index, of every entity that stands there."""
    table = scan.entity.__pksk__.table
    index = table.index(scan.plan.index)
    total = 0.0
    if tally.declared.items is not None:
        entry = tally.sizes(scan.entity.__pksk__).entry(index)
        tally.assumptions.append(f"{tally.declared.items:,} items in all, as declared")
        total = tally.declared.items * (entry or 0)
    else:
        for declaration in table.entities:
            if any(key.index == index.name for key in declaration.keys.values()):
                total += _all_items(declaration, index, tally)
    units = _pages(total / scan.total_segments, consistent=scan.consistent) * scan.total_segments
    tally.charge(table.name, index.name, read=units)


def _all_items(declaration: Any, index: Index, tally: Tally) -> float:
    if declaration.items is None:
        tally.missing.append(f"how many items {declaration.name} has (items= of the entity)")
        return 0.0
    entry = tally.sizes(declaration).entry(index)
    tally.assumptions.append(f"{declaration.name}: {declaration.items:,} items, as declared")
    return float(declaration.items * (entry or 0))
