"""The type of a field, from its annotation or from the format in a template."""

from __future__ import annotations

import re
from dataclasses import replace
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pksk.keys.parse import Placeholder
from pksk.keys.parts.part import FieldType
from pksk.keys.parts.part_types import NAMED_TYPES


def field_type(annotation: Any) -> FieldType:
    """The type that an annotation declares.

    Example:
        >>> field_type(Annotated[int | None, "anything"])
        FieldType(type=<class 'int'>, min_length=0, max_length=None, optional=True)
    """
    if isinstance(annotation, str) and annotation in NAMED_TYPES:
        return FieldType(NAMED_TYPES[annotation])
    if annotation in ("ULID", "ulid"):
        return FieldType(_ulid_class())
    if hasattr(annotation, "__supertype__"):
        return field_type(annotation.__supertype__)
    if type(annotation).__name__ == "TypeAliasType":
        return field_type(annotation.__value__)
    if get_origin(annotation) is Annotated:
        return _with_lengths(*get_args(annotation))
    if get_origin(annotation) in (Union, UnionType):
        members = get_args(annotation)
        kinds = [kind for kind in members if kind is not NoneType]
        inner = field_type(kinds[0]) if len(kinds) == 1 else FieldType(annotation)
        return replace(inner, optional=inner.optional or NoneType in members)
    return FieldType(annotation)


def _with_lengths(kind: Any, *metadata: Any) -> FieldType:
    inner = field_type(kind)
    min_length, max_length = inner.min_length, inner.max_length
    for each in metadata:
        min_length = max(min_length, getattr(each, "min_length", None) or 0)
        limits = [limit for limit in (max_length, getattr(each, "max_length", None)) if limit is not None]
        max_length = min(limits, default=None)
    return FieldType(inner.type, min_length, max_length, inner.optional)


def _ulid_class() -> Any:
    from ulid import ULID

    return ULID


def guess_types(pieces: tuple[str | Placeholder, ...]) -> dict[str, Any]:
    """The types of fields without a declaration: text, unless the format is for numbers or times."""
    kinds: dict[str, Any] = {}
    for piece in pieces:
        if isinstance(piece, Placeholder):
            kinds[piece.field] = _guess_type(piece.spec) if piece.spec else kinds.get(piece.field, "str")
    return kinds


def _guess_type(spec: str) -> str:
    if re.fullmatch(r"[^%/]*d", spec):
        return "int"
    if re.fullmatch(r"[^%/]*f", spec):
        return "Decimal"
    if "%" in spec:
        return "datetime" if re.search("%[HMSf]", spec) else "date"
    return "bool" if "/" in spec else "str"
