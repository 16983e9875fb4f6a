"""The values of an entity: checks that all exist, and writes each into an item."""

from __future__ import annotations

from collections.abc import Container
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, PkskError
from pksk.model.storing.forms import Store
from pksk.model.storing.round_trip import Check, store_any_value, unknown_names
from pksk.model.storing.stored_value import stored_value

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity


class Absent(Enum):
    """The type of ABSENT, which marks a missing attribute."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class FieldWriter:
    """How a field's values are stored: by `store` or by their own type, and how they are checked."""

    name: str
    attribute: str
    store: Store | None
    path: str
    absent_is_none: bool
    is_set: bool
    check: Check | None = None

    def stored(self, value: Any) -> Any:
        """The stored form of a value, or ABSENT; raises if it would be read back as another value."""
        stored = store_any_value(self.store or stored_value, value, self.path)
        if self.check is not None:
            self.verify(self.check, value, stored)
        return ABSENT if self.is_absent(stored) else stored

    def verify(self, check: Check, value: Any, stored: Any) -> None:
        """Check that a value is read back unchanged: an empty set, and usually None, from a missing attribute."""
        if not self.is_absent(stored):
            check(value, stored)
        elif value is not None:
            check(value, set() if self.is_set else None)

    def is_absent(self, stored: Any) -> bool:
        """Whether a stored form is left out: an empty set, or None if a missing attribute is read as None."""
        if stored is None:
            return self.absent_is_none
        return self.is_set and isinstance(stored, (set, list)) and not stored


def entity_value(declaration: Declaration, entity: Entity, name: str) -> Any:
    """The value of a field; raises if it is missing, after `model_construct` or `del`."""
    values = entity.__dict__
    try:
        return values[name] if name in values else getattr(entity, name)
    except AttributeError:
        raise InvalidValue(
            "entity-lacks-value",
            f"{declaration.name}.{name} has no value: the entity was made without it, or it was deleted.",
            fix=f"make the entity by {declaration.name}(...), or give {name!r} to model_construct as well.",
        ) from None


def key_value(declaration: Declaration, entity: Entity, name: str) -> Any:
    """The value of a field in a key; raises if the field is computed and that fails."""
    try:
        return getattr(entity, name)
    except PkskError:
        raise
    except Exception as error:  # any error of the user's code
        raise InvalidValue(
            "entity-computed",
            f"{declaration.name}.{name} cannot be computed: {type(error).__name__}: {error}.",
            expected="A key contains it. If it is None, the item is not in that index.",
            fix=f"return a value of {name!r} for every entity, or None.",
        ) from error


def check_names(declaration: Declaration, entity: Entity, set_by_user: Container[str] = ()) -> None:
    """Reject an entity with values that no field stores, such as from `model_copy(update={"totl": 5})`.

    `set_by_user` are names that user code sets when the item is read.
    """
    for name in undeclared_names(declaration, entity):
        if name in set_by_user:
            continue
        # For an unknown name, this raises an error that suggests the nearest field.
        declaration.attribute(name)
        raise InvalidValue(
            "entity-unknown-field",
            f"{declaration.name}.{name} is a computed field, so the value that was set would not be stored.",
            fix="change the fields that it is computed from.",
        )


def undeclared_names(declaration: Declaration, entity: Entity) -> list[str]:
    """The names of values in an entity that are not declared fields: misspelt, of a subclass, or of a key."""
    fields = type(entity).__pydantic_fields__
    others = {*declaration.keys, *(name for name in fields if name not in declaration.fields)}
    return [*unknown_names(entity), *sorted(others.intersection(entity.__dict__))]
