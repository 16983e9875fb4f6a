"""Checks what indexes project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pksk.engine.faults import validation
from pksk.engine.texts import indexes as texts
from pksk.schema.quotas import PROJECTED_IN_ALL

__all__ = ["check_projected", "check_projection"]

_KINDS: Final = frozenset({"ALL", "KEYS_ONLY", "INCLUDE"})


def check_projection(projection: Mapping[str, Any]) -> None:
    """Check one projection: its type, and the attributes that it names."""
    kind = projection.get("ProjectionType")
    if kind not in _KINDS:
        raise validation(texts.unknown_projection(kind))
    names = projection.get("NonKeyAttributes")
    if kind == "INCLUDE":
        if not names:
            raise validation(texts.projected_missing(kind))
        if len(set(names)) < len(names):
            raise validation(texts.PROJECTED_TWICE)
    elif names is not None:
        raise validation(texts.projected_refused(kind))


def check_projected(indexes: Iterable[Mapping[str, Any]]) -> None:
    """Check how many attributes all indexes of a table name together."""
    if sum(len(index["Projection"].get("NonKeyAttributes", ())) for index in indexes) > PROJECTED_IN_ALL:
        raise validation(texts.too_many_projected(PROJECTED_IN_ALL))
