"""The rule about indexes that no access pattern reads."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.cost.item_sizes import may_hold
from pksk.review.money import month_of
from pksk.review.rule import Design, Finding, Missing, Result, rule
from pksk.review.rules.changes import drop_index
from pksk.review.source_lines import table_subject
from pksk.schema import Index, Table


@rule("unused-index", "access patterns that read (@access)")
def unused_index(design: Design) -> Iterator[Result]:
    """An index that no access pattern reads.

    ## What it does

    Finds global and local indexes that no declared access pattern queries or scans. A table without any access pattern
    that reads is listed as not reviewed.

    ## Why is this bad?

    Every write of an item in the index is written and paid for again, and the index is stored. A global index that is
    short of capacity also rejects writes to its table.

    ## Example

        shop = Table("shop", indexes=[GSI("by-email", pk="g1"), GSI("by-phone", pk="g2")])

    where access patterns use `by_email` only.

    ## Use instead

    Remove the index. If one entity needs it and others are in it by chance, leave out their keys: an item without the
    key attributes is not in the index, and costs nothing there. If it is read, declare the access pattern.
    """
    for table in design.tables:
        read = {use[:2] for each in design.uses for use in each.estimate.touched if use[2] == "read"}
        indexes = [
            each
            for each in table.indexes
            if each.kind in ("gsi", "lsi") and (table.name, each.name) not in read
        ]
        # A pattern whose example call fails may read any index of its table.
        if design.is_unclear(table):
            continue
        if any(name == table.name for name, _ in read):
            yield from (_finding(design, table, index) for index in indexes)
        elif indexes:
            yield Missing(table.name, "access patterns that read (@access)")


def _finding(design: Design, table: Table, index: Index) -> Finding:
    cost = month_of(design, table, index.name)
    evidence = f"its writes and storage cost {cost} a month" if cost else ""
    if not any(may_hold(index, each) for each in table.entities):
        evidence = "no entity has its key attributes, so it is empty"
    return Finding(
        unused_index.code,
        "warning",
        table_subject(table, index.name),
        f"no access pattern reads index {index.name!r}.",
        (evidence,) if evidence else (),
        "remove the index, or declare the access pattern that reads it.",
        change=drop_index(design, table, index.name or ""),
    )
