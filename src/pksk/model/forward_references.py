"""Completes entities whose annotations name classes that were defined later."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, NoReturn, TypeVar

from pydantic.errors import PydanticUndefinedAnnotation

from pksk.errors import DesignError, PkskError

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity

E = TypeVar("E", bound="Entity")

_REJECTION = "__pksk_rejection__"


class NotDeclared(DesignError, AttributeError):
    """An entity that is not declared, or not yet; for Python, a class without the attribute `__pksk__`."""


class RejectedModel:
    """Replaces the validator of a rejected class, so that no object of it can be created."""

    def __init__(self, error: PkskError) -> None:
        self._error = error

    def __getattr__(self, _name: str) -> NoReturn:
        raise copy(self._error)


def remember_rejection(entity: type[Entity], error: PkskError) -> None:
    """Store why a class was rejected: the class exists all the same, and must not be used."""
    rejection = copy(error)
    setattr(entity, _REJECTION, rejection)
    entity.__pydantic_validator__ = RejectedModel(rejection)  # type: ignore[assignment]


def complete_entity(entity: type[E]) -> type[E]:
    """The entity with its declaration; raises if it has no table, or if a name in its annotations is missing."""
    if "__pksk__" in vars(entity):
        return entity
    if _REJECTION in vars(entity):
        raise copy(vars(entity)[_REJECTION])
    if _has_table(entity):
        _complete(entity)
    else:
        _check_inherited(entity)
    return entity


def complete_declaration(entity: type[Entity]) -> Declaration:
    """The declaration of a class that has none yet, if it can be completed now."""
    if _REJECTION in vars(entity) or _has_table(entity):
        declaration: Declaration = vars(complete_entity(entity))["__pksk__"]
        return declaration
    _reject_without_table(entity)


def _has_table(entity: type[Entity]) -> bool:
    return (vars(entity).get("__pksk_options__") or {}).get("table") is not None


def _complete(entity: type[Entity]) -> None:
    missing = ""
    if not entity.__pydantic_complete__:
        try:
            # An empty namespace, so that names are looked up in the module of the class, and not around this call.
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
    """Accept a class without table= that has the fields of its base; further fields would be lost."""
    declarations = [vars(each)["__pksk__"] for each in entity.__mro__ if "__pksk__" in vars(each)]
    if not declarations or any(name not in declarations[0].fields for name in entity.__pydantic_fields__):
        _reject_without_table(entity)


def _reject_without_table(entity: type[Entity]) -> NoReturn:
    raise NotDeclared(
        "entity-no-table",
        f"{entity.__name__} belongs to no table, so it has no items.",
        fix=f"declare class {entity.__name__}(..., table=...), or use its subclasses.",
    )
