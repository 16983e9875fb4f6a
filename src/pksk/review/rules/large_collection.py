"""The rule about item collections of tables with local indexes, which cannot exceed 10 GB."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.bill.month_rows import declared_sizes
from pksk.model.cost.item_sizes import ItemSizes, may_hold
from pksk.model.declaration import Declaration
from pksk.review.rule import Design, Finding, Missing, Result, rule
from pksk.review.source_lines import entity_subject

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LSI.html#LSI.ItemCollections.SizeLimit
_LIMIT = 10 * 1024**3
_NEAR = 0.7


@rule("large-collection", "how many items a partition has (per_partition=)")
def large_collection(design: Design) -> Iterator[Result]:
    """An item collection that outgrows the 10 GB that a local index allows.

    ## What it does

    In tables with a local index it multiplies the declared number of items in one partition (`per_partition=`) with the
    size of an item and of its index entries. Above 10 GB is an error, above 7 GB a warning.

    ## Why is this bad?

    With a local index, all items of one partition key stay in one partition. When they reach 10 GB, DynamoDB rejects
    every write that would make them larger (ItemCollectionSizeLimitExceededException). A local index can only be
    removed with its table.

    ## Example

        events = Table("events", indexes=[LSI("by-kind", sk="kind")])

        class Event(Entity, table=events, per_partition=50_000_000): ...

    ## Use instead

    A global index has no such limit, and can be added and removed at any time. Or put a month into the partition key:
    `Key("{device}#{at:%Y-%m}", "{at}")`.
    """
    sizes = declared_sizes(design.uses)
    for declaration in design.entities:
        local = [
            each for each in declaration.table.indexes if each.kind == "lsi" and may_hold(each, declaration)
        ]
        if not local:
            continue
        if declaration.per_partition is None:
            yield Missing(declaration.name, "how many items one partition has (per_partition=)")
            continue
        size, _ = sizes.get(declaration.entity, (None, ""))
        items = ItemSizes(declaration, size)
        if items.item is not None:
            one = items.item + sum(items.entry(each) or 0 for each in local)
            yield from _check(declaration, declaration.per_partition, one)


def _check(declaration: Declaration, count: int, one: int) -> Iterator[Finding]:
    total = count * one
    if total > _LIMIT * _NEAR:
        yield Finding(
            large_collection.code,
            "error" if total > _LIMIT else "warning",
            entity_subject(declaration),
            f"one partition holds {total / 1024**3:,.1f} GB, and with a local index it cannot exceed 10.",
            (f"{count:,} items of {one:,} bytes, their entries in local indexes included",),
            "use a global index in place of the local one, or put a period of time into the partition key.",
        )
