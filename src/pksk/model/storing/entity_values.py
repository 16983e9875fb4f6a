"""The values of an entity that is to be stored: that all are there, and how each goes into an item."""

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


class Absent(Enum):
    """Nothing at all, which is not None."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class FieldWriter:
    """The way of a field's values: by `store` or by their own type, and what reads them back.

    Example:
        >>> FieldWriter("n", "n", None, "Order.n", absent_is_none=True, is_set=False).stored(None)
        <Absent.ABSENT: 'absent'>
    """

    name: str
    attribute: str
    store: Store | None
    path: str
    absent_is_none: bool
    is_set: bool
    check: Check | None = None

    def stored(self, value: Any) -> Any:
        """A value as it is stored, or ABSENT; rejected if it would be read back as another one."""
        stored = store_any_value(self.store or stored_value, value, self.path)
        if self.check is not None:
            self.verify(self.check, value, stored)
        return ABSENT if self.is_absent(stored) else stored

    def verify(self, check: Check, value: Any, stored: Any) -> None:
        """Let a value be checked as it will be read: an empty set, and mostly None, from nothing at all."""
        if not self.is_absent(stored):
            check(value, stored)
        elif value is not None:
            check(value, set() if self.is_set else None)

    def is_absent(self, stored: Any) -> bool:
        """Whether nothing is stored for what a value became: None where nothing is read as None, and an empty set."""
        if stored is None:
            return self.absent_is_none
        return self.is_set and isinstance(stored, (set, list)) and not stored


def entity_value(declaration: Declaration[Any], entity: Any, name: str) -> Any:
    """The value of a field; rejected if `model_construct` has left it out, or it was deleted."""
    values = entity.__dict__
    try:
        return values[name] if name in values else getattr(entity, name)
    except AttributeError:
        raise InvalidValue(
            "entity-lacks-value",
            f"{declaration.name}.{name} has no value: the entity was made without it, or it was deleted.",
            fix=f"make the entity by {declaration.name}(...), or give {name!r} to model_construct as well.",
        ) from None


def key_value(declaration: Declaration[Any], entity: Any, name: str) -> Any:
    """The value of a field that a key is made of; rejected if it is computed, and computing it raises."""
    try:
        return getattr(entity, name)
    except PkskError:
        raise
    except Exception as error:  # whatever the user's code raises
        raise InvalidValue(
            "entity-computed",
            f"{declaration.name}.{name} cannot be computed: {type(error).__name__}: {error}.",
            expected="Keys are made of it. Where it is None, the item is not in that index.",
            fix=f"let {name!r} give a value for every entity, or None where it has none.",
        ) from error


def check_names(declaration: Declaration[Any], entity: Any, kept: Container[str] = ()) -> None:
    """Reject an entity that holds what no field of it would store, as `model_copy(update={"totl": 5})` makes one.

    `kept` are names that come back all the same, since the user's own code sets them.
    """
    for name in undeclared_names(declaration, entity):
        if name in kept:
            continue
        # For a name that is no field at all, this says which one may be meant.
        declaration.attribute(name)
        raise InvalidValue(
            "entity-unknown-field",
            f"{declaration.name}.{name} is computed, and was given a value: nothing of it is stored.",
            fix="change the fields that it is computed from.",
        )


def undeclared_names(declaration: Declaration[Any], entity: Any) -> list[str]:
    """The names of values in an entity that are none of its declared fields: misspelt, of a subclass, of a key."""
    fields = type(entity).__pydantic_fields__
    others = {*declaration.keys, *(name for name in fields if name not in declaration.fields)}
    return [*unknown_names(entity), *sorted(others.intersection(entity.__dict__))]
