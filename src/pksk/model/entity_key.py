"""A key of one entity: the templates of its attributes in a table or an index, and when an item has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.dataclass import dataclass
from pksk.keys import ScalarKey, Template
from pksk.model.shard import SHARD_FIELD, Shard

if TYPE_CHECKING:
    from pksk.keys.key_pair import KeyPair


@dataclass(frozen=True)
class KeyPart:
    """One key attribute and what writes it."""

    attribute: str
    writer: Template | ScalarKey

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the attribute is made of."""
        return self.writer.fields


@dataclass(frozen=True)
class EntityKey:
    """The key attributes of an entity in one index; `index` is None for the table itself.

    `source` is the descriptor that the author wrote; entities that inherit one from the same class are a family.
    """

    name: str
    index: str | None
    partition: tuple[KeyPart, ...]
    sort: tuple[KeyPart, ...]
    shard: Shard | None = None
    when: Any = None
    disjoint: str = ""
    source: Any = None

    @property
    def parts(self) -> tuple[KeyPart, ...]:
        """All key attributes, the partition's first."""
        return self.partition + self.sort

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields that the key is made of, in order, without the shard."""
        names = dict.fromkeys(name for part in self.parts for name in part.fields)
        return tuple(name for name in names if name != SHARD_FIELD)

    @cached_property
    def query_shapes(self) -> dict[Any, Any]:
        """The shapes of queries on this key that were planned before."""
        return {}

    @cached_property
    def plain_query_shapes(self) -> dict[tuple[str, ...], Any]:
        """Those of them that have plain values only, and name one partition: by the names of the fields alone."""
        return {}

    @cached_property
    def partition_fields(self) -> tuple[str, ...]:
        """The fields that decide the partition, without the shard."""
        names = dict.fromkeys(name for part in self.partition for name in part.fields)
        return tuple(name for name in names if name != SHARD_FIELD)

    @cached_property
    def partial_fields(self) -> frozenset[str]:
        """The fields that the partition key holds only in part."""
        return frozenset(self.partition_fields) - whole_fields(self.partition)

    @cached_property
    def pair(self) -> KeyPair:
        """The key of a table as a pair, which has one attribute in its partition key and at most one to sort by."""
        from pksk.keys.key_pair import KeyPair

        return KeyPair(*(part.writer for part in self.parts))

    def render(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The key attributes of an item with these values, by name."""
        if self.shard:
            values = {**values, SHARD_FIELD: self.shard.number(dict(values))}
        return {part.attribute: part.writer.render(values) for part in self.parts}

    def absent(self, values: Mapping[str, Any]) -> bool:
        """Whether a source of the key has no value, so that the item is not in the index."""
        return any(values.get(field) is None for field in self.fields)


def whole_fields(parts: Iterable[KeyPart]) -> set[str]:
    """The fields whose value these key attributes tell entirely; of others they hold a piece, such as the year."""
    found: set[str] = set()
    for part in parts:
        if isinstance(part.writer, ScalarKey):
            found.add(part.writer.field)
        else:
            found.update(each.field for each in part.writer.parts if not each.lossy)
    return found
