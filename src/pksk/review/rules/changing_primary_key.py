"""The rule about primary keys with a field that changes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pksk.model.bill.field_shares import is_time, rises
from pksk.model.declaration import Declaration
from pksk.model.sequences import Counter
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import key_subject

# What is changed in nearly every system; a kind, a category or a role may stay what it is.
_CHANGING = re.compile(r"(?:[a-z]+_)?(?:status|state|is_active|is_open|score|balance|stock)")


@rule("changing-primary-key")
def changing_primary_key(design: Design) -> Iterator[Finding]:
    """A primary key with a field that changes, such as a status.

    ## What it does

    Finds primary keys with a field whose name says that its value changes: a status, a state, a score, a balance. Not
    reported are keys with a time, and entities without other fields: such an item records that something was so.

    ## Why is this bad?

    A primary key cannot be changed. A new status is a new item, and the old one has to be deleted in the same
    transaction (`db.move`), which takes four times the write units of an update. And a
    reader of the item by its key must know its status.

    ## Example

        primary = Key("CUST#{customer}", "{status}#{order_id}")

    ## Use instead

    The status in the key of an index, which an update changes by itself:

        primary = Key("CUST#{customer}", "{order_id}")
        by_status = Key("CUST#{customer}", "{status}#{order_id}", index="by-status")

    If the value never changes once the item is written, accept the finding.
    """
    for declaration in design.entities:
        key = declaration.primary
        names = [each for each in key.fields if _CHANGING.fullmatch(each.lower())]
        if names and not issubclass(declaration.entity, Counter) and not _is_record(declaration):
            yield _finding(declaration, names)


def _is_record(declaration: Declaration) -> bool:
    """Whether an item records what was at some time, or has nothing but its key."""
    fields = declaration.primary.fields
    return set(declaration.fields) <= set(fields) or any(
        is_time(declaration.fields[name]) or rises(declaration, name) for name in fields
    )


def _finding(declaration: Declaration, names: list[str]) -> Finding:
    fields = " and ".join(names)
    return Finding(
        changing_primary_key.code,
        "info",
        key_subject(declaration, declaration.primary),
        f"the primary key holds {fields}, so a change of it is a new item and a deleted one.",
        (),
        f"leave {fields} out of the primary key, and put it into the key of an index.",
        certain=False,
    )
