"""Refuses relative changes of fields that may hold NULL, to which DynamoDB can add nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.model.writes.change import refuse

if TYPE_CHECKING:
    from pksk.model.writes.facts import WriteFacts

__all__ = ["check_never_null"]


def check_never_null(facts: WriteFacts, name: str, where: str) -> None:
    """Refuse a field whose None is stored as NULL; where None is stored as nothing, a change begins anew."""
    if facts.declaration.is_absent(name, None) or not _takes_none(facts, name):
        return
    each = facts.declaration.fields[name]
    field = f"{facts.declaration.name}.{name}"
    default = "let its default be None, so that None is stored as nothing"
    redeclared = (
        "take None out of its type, since an empty set is stored as nothing" if each.is_set else default
    )
    refuse(
        "write-null-field",
        f"{where}: {field} can be None, which is stored as NULL, and DynamoDB adds nothing to NULL.",
        expected="The update would fail for every item that has None there.",
        fix=f"write .set({name}=...), or {redeclared}.",
    )


def _takes_none(facts: WriteFacts, name: str) -> bool:
    # A validator may make something else of None, and then None is never stored.
    return facts.values.nullable(name) and facts.values.validated(name, None) is None
