"""One update of a field: its update action, and what is known of the value afterwards."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import DesignError, InvalidValue
from pksk.expressions import Action, Path, Remove, Set, Value

if TYPE_CHECKING:
    from pksk.model.fields.field_facts import FieldFacts

__all__ = [
    "UNKNOWN",
    "FieldUpdate",
    "attribute_path",
    "check_field",
    "check_never_null",
    "check_stored_field",
    "reject",
    "store_or_remove",
]


class Unknown(Enum):
    """The value that only the stored item tells."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN


@dataclass(frozen=True)
class FieldUpdate:
    """What happens to one field.

    `value` is the Python value afterwards, or UNKNOWN where it follows from stored ones: then `reads` names them.
    """

    field: str
    action: Action
    value: Any = UNKNOWN
    reads: frozenset[str] = frozenset()

    def __hash__(self) -> int:
        # Without the value, which may be a list; the action holds it as it is stored.
        return hash((self.field, self.action))


def reject(code: str, problem: str, *, expected: str = "", fix: str) -> NoReturn:
    """Refuse a write as it was written."""
    raise InvalidValue(code, problem, expected=expected, fix=fix)


def check_stored_field(facts: FieldFacts, name: str, where: str) -> None:
    """Refuse what is no field, or is computed."""
    declaration = facts.declaration
    declaration.attribute(name)
    if declaration.fields[name].computed:
        raise DesignError(
            "write-computed",
            f"{where}: {declaration.name}.{name} is computed, and nothing of it is stored.",
            fix="change the fields that it is computed from.",
        )


def check_field(facts: FieldFacts, name: str, where: str) -> None:
    """Refuse a change of what is no field, is computed, or is part of the primary key."""
    check_stored_field(facts, name, where)
    declaration = facts.declaration
    if name in facts.primary:
        raise DesignError(
            "write-key-field",
            f"{where}: {declaration.name}.{name} is part of the primary key, and a changed key is a move.",
            expected=f"The parts of the key are: {', '.join(declaration.primary.fields)}.",
            fix=f"move it with a store: db.move(entity, {name}=...).",
        )


def attribute_path(facts: FieldFacts, name: str) -> Path:
    """The path of the attribute that holds a field."""
    return Path((facts.declaration.attribute(name),))


def store_or_remove(facts: FieldFacts, name: str, value: Any) -> FieldUpdate:
    """The change that stores a value of the model, or stores nothing where that is how the value is kept."""
    wire, path = facts.values.stored(name, value), attribute_path(facts, name)
    return FieldUpdate(name, Remove(path) if wire is None else Set(path, Value(wire)), value)


def check_never_null(facts: FieldFacts, name: str, where: str) -> None:
    """Refuse a field whose None is stored as NULL; where None is stored as nothing, a change begins anew."""
    if facts.declaration.is_absent(name, None) or not _takes_none(facts, name):
        return
    each = facts.declaration.fields[name]
    field = f"{facts.declaration.name}.{name}"
    default = "let its default be None, so that None is stored as nothing"
    redeclared = (
        "take None out of its type, since an empty set is stored as nothing" if each.is_set else default
    )
    reject(
        "write-null-field",
        f"{where}: {field} can be None, which is stored as NULL, and DynamoDB adds nothing to NULL.",
        expected="The update would fail for every item that has None there.",
        fix=f"write .set({name}=...), or {redeclared}.",
    )


def _takes_none(facts: FieldFacts, name: str) -> bool:
    # A validator may make something else of None, and then None is never stored.
    return facts.values.nullable(name) and facts.values.validated(name, None) is None
