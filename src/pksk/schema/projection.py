"""Projections: which attributes of an item are copied into an index."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, Final, Literal, TypeAlias

from pksk.errors import SchemaError, quote
from pksk.schema.options import attribute_name, check_choice
from pksk.schema.quotas import PROJECTED_PER_INDEX

Projection: TypeAlias = Literal["all", "keys"] | tuple[str, ...]


class All(Enum):
    """The type of `ALL`.

    Example:
        >>> ALL
        ALL
    """

    ALL = "all"

    def __repr__(self) -> str:
        return "ALL"


ALL: Final = All.ALL


def normalize_projection(where: str, declared: object) -> Projection:
    """A projection from a declaration: "all", "keys", or the attributes to add to the keys.

    The attributes are sorted by name, because their order has no meaning.
    """
    if isinstance(declared, str) or not isinstance(declared, Iterable):
        word = check_choice(
            where, "projection", declared, ["all", "keys"], or_else=", or a list of attributes"
        )
        return "all" if word == "all" else "keys"
    names = [attribute_name(f"{where}, projection", name) for name in declared]
    _reject_none(where, names)
    _reject_twice(where, names)
    _reject_many(where, names)
    return tuple(sorted(names))


def _reject_none(where: str, names: list[str]) -> None:
    if not names:
        raise SchemaError(
            "schema-projection-empty",
            f"{where}: projection is an empty list.",
            expected="A list names the attributes to copy in addition to the keys.",
            fix='write projection="keys" for only the keys, or "all".',
        )


def _reject_twice(where: str, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SchemaError(
            "schema-projection-duplicate",
            f"{where}: projection names attribute {quote(twice[0])} twice.",
            fix="name each attribute once.",
        )


def _reject_many(where: str, names: list[str]) -> None:
    if len(names) > PROJECTED_PER_INDEX:
        raise SchemaError(
            "schema-projection-count",
            f"{where}: projection names {len(names)} attributes.",
            expected=f"An index can name up to {PROJECTED_PER_INDEX}.",
            fix='write projection="all", or keep the small attributes in one map and project that.',
        )


def projection_to_wire(projection: Projection) -> dict[str, Any]:
    """The projection as CreateTable has it."""
    if isinstance(projection, tuple):
        return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(projection)}
    return {"ProjectionType": "ALL" if projection == "all" else "KEYS_ONLY"}


def projection_from_wire(wire: dict[str, Any]) -> str | list[str]:
    """The projection as people write it, from a request or a description."""
    kind = wire["ProjectionType"]
    if kind == "INCLUDE":
        return list(wire["NonKeyAttributes"])
    return str({"ALL": "all", "KEYS_ONLY": "keys"}.get(kind, kind))
