"""Completes an entity whose annotations name classes that were defined later, or says what is missing."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from pydantic.errors import PydanticUndefinedAnnotation

from pksk.errors import DesignError, PkskError

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity

E = TypeVar("E", bound="Entity")

_REJECTION = "__pksk_refusal__"


class NotDeclared(DesignError, AttributeError):
    """An entity that is not declared, or not yet; for Python, a class without the attribute `__pksk__`."""


class RejectedModel:
    """Stands for the validator of a class that was refused: no object of it is made."""

    def __init__(self, error: PkskError) -> None:
        self._error = error

    def __getattr__(self, _name: str) -> NoReturn:
        raise copy(self._error)


def remember_rejection(entity: type[Entity], error: PkskError) -> None:
    """Remember why a class was refused: it may be known under its name all the same, and must not be used."""
    kept = copy(error)
    setattr(entity, _REJECTION, kept)
    entity.__pydantic_validator__ = RejectedModel(kept)  # type: ignore[assignment]


def complete_entity(entity: type[E]) -> type[E]:
    """The same entity, declared; refused where it stands in no table, or where a name is still missing."""
    if "__pksk__" in vars(entity):
        return entity
    if _REJECTION in vars(entity):
        raise copy(vars(entity)[_REJECTION])
    if _has_table(entity):
        _complete(entity)
    else:
        _check_inherited(entity)
    return entity


def complete_declaration(entity: type[Any]) -> Declaration[Any]:
    """The declaration of a class that has none yet, if it can be completed now."""
    if _REJECTION in vars(entity) or _has_table(entity):
        found: Declaration[Any] = vars(complete_entity(entity))["__pksk__"]
        return found
    _reject_without_table(entity)


def _has_table(entity: type[Any]) -> bool:
    return (vars(entity).get("__pksk_options__") or {}).get("table") is not None


def _complete(entity: type[Entity]) -> None:
    missing = ""
    if not entity.__pydantic_complete__:
        try:
            # Not by the names around this call: those of the class's own module are meant.
            entity.model_rebuild(_types_namespace={})
        except PydanticUndefinedAnnotation as error:
            missing = f": its annotations name {error.name!r}, which is not defined"
    if "__pksk__" not in vars(entity):
        raise NotDeclared(
            "entity-incomplete",
            f"{entity.__name__} is not complete{missing}.",
            fix=f"define what its annotations name, and call {entity.__name__}.model_rebuild() if that is not global.",
        )


def _check_inherited(entity: type[Entity]) -> None:
    """A class with the fields of its base is asked as the base is; one with more would lose them."""
    found = [vars(each)["__pksk__"] for each in entity.__mro__ if "__pksk__" in vars(each)]
    if not found or any(name not in found[0].fields for name in entity.__pydantic_fields__):
        _reject_without_table(entity)


def _reject_without_table(entity: type[Any]) -> NoReturn:
    raise NotDeclared(
        "entity-no-table",
        f"{entity.__name__} belongs to no table, so it has no items.",
        fix=f"declare class {entity.__name__}(..., table=...), or use its subclasses.",
    )
