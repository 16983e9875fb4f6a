"""The values of an entity that is to be stored: all of its fields have one, and nothing else stands beside them."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, Any

from pksk.errors import InvalidValue, PkskError
from pksk.model.storing.forms.unknown_names import unknown_names

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

__all__ = ["check_names", "entity_value", "foreign_names", "key_value"]


def entity_value(declaration: Declaration[Any], entity: Any, name: str) -> Any:
    """The value of a field; refused where `model_construct` has left it out, or somebody has deleted it."""
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
    """The value of a field that a key is made of; refused where it is computed, and that raises."""
    try:
        return getattr(entity, name)
    except PkskError:
        raise
    except Exception as error:  # whatever code of the author's raises
        raise InvalidValue(
            "entity-computed",
            f"{declaration.name}.{name} cannot be computed: {type(error).__name__}: {error}.",
            expected="Keys are made of it. Where it is None, the item is not in that index.",
            fix=f"let {name!r} give a value for every entity, or None where it has none.",
        ) from error


def check_names(declaration: Declaration[Any], entity: Any, kept: Container[str] = ()) -> None:
    """Refuse an entity that holds what no field of it would store, as `model_copy(update={"totl": 5})` makes one.

    `kept` are names that come back all the same, since the author's own code sets them.
    """
    for name in foreign_names(declaration, entity):
        if name in kept:
            continue
        # For a name that is no field at all, this says which one may be meant.
        declaration.attribute(name)
        raise InvalidValue(
            "entity-unknown-field",
            f"{declaration.name}.{name} is computed, and was given a value: nothing of it is stored.",
            fix="change the fields that it is computed from.",
        )


def foreign_names(declaration: Declaration[Any], entity: Any) -> list[str]:
    """The names of values in an entity that are none of its declared fields: misspelt, of a subclass, of a key."""
    fields = type(entity).__pydantic_fields__
    others = {*declaration.keys, *(name for name in fields if name not in declaration.fields)}
    return [*unknown_names(entity), *sorted(others.intersection(entity.__dict__))]
