"""Compares tables: whether two declarations are the same, and how a declared table differs from an existing one."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import TYPE_CHECKING

from pksk.schema.index import GSI, Index
from pksk.schema.key_attribute import key_repr
from pksk.schema.settings import may_be_same_key
from pksk.schema.vector_index import VectorIndex

if TYPE_CHECKING:
    from pksk.schema.table import Table


def table_identity(table: Table) -> tuple[object, ...]:
    """What makes tables equal: all of CreateTable, and the discriminator; indexes in any order."""
    request = table.create_request()
    members = [member for member in request if member.endswith("Indexes")]
    in_order = {member: sorted(request[member], key=itemgetter("IndexName")) for member in members}
    return request | in_order, table.ttl, table.discriminator


def differences(declared: Table, existing: Table, *, ttl: bool = True) -> list[str]:
    """One line for each difference; `ttl` says whether the TTL of the existing table is known."""
    lines = [*_of_table(declared, existing)]
    if ttl:
        lines += _line("ttl", declared.ttl, existing.ttl)
    return [*lines, *_of_indexes(declared, existing)]


def _of_table(declared: Table, existing: Table) -> Iterator[str]:
    yield from _line("name", declared.name, existing.name)
    yield from _of_keys("", declared.primary, existing.primary)
    yield from _line("billing", declared.billing, existing.billing)
    yield from _line("stream", declared.stream, existing.stream)
    yield from _line("table_class", declared.table_class, existing.table_class)
    yield from _line("deletion_protection", declared.deletion_protection, existing.deletion_protection)
    if not may_be_same_key(declared.encryption, existing.encryption):
        yield from _line("encryption", declared.encryption, existing.encryption)


def _of_indexes(declared: Table, existing: Table) -> Iterator[str]:
    ours = {index.name: index for index in declared.indexes}
    theirs = {index.name: index for index in existing.indexes}
    for name, index in ours.items():
        if name in theirs:
            yield from _of_index(index, theirs[name], declared, existing)
        else:
            yield f"index {name!r}: declared, the table lacks it"
    for name in [name for name in theirs if name not in ours]:
        yield f"index {name!r}: not declared, the table has it"


def _of_index(ours: Index, theirs: Index, declared: Table, existing: Table) -> Iterator[str]:
    where = f"index {ours.name!r} "
    if type(ours) is not type(theirs):
        yield f"{where}kind: declared {ours.kind}, the table has {theirs.kind}"
        return
    yield from _of_keys(where, ours, theirs)
    yield from _line(f"{where}projection", ours.projection, theirs.projection)
    if isinstance(ours, GSI) and isinstance(theirs, GSI) and type(declared.billing) is type(existing.billing):
        yield from _line(f"{where}billing", declared.billing_of(ours), existing.billing_of(theirs))
    if isinstance(ours, VectorIndex) and isinstance(theirs, VectorIndex):
        for option in ("attribute", "dimensions", "distance", "filters"):
            yield from _line(where + option, getattr(ours, option), getattr(theirs, option))


def _of_keys(where: str, ours: Index, theirs: Index) -> Iterator[str]:
    yield from _line(f"{where}pk", key_repr(ours.partition_key), key_repr(theirs.partition_key))
    yield from _line(f"{where}sk", key_repr(ours.sort_key), key_repr(theirs.sort_key))


def _line(what: str, ours: object, theirs: object) -> Iterator[str]:
    if ours != theirs:
        yield f"{what}: declared {ours!r}, the table has {theirs!r}"
