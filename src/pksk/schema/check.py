"""What must hold between a table and its indexes, beyond what each must be by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.errors import SchemaError, quote
from pksk.schema.billing import Provisioned
from pksk.schema.discriminator import discriminator_clash
from pksk.schema.gsi import GSI
from pksk.schema.index import Index
from pksk.schema.quotas import PROJECTED_IN_ALL
from pksk.schema.vector_index import VectorIndex

if TYPE_CHECKING:
    from pksk.schema.table import Table

__all__ = ["check"]


def check(table: Table) -> None:
    """Refuses a table whose parts contradict each other.

    Example:
        >>> from pksk.schema import Table
        >>> check(Table("orders", indexes=[GSI("by-day", pk="day")]))
    """
    _check_types(table)
    _check_projected(table)
    _check_billing(table)
    _check_vectors(table)
    _check_ttl(table)
    _check_discriminator(table)


def _check_types(table: Table) -> None:
    first: dict[str, tuple[str, str]] = {}
    for index in (table.primary, *table.indexes):
        for attribute in index.typed:
            kind, place = first.setdefault(attribute.name, (attribute.type, _place(index)))
            if kind != attribute.type:
                raise SchemaError(
                    "schema-type-conflict",
                    f"{table}: attribute {quote(attribute.name)} is of type {kind} in {place}, "
                    f"and of type {attribute.type} in {_place(index)}.",
                    expected="An attribute has one type in the keys of a table and all its indexes.",
                    fix=f"write it alike in both, as {_written(kind, attribute.name)}, or use another attribute.",
                )


def _place(index: Index) -> str:
    return "the primary key" if index.kind == "table" else f"index {index.name!r}"


def _written(kind: str, name: str) -> str:
    return quote(name) if kind == "S" else f"{kind}({quote(name)})"


def _check_projected(table: Table) -> None:
    counts = {index.name: _projected_count(index) for index in table.indexes}
    total = sum(counts.values())
    if total > PROJECTED_IN_ALL:
        largest = max(counts, key=lambda name: counts[name])
        raise SchemaError(
            "schema-projection-count",
            f"{table}: its indexes name {total} projected attributes in all.",
            expected=f"A table has up to {PROJECTED_IN_ALL}; one that stands in two indexes counts twice.",
            fix=f'write projection="all" in one of the larger ones, such as {largest!r}.',
        )


def _projected_count(index: Index) -> int:
    """How many count toward the limit: those listed, and with them a vector and its filters."""
    if not isinstance(index.projection, tuple):
        return 0
    return len(index.projection) + (1 + len(index.filters) if isinstance(index, VectorIndex) else 0)


def _check_billing(table: Table) -> None:
    for index in table.indexes:
        if isinstance(index, VectorIndex) and isinstance(table.billing, Provisioned):
            raise SchemaError(
                "schema-vector-billing",
                f"{table}: it has provisioned capacity, and VectorIndex {index.name!r}.",
                expected="Vector indexes exist on tables with on-demand billing only.",
                fix='write billing="on-demand".',
            )
        if isinstance(index, GSI) and index.billing and type(index.billing) is not type(table.billing):
            raise SchemaError(
                "schema-index-billing",
                f"{table}: it is billed by {table.billing!r}, and GSI {index.name!r} by {index.billing!r}.",
                expected="A table and its indexes are all on demand, or all provisioned.",
                fix="leave billing out of the index, or give it the kind that the table has.",
            )


def _check_vectors(table: Table) -> None:
    sizes: dict[str, VectorIndex] = {}
    for index in table.indexes:
        if isinstance(index, VectorIndex):
            _check_vector_attribute(table, index)
            other = sizes.setdefault(index.attribute, index)
            if other.dimensions != index.dimensions:
                raise SchemaError(
                    "schema-vector-dimensions",
                    f"{table}: attribute {quote(index.attribute)} has {other.dimensions} dimensions "
                    f"in index {other.name!r}, and {index.dimensions} in index {index.name!r}.",
                    expected="All vector indexes on an attribute have the same number.",
                    fix="correct one of them, or store the other embedding in an attribute of its own.",
                )


def _check_vector_attribute(table: Table, vector: VectorIndex) -> None:
    for index in (table.primary, *table.indexes):
        if vector.attribute in {attribute.name for attribute in index.typed}:
            raise SchemaError(
                "schema-vector-attribute",
                f"{table}: attribute {quote(vector.attribute)} is the vector of index {vector.name!r}, "
                f"and a key or filter in {_place(index)}.",
                expected="A vector is a list of numbers; keys and filters are text, one number or binary.",
                fix="store the embedding in an attribute of its own.",
            )


def _check_ttl(table: Table) -> None:
    if table.ttl is None:
        return
    kind = table.attribute_types.get(table.ttl, "N")
    vectors = {index.attribute for index in table.indexes if isinstance(index, VectorIndex)}
    if kind != "N" or table.ttl in vectors:
        is_what = "a vector" if table.ttl in vectors else f"a key of type {kind}"
        raise SchemaError(
            "schema-ttl",
            f"{table}: the TTL attribute {quote(table.ttl)} is {is_what}.",
            expected="DynamoDB deletes items by a number: seconds since 1970. No item would ever expire.",
            fix=f"name another attribute, or declare the key as N({quote(table.ttl)}).",
        )


def _check_discriminator(table: Table) -> None:
    if table.discriminator is None:
        return
    clash = discriminator_clash(table.discriminator, table.ttl, (table.primary, *table.indexes))
    if clash:
        raise SchemaError(
            "schema-discriminator",
            f"{table}: the discriminator {quote(table.discriminator)} is also {clash}.",
            expected="The discriminator holds the name of an item's entity, a text.",
            fix='name another attribute, as in discriminator="entity", or None for none.',
        )
