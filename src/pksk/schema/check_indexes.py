"""What a list of indexes must be before a table can have them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pksk.errors import SchemaError, quote
from pksk.schema.gsi import GSI
from pksk.schema.lsi import LSI
from pksk.schema.quotas import GSI_COUNT, LSI_COUNT, VECTOR_INDEX_COUNT
from pksk.schema.vector_index import VectorIndex

__all__ = ["check_indexes", "listed_indexes"]

_COUNTS: Final = {
    GSI: ("global secondary indexes", GSI_COUNT),
    LSI: ("local secondary indexes", LSI_COUNT),
    VectorIndex: ("vector indexes", VECTOR_INDEX_COUNT),
}


def listed_indexes(where: str, declared: Any) -> tuple[Any, ...]:
    """The indexes as a tuple, from a list or anything else that holds several.

    Example:
        >>> listed_indexes("Table 'orders'", [GSI("by-day", pk="day")])
        (GSI('by-day', pk='day'),)
    """
    if isinstance(declared, Iterable):
        return tuple(declared)
    raise SchemaError(
        "schema-index",
        f"{where}: indexes={quote(declared)} is not a list.",
        expected="indexes is a list of GSI(...), LSI(...) and VectorIndex(...).",
        fix=f"write indexes=[{declared!r}]."
        if isinstance(declared, GSI | LSI | VectorIndex)
        else 'write indexes=[GSI("by-email", pk="email")], for example.',
    )


def check_indexes(where: str, indexes: tuple[object, ...], *, sorted_table: bool) -> None:
    """Refuses a list of indexes that no table can have.

    Example:
        >>> check_indexes("Table 'orders'", (GSI("by-day", pk="day"),), sorted_table=False)
    """
    for index in indexes:
        if not isinstance(index, GSI | LSI | VectorIndex):
            raise SchemaError(
                "schema-index",
                f"{where}: {quote(index)} is not an index.",
                expected="indexes is a list of GSI(...), LSI(...) and VectorIndex(...).",
                fix='write indexes=[GSI("by-email", pk="email")], for example.',
            )
        if isinstance(index, LSI) and not sorted_table:
            raise SchemaError(
                "schema-lsi-sort-key",
                f"{where}: it has no sort key, and LSI {index.name!r} needs one.",
                expected="A local secondary index sorts a partition anew; here each partition is one item.",
                fix="give the table a sort key, or use a GSI.",
            )
    _check_names(where, [index.name for index in indexes if isinstance(index, GSI | LSI | VectorIndex)])
    _check_counts(where, indexes)


def _check_names(where: str, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SchemaError(
            "schema-index-duplicate",
            f"{where}: two indexes have the name {twice[0]!r}.",
            fix="give each index of a table its own name.",
        )


def _check_counts(where: str, indexes: tuple[object, ...]) -> None:
    for kind, (plural, most) in _COUNTS.items():
        count = sum(isinstance(index, kind) for index in indexes)
        if count > most:
            raise SchemaError(
                "schema-index-count",
                f"{where}: it has {count} {plural}.",
                expected=f"A table has up to {most}.",
                fix="let entities share indexes, each with keys of its own in the same attributes.",
            )
