"""Rejects arguments of a constructor that no field takes, which Pydantic would ignore."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NoReturn

from pydantic import AliasChoices, AliasPath, BaseModel, ValidationError

from pksk.errors import InvalidValue, did_you_mean

# The arguments of a call that nothing takes.
Unknown = Callable[[dict[str, Any]], Iterable[str]]

# The attribute of a class that keeps this function.
_UNKNOWN = "__pksk_unknown_arguments__"


def check_arguments(entity: type[BaseModel], data: dict[str, Any]) -> None:
    """Reject an argument that no field takes; computed fields are removed where Pydantic would not ignore them."""
    find: Unknown | None = vars(entity).get(_UNKNOWN)
    if find is None:
        find = unknown_arguments(entity)
        type.__setattr__(entity, _UNKNOWN, find)
    if unknown := find(data):
        reject_unknown_argument(entity, next(name for name in data if name in unknown))


def unknown_arguments(entity: type[BaseModel]) -> Unknown:
    """The function that finds arguments which nothing takes; a model that sets `extra` itself decides about others."""
    if "extra" in entity.model_config:
        computed = frozenset(_computed_names(entity)).difference(entity.__pydantic_fields__)
        return partial(_without_computed, computed) if computed else _accept_all
    known = frozenset(argument_names(entity))
    validators = entity.__pydantic_decorators__.model_validators.values()
    if not any(each.info.mode in ("before", "wrap") for each in validators):
        return lambda data: () if known.issuperset(data) else data.keys() - known
    # Pydantic calls an __init__ of the application, which would lead here again.
    if not hasattr(entity.__init__, "__pydantic_base_init__"):
        return _accept_all
    return lambda data: () if known.issuperset(data) else _ignored(entity, data) - known


def _accept_all(_: Mapping[str, Any]) -> tuple[str, ...]:
    return ()


def _without_computed(computed: frozenset[str], data: dict[str, Any]) -> tuple[str, ...]:
    """Remove computed fields from the arguments: they are in dumps, and are computed again."""
    for name in computed.intersection(data):
        del data[name]
    return ()


def _ignored(entity: type[BaseModel], data: Mapping[str, Any]) -> set[str]:
    """The arguments that are left over when the validators of a model have read its input."""
    try:
        entity.__pydantic_validator__.validate_python(dict(data), extra="forbid")
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        return {
            str(each["loc"][0])
            for each in errors
            if each["type"] == "extra_forbidden" and len(each["loc"]) == 1
        }
    return set()


def argument_names(entity: type[BaseModel]) -> Iterator[str]:
    """The names that the constructor takes: of fields, as Pydantic reads them, and of computed fields.

    Example:
        >>> from pydantic import Field
        >>> class Order(BaseModel):
        ...     id: str
        ...     total: int = Field(0, alias="sum")
        >>> list(argument_names(Order))
        ['id', 'sum']
    """
    config: Mapping[str, Any] = entity.model_config
    by_name = config.get("validate_by_name") or config.get("populate_by_name")
    by_alias = config.get("validate_by_alias", True)
    for name, field in entity.__pydantic_fields__.items():
        aliases = list(_first_names(field.validation_alias or field.alias))
        if by_alias:
            yield from aliases
        if by_name or not aliases:
            yield name
    # What `model_dump` writes can be passed on; such values are computed again.
    yield from _computed_names(entity)


def _computed_names(entity: type[BaseModel]) -> Iterator[str]:
    for name, computed in entity.__pydantic_computed_fields__.items():
        yield name
        if computed.alias:
            yield computed.alias


def _first_names(alias: str | AliasPath | AliasChoices | None) -> Iterator[str]:
    if isinstance(alias, AliasChoices):
        for each in alias.choices:
            yield from _first_names(each)
    elif isinstance(alias, AliasPath):
        yield str(alias.path[0])
    elif alias is not None:
        yield alias


def reject_unknown_argument(entity: type[BaseModel], first: str) -> NoReturn:
    """Raise the error for an argument that no field takes."""
    names = list(dict.fromkeys(argument_names(entity)))
    near = did_you_mean(first, names)
    field = entity.__pydantic_fields__.get(first)
    if field is not None:
        near = next(_first_names(field.validation_alias or field.alias), near)
    raise InvalidValue(
        "entity-unknown-argument",
        f"{entity.__name__}(...): there is no field {first!r}, and its value would be ignored.",
        expected=f"Arguments are: {', '.join(names)}.",
        fix=f"did you mean {near!r}?"
        if near
        else "leave it out, declare the field, or set extra in model_config.",
    )
