"""Reads the annotation of a field: the type behind Annotated, Optional, NewType and aliases."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin
from uuid import UUID

__all__ = ["NAMED_TYPES", "Declared", "declared", "name_of"]

NAMED_TYPES: dict[str, Any] = {
    "str": str,
    "int": int,
    "Decimal": Decimal,
    "decimal": Decimal,
    "date": date,
    "datetime": datetime,
    "UUID": UUID,
    "uuid": UUID,
    "bool": bool,
    "bytes": bytes,
    "float": float,
}


@dataclass(frozen=True, slots=True)
class Declared:
    """The type of a field, how long its values may be, and whether it may be None."""

    kind: Any
    least: int = 0
    most: int | None = None
    optional: bool = False


def declared(annotation: Any) -> Declared:
    """What an annotation declares.

    Example:
        >>> declared(Annotated[int | None, "anything"])
        Declared(kind=<class 'int'>, least=0, most=None, optional=True)
    """
    if isinstance(annotation, str) and annotation in NAMED_TYPES:
        return Declared(NAMED_TYPES[annotation])
    if annotation in ("ULID", "ulid"):
        return Declared(_ulid())
    if hasattr(annotation, "__supertype__"):
        return declared(annotation.__supertype__)
    if type(annotation).__name__ == "TypeAliasType":
        return declared(annotation.__value__)
    if get_origin(annotation) is Annotated:
        return _with_lengths(*get_args(annotation))
    if get_origin(annotation) in (Union, UnionType):
        members = get_args(annotation)
        kinds = [kind for kind in members if kind is not NoneType]
        inner = declared(kinds[0]) if len(kinds) == 1 else Declared(annotation)
        return replace(inner, optional=inner.optional or NoneType in members)
    return Declared(annotation)


def _with_lengths(kind: Any, *metadata: Any) -> Declared:
    inner = declared(kind)
    least, most = inner.least, inner.most
    for each in metadata:
        least = max(least, getattr(each, "min_length", None) or 0)
        limits = [limit for limit in (most, getattr(each, "max_length", None)) if limit is not None]
        most = min(limits, default=None)
    return Declared(inner.kind, least, most, inner.optional)


def _ulid() -> Any:
    from ulid import ULID

    return ULID


def name_of(annotation: Any) -> str:
    """The name of a type for messages."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation).removeprefix("typing.")
