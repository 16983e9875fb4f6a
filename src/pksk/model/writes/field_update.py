"""One update of a field: its update action, and the value afterwards as far as it is known."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import DesignError, InvalidValue
from pksk.expressions import Action, Path, Remove, Set, Value
from pksk.model.fields.facts import FieldFacts


class Unknown(Enum):
    """A value that depends on the stored item."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN


@dataclass(frozen=True)
class FieldUpdate:
    """The update of one field.

    `value` is the Python value afterwards, or UNKNOWN if it depends on stored values; `reads` names their fields.
    """

    field: str
    action: Action
    value: Any = UNKNOWN
    reads: frozenset[str] = frozenset()

    def __hash__(self) -> int:
        # Without the value, which may be an unhashable list; the action has its stored form.
        return hash((self.field, self.action))


def reject(code: str, problem: str, *, expected: str = "", fix: str) -> NoReturn:
    """Reject a wrong write."""
    raise InvalidValue(code, problem, expected=expected, fix=fix)


def check_stored_field(facts: FieldFacts, name: str, where: str) -> None:
    """Reject a name that is not a field, or a computed field."""
    declaration = facts.declaration
    declaration.attribute(name)
    if declaration.fields[name].computed:
        raise DesignError(
            "write-computed",
            f"{where}: {declaration.name}.{name} is computed and not stored.",
            fix="change the fields that it is computed from.",
        )


def check_field(facts: FieldFacts, name: str, where: str) -> None:
    """Reject a change of an unknown or computed field, or of a field of the primary key."""
    check_stored_field(facts, name, where)
    declaration = facts.declaration
    if name in facts.primary:
        raise DesignError(
            "write-key-field",
            f"{where}: {declaration.name}.{name} is part of the primary key, which an update cannot change.",
            expected=f"The fields of the key are: {', '.join(declaration.primary.fields)}.",
            fix=f"move it with a store: db.move(entity, {name}=...).",
        )


def attribute_path(facts: FieldFacts, name: str) -> Path:
    """The path of a field's attribute."""
    return Path((facts.declaration.attribute(name),))


def store_or_remove(facts: FieldFacts, name: str, value: Any) -> FieldUpdate:
    """The change that sets a value; it removes the attribute if the value is stored as nothing."""
    wire, path = facts.values.stored(name, value), attribute_path(facts, name)
    return FieldUpdate(name, Remove(path) if wire is None else Set(path, Value(wire)), value)


def check_never_null(facts: FieldFacts, name: str, where: str) -> None:
    """Reject a field whose None is stored as NULL, to which DynamoDB cannot add."""
    if facts.declaration.is_absent(name, None) or not _takes_none(facts, name):
        return
    each = facts.declaration.fields[name]
    field = f"{facts.declaration.name}.{name}"
    default = "let its default be None, so that None is not stored"
    redeclared = "remove None from its type, since an empty set is not stored" if each.is_set else default
    reject(
        "write-null-field",
        f"{where}: {field} can be None, which is stored as NULL, and DynamoDB cannot add to NULL.",
        expected="The update would fail for every item with None.",
        fix=f"write .set({name}=...), or {redeclared}.",
    )


def _takes_none(facts: FieldFacts, name: str) -> bool:
    # If a validator converts None, it is never stored.
    return facts.values.nullable(name) and facts.values.validated(name, None) is None
