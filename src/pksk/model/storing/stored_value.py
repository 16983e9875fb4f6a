"""Converts values of model fields to values that DynamoDB can store and Pydantic reads back unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum, Flag
from functools import lru_cache
from math import isfinite
from os import PathLike, fspath
from re import Pattern
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Secret, SecretBytes, SecretStr, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from pksk.errors import InvalidValue, quote
from pksk.values.instants import instant_text


def stored_value(value: Any, path: str) -> Any:
    """The value as a str, int, Decimal, bytes, bool, None, list, dict or set.

    Example:
        >>> stored_value({"at": date(2025, 1, 2), "ratio": 0.1}, "stats")
        {'at': '2025-01-02', 'ratio': Decimal('0.1')}
    """
    known = _BY_TYPE.get(type(value))
    return known(value, path) if known else _by_base_type(value, path)


def _as_is(value: Any, _path: str) -> Any:
    return value


def _float(value: float, path: str) -> Decimal:
    if not isfinite(value):
        raise InvalidValue(
            "entity-unstorable",
            f"{path}: {value} is not a finite number, and DynamoDB stores only finite numbers.",
            fix="store None or text instead.",
        )
    # The shortest text that reads back as the same float, never its binary expansion.
    return Decimal(repr(float(value)))


def _text(value: date | time, _path: str) -> str:
    return value.isoformat()


def _datetime(value: datetime, _path: str) -> str:
    return value.isoformat() if value.utcoffset() is None else instant_text(value)


def _list(value: Sequence[Any], path: str) -> list[Any]:
    return [
        # No call for elements that are stored unchanged: a put of lists takes 12 % less time.
        element if type(element) in STORED_AS_IS else stored_value(element, f"{path}[{index}]")
        for index, element in enumerate(value)
    ]


def _dict(value: Mapping[Any, Any], path: str) -> dict[str, Any]:
    return {
        (key if type(key) is str else member_name(key, path)): (
            member if type(member) in STORED_AS_IS else stored_value(member, f"{path}.{key}")
        )
        for key, member in value.items()
    }


def member_name(key: Any, path: str) -> str:
    """The name under which a member of a map is stored.

    Example:
        >>> member_name(date(2025, 1, 2), "totals"), member_name(True, "totals")
        ('2025-01-02', 'true')
    """
    name = stored_value(key, path)
    if isinstance(name, bool):
        return "true" if name else "false"
    if not isinstance(name, str | int | Decimal):
        raise InvalidValue(
            "entity-unstorable",
            f"{path}: {quote(key)} of type {type(key).__name__} cannot be the name of a member of a map.",
            fix="use text or numbers as keys, or store a list of pairs.",
        )
    return str(name)


def _set(value: AbstractSet[Any], path: str) -> Any:
    return as_set([stored_value(member, path) for member in value])


def as_set(members: list[Any]) -> Any:
    """A DynamoDB set if it can have these members; else a list, which is read back as a set."""
    kinds = {_SET_KINDS.get(type(member)) for member in members}
    return set(members) if len(kinds) == 1 and None not in kinds else members


_SET_KINDS = {str: "SS", int: "NS", Decimal: "NS", bytes: "BS"}


def _by_base_type(value: Any, path: str) -> Any:
    for kind, convert in _BY_BASE_TYPE:
        if isinstance(value, kind):
            return convert(value, path)
    if is_dataclass(value):
        return {
            each.name: stored_value(getattr(value, each.name), f"{path}.{each.name}")
            for each in fields(value)
        }
    try:
        plain = to_jsonable_python(value)
    except PydanticSerializationError:
        plain = _dump(value)
    if plain is value:
        raise unstorable_value(value, path)
    return stored_value(plain, path)


def _dump(value: Any) -> Any:
    """An object as its class serializes itself for Pydantic; the object itself if the class does not."""
    try:
        kind: Any = type(value)
        return _adapter(kind).dump_python(value, mode="json", round_trip=True, warnings="error")
    except (PydanticSchemaGenerationError, PydanticSerializationError):
        return value


@lru_cache(maxsize=100)
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def unstorable_value(value: Any, path: str) -> InvalidValue:
    """The error for a value that cannot be stored."""
    return InvalidValue(
        "entity-unstorable",
        f"{path}: {quote(value)} of type {type(value).__name__} cannot be stored.",
        fix="give the field a type that Pydantic can write as JSON, or leave it out of the entity.",
    )


def _model(value: BaseModel, path: str) -> Any:
    # RootModel is not imported: that takes a tenth of the time of `from pksk import Entity`.
    if type(value).__pydantic_root_model__:
        return stored_value(value.root, path)  # type: ignore[attr-defined]
    return {name: stored_value(member, f"{path}.{name}") for name, member in members_of(value)}


def members_of(value: BaseModel) -> Iterator[tuple[str, Any]]:
    """The fields of a model with their values, also those that a dump leaves out, and extra ones."""
    for name in type(value).__pydantic_fields__:
        yield name, getattr(value, name)
    yield from (value.__pydantic_extra__ or {}).items()


def _secret(value: SecretStr | SecretBytes | Secret[Any], path: str) -> Any:
    return stored_value(value.get_secret_value(), path)


_Convert = Callable[[Any, str], Any]

# Stored unchanged.
STORED_AS_IS: frozenset[type] = frozenset((str, int, bool, type(None), bytes, Decimal))

_BY_TYPE: dict[type, _Convert] = {
    **dict.fromkeys(STORED_AS_IS, _as_is),
    float: _float,
    list: _list,
    tuple: _list,
    dict: _dict,
    set: _set,
    frozenset: _set,
    datetime: _datetime,
    date: _text,
    time: _text,
    UUID: lambda value, _path: str(value),
}

_BY_BASE_TYPE: tuple[tuple[Any, _Convert], ...] = (
    # Python caches a Flag member that was first created from False, and then returns it for 0 too.
    (Flag, lambda value, _path: int(value.value)),
    (Enum, lambda value, path: stored_value(value.value, path)),
    (BaseModel, _model),
    ((SecretStr, SecretBytes, Secret), _secret),
    ((str, int, Decimal), _as_is),
    (float, _float),
    ((bytes, bytearray, memoryview), lambda value, _path: bytes(value)),
    (datetime, _datetime),
    ((date, time), _text),
    (Pattern, lambda value, _path: value.pattern),
    (PathLike, lambda value, _path: fspath(value)),
    (Mapping, _dict),
    (AbstractSet, _set),
    (Sequence, _list),
)
