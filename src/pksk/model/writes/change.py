"""One change of a field: the action that makes it, and what is known of the value afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pksk.errors import DesignError, InvalidValue
from pksk.expressions import Action, Path, Remove, Set, Value

if TYPE_CHECKING:
    from pksk.model.writes.facts import WriteFacts

__all__ = ["UNKNOWN", "Change", "check_field", "check_stored", "path_of", "refuse", "stored_change"]


class Unknown(Enum):
    """The value that only the stored item tells."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN


@dataclass(frozen=True)
class Change:
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


def refuse(code: str, problem: str, *, expected: str = "", fix: str) -> NoReturn:
    """Refuse a write as it was written."""
    raise InvalidValue(code, problem, expected=expected, fix=fix)


def check_stored(facts: WriteFacts, name: str, where: str) -> None:
    """Refuse what is no field, or is computed."""
    declaration = facts.declaration
    declaration.attribute(name)
    if declaration.fields[name].computed:
        raise DesignError(
            "write-computed",
            f"{where}: {declaration.name}.{name} is computed, and nothing of it is stored.",
            fix="change the fields that it is computed from.",
        )


def check_field(facts: WriteFacts, name: str, where: str) -> None:
    """Refuse a change of what is no field, is computed, or is part of the primary key."""
    check_stored(facts, name, where)
    declaration = facts.declaration
    if name in facts.primary:
        raise DesignError(
            "write-key-field",
            f"{where}: {declaration.name}.{name} is part of the primary key, and a changed key is a move.",
            expected=f"The parts of the key are: {', '.join(declaration.primary.fields)}.",
            fix=f"move it with a store: db.move(entity, {name}=...).",
        )


def path_of(facts: WriteFacts, name: str) -> Path:
    """The path of the attribute that holds a field."""
    return Path((facts.declaration.attribute(name),))


def stored_change(facts: WriteFacts, name: str, value: Any) -> Change:
    """The change that stores a value of the model, or stores nothing where that is how the value is kept."""
    wire, path = facts.values.stored(name, value), path_of(facts, name)
    return Change(name, Remove(path) if wire is None else Set(path, Value(wire)), value)
