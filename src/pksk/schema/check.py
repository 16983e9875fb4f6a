"""Checks a table and its indexes against each other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from pksk.errors import SchemaError, quote
from pksk.schema.index import GSI, LSI, Index
from pksk.schema.quotas import GSI_COUNT, LSI_COUNT, PROJECTED_IN_ALL, VECTOR_INDEX_COUNT
from pksk.schema.settings import Provisioned
from pksk.schema.vector_index import VectorIndex

if TYPE_CHECKING:
    from pksk.schema.table import Table


def discriminator_conflict(attribute: str, ttl: str | None, indexes: Iterable[Index]) -> str:
    """The other use of the attribute, which conflicts with the discriminator; empty if there is none."""
    if attribute == ttl:
        return "the TTL attribute, a number"
    return next(filter(None, (_index_conflict(index, attribute) for index in indexes)), "")


def _index_conflict(index: Index, attribute: str) -> str:
    if index.kind == "table" and attribute in index.keys:
        return "part of the primary key"
    if isinstance(index, VectorIndex) and index.attribute == attribute:
        return f"the vector of index {index.name!r}"
    types = {part.name: part.type for part in index.typed_attributes}
    wrong = types.get(attribute, "S") != "S"
    return f"a key of type {types[attribute]} in index {index.name!r}" if wrong else ""


_INDEX_LIMITS: Final = {
    GSI: ("global secondary indexes", GSI_COUNT),
    LSI: ("local secondary indexes", LSI_COUNT),
    VectorIndex: ("vector indexes", VECTOR_INDEX_COUNT),
}


def normalize_indexes(where: str, declared: Any) -> tuple[Any, ...]:
    """The indexes as a tuple, from any collection."""
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
    """Raise an error for a list of indexes that no table can have."""
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
                f"{where}: it has no sort key, but LSI {index.name!r} needs one.",
                expected="An LSI sorts the items of a partition; without a sort key, a partition is one item.",
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
    for kind, (plural, most) in _INDEX_LIMITS.items():
        count = sum(isinstance(index, kind) for index in indexes)
        if count > most:
            raise SchemaError(
                "schema-index-count",
                f"{where}: it has {count} {plural}.",
                expected=f"A table has up to {most}.",
                fix="share indexes between entities, with different keys in the same attributes.",
            )


def check_table(table: Table) -> None:
    """Raise an error for a table whose parts contradict each other."""
    _check_types(table)
    _check_projected(table)
    _check_billing(table)
    _check_vectors(table)
    _check_ttl(table)
    _check_discriminator(table)


def _check_types(table: Table) -> None:
    first: dict[str, tuple[str, str]] = {}
    for index in (table.primary, *table.indexes):
        for attribute in index.typed_attributes:
            kind, label = first.setdefault(attribute.name, (attribute.type, _index_label(index)))
            if kind != attribute.type:
                raise SchemaError(
                    "schema-type-conflict",
                    f"{table}: attribute {quote(attribute.name)} is of type {kind} in {label}, "
                    f"and of type {attribute.type} in {_index_label(index)}.",
                    expected="An attribute has one type in the keys of a table and all its indexes.",
                    fix=f"write it as {_attribute_repr(kind, attribute.name)} in both, or use another attribute.",
                )


def _index_label(index: Index) -> str:
    return "the primary key" if index.kind == "table" else f"index {index.name!r}"


def _attribute_repr(kind: str, name: str) -> str:
    return quote(name) if kind == "S" else f"{kind}({quote(name)})"


def _check_projected(table: Table) -> None:
    counts = {index.name: _projected_count(index) for index in table.indexes}
    total = sum(counts.values())
    if total > PROJECTED_IN_ALL:
        largest = max(counts, key=lambda name: counts[name])
        raise SchemaError(
            "schema-projection-count",
            f"{table}: its indexes name {total} projected attributes in all.",
            expected=f"A table has up to {PROJECTED_IN_ALL}; one in two indexes counts twice.",
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
                f"{table}: it has provisioned capacity, but VectorIndex {index.name!r} needs on-demand billing.",
                expected="Only tables with on-demand billing can have vector indexes.",
                fix='write billing="on-demand".',
            )
        if isinstance(index, GSI) and index.billing and type(index.billing) is not type(table.billing):
            raise SchemaError(
                "schema-index-billing",
                f"{table}: it has billing={table.billing!r}, but GSI {index.name!r} has billing={index.billing!r}.",
                expected="A table and its indexes are all on demand, or all provisioned.",
                fix="leave billing out of the index, or use the billing mode of the table.",
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
        if vector.attribute in {attribute.name for attribute in index.typed_attributes}:
            raise SchemaError(
                "schema-vector-attribute",
                f"{table}: attribute {quote(vector.attribute)} is the vector of index {vector.name!r}, "
                f"and a key or filter in {_index_label(index)}.",
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
            expected="The TTL is a number, in seconds since 1970; with any other type no item expires.",
            fix=f"name another attribute, or declare the key as N({quote(table.ttl)}).",
        )


def _check_discriminator(table: Table) -> None:
    if table.discriminator is None:
        return
    clash = discriminator_conflict(table.discriminator, table.ttl, (table.primary, *table.indexes))
    if clash:
        raise SchemaError(
            "schema-discriminator",
            f"{table}: the discriminator {quote(table.discriminator)} is also {clash}.",
            expected="The discriminator holds the name of an item's entity, a text.",
            fix='name another attribute, as in discriminator="entity", or None for none.',
        )
