"""The rule about indexes that order items as the table or another index does."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.declaration import Declaration
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.changes import drop_index
from pksk.review.source_lines import table_subject
from pksk.schema import Index, Table


@rule("duplicate-index")
def duplicate_index(design: Design) -> Iterator[Finding]:
    """An index with the same keys as the table, or as another index.

    ## What it does

    Finds global indexes in which every entity has the same templates as in the table or in another index, so that both
    answer the same queries. If the index projects less than the other one, that is a remark: its queries read less.

    ## Why is this bad?

    The second one is written, stored and paid for, and answers nothing that the first one does not.

    ## Example

        primary = Key("CUST#{customer}", "ORDER#{day}")
        by_customer = Key("CUST#{customer}", "ORDER#{day}", index="by-customer")

    ## Use instead

    Query the first one, and remove the index. If it exists for its smaller entries, accept the finding with the reason
    in a comment: `# pksk: accept duplicate-index: smaller entries for the list`.
    """
    for table in design.tables:
        for position, index in enumerate(table.indexes):
            if index.kind != "gsi":
                continue
            for other in (table.primary, *table.indexes[:position]):
                if other.kind in ("table", "gsi") and _same_keys(table, index, other):
                    yield _finding(design, table, index, other)
                    break


def _same_keys(table: Table, index: Index, other: Index) -> bool:
    """Whether all entities of an index have the same keys in the other one."""
    pairs = [(_templates(each, index), _templates(each, other)) for each in table.entities]
    used = [pair for pair in pairs if pair[0] is not None]
    return bool(used) and all(one == another for one, another in used)


def _templates(declaration: Declaration, index: Index) -> tuple[object, ...] | None:
    """What writes the keys of an entity in an index, and when; None if it has no key there."""
    for key in declaration.keys.values():
        if key.index == index.name:
            return (key.source.pk, key.source.sk, repr(key.when), key.shard)
    return None


def _finding(design: Design, table: Table, index: Index, other: Index) -> Finding:
    name = f"index {other.name!r}" if other.name else "the table itself"
    return Finding(
        duplicate_index.code,
        "warning" if index.projection in ("all", other.projection) else "info",
        table_subject(table, index.name),
        f"index {index.name!r} has the same keys as {name}.",
        (),
        f"query {name}, and remove the index.",
        change=drop_index(design, table, index.name or ""),
    )
