"""The rule about keys that put items into an index where no access pattern looks for them."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.bill.month_rows import PatternUse
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.model.requests.scan import Scan
from pksk.review.rule import Design, Finding, Missing, Result, rule
from pksk.review.rules.changes import drop_key
from pksk.review.rules.queries import key_reads
from pksk.review.source_lines import key_subject
from pksk.schema import Table


@rule("unused-key", "access patterns that read (@access)")
def unused_key(design: Design) -> Iterator[Result]:
    """A key that puts items into an index where no access pattern looks for them.

    ## What it does

    Finds keys of indexes that no query of their entity uses, where the index serves other entities. It reviews entities
    that have an access pattern which reads them; the others are listed as not reviewed.

    ## Why is this bad?

    Each write of an item writes its index entry too, which is paid for and stored, and is never read. In a shared
    partition of the index it also is in the way of those that are.

    ## Example

        class Customer(Entity, table=shop):
            customer: str
            primary = Key("CUST#{customer}", "PROFILE")
            by_status = Key("CUST", "{customer}", index="by-status")  # only orders are queried by status

    ## Use instead

    Remove the key. An item without the key attributes of an index is not in it, and costs nothing there. If the key is
    used, declare the access pattern.
    """
    used = {id(read.key.source) for read in key_reads(design)}
    for declaration, key in design.keys:
        table = declaration.table
        if key.index is None or table.index(key.index).kind == "vector" or id(key.source) in used:
            continue
        if _is_scanned(design, table, key) or not _serves_others(design, table, key):
            continue
        if design.is_unclear(table):
            continue
        if _is_read(design.uses, declaration, key):
            yield _finding(declaration, key)
        else:
            yield Missing(declaration.name, "access patterns that read (@access)")


def _is_scanned(design: Design, table: Table, key: EntityKey) -> bool:
    """Whether a scan reads the index of a key, and so every entry in it."""
    return any(
        isinstance(each, Scan) and each.entity.__pksk__.table is table and each.plan.index == key.index
        for use in design.uses
        for each in use.requests
    )


def _serves_others(design: Design, table: Table, key: EntityKey) -> bool:
    """Whether the index is read at all; if not, that is the finding of another rule."""
    return any(read.declaration.table is table and read.key.index == key.index for read in key_reads(design))


def _is_read(uses: list[PatternUse], declaration: Declaration, key: EntityKey) -> bool:
    """Whether an access pattern reads the entity, or one that shares the key."""
    sharing = {
        each.entity
        for each in declaration.table.entities
        if any(other.source is key.source for other in each.keys.values())
    }
    return any(request.reads and sharing & set(request.entities) for use in uses for request in use.requests)


def _finding(declaration: Declaration, key: EntityKey) -> Finding:
    return Finding(
        unused_key.code,
        "warning",
        key_subject(declaration, key),
        f"it puts every {declaration.name} into index {key.index!r}, and no access pattern reads them there.",
        (),
        "remove the key, so that these items are not in the index; or declare the access pattern that uses it.",
        change=drop_key(declaration, key),
    )
