"""Checks keys on vector indexes: what they may say, and that the entity has the vector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

from pksk.errors import DesignError

if TYPE_CHECKING:
    from pksk.model.declaring.attributes import Field
    from pksk.model.key import Key
    from pksk.schema import Table, VectorIndex

__all__ = ["check_vector_key", "written_attributes"]


def check_vector_key(where: str, key: Key, index: VectorIndex, fields: Mapping[str, Field]) -> None:
    """Refuse a key that a vector index cannot have, or of an entity that is never in the index."""
    if key.sk:
        _refuse(
            where, f"index {index.name!r} is a vector index, which has no sort key.",
            fix=f"leave {key.sk[0]!r} out; what searches ask to equal a value is in the filters= of the index.",
        )  # fmt: skip
    if key.shard:
        _refuse(
            where, f"index {index.name!r} is a vector index, and the key has shards.",
            expected="A search looks into one part of the index, and would miss all other shards.",
            fix="leave shard= out.",
        )  # fmt: skip
    if not any(each.attribute == index.attribute and not each.computed for each in fields.values()):
        _refuse(
            where,
            f"index {index.name!r} finds items by the vector in attribute {index.attribute!r}, "
            "which no field is stored as.",
            expected="An item without the vector is not in the index.",
            fix=f"declare the field {index.attribute}: list[float], or store the one that is meant as "
            f"Attribute({index.attribute!r}).",
        )  # fmt: skip


def _refuse(where: str, problem: str, *, expected: str = "", fix: str) -> NoReturn:
    raise DesignError("entity-key-vector", f"{where}: {problem}", expected=expected, fix=fix)


def written_attributes(key: Key, index: VectorIndex, table: Table) -> tuple[str, ...]:
    """The attributes that the key writes; the discriminator, which every item has, may be left to the entity."""
    told = not key.pk and index.partition == (table.discriminator,)
    return () if told else index.partition
