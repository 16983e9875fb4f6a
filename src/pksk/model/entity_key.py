"""A key of one entity: the templates of its attributes, its write shards, and when an item has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from hashlib import blake2b
from random import randrange
from typing import TYPE_CHECKING, Any

from pksk.dataclass import dataclass
from pksk.errors import TemplateError, quote
from pksk.keys import ScalarKey, Template
from pksk.keys.key_pair import KeyPair
from pksk.keys.template import Codec
from pksk.model.storing.stored_value import stored_value
from pksk.values import to_wire

if TYPE_CHECKING:
    from typing import Protocol

    from pksk.expressions import Condition
    from pksk.model.planning.key_plan import QueryShape

    class KeySource(Protocol):
        """A `Key` as its author wrote it. Type checkers would apply the `__get__` of a field of type `Key`."""

        owner: type | None
        pk: tuple[str, ...]
        sk: tuple[str, ...]
        index: str | None
        codec: Codec
        single_item: bool
        assigned_later: tuple[str, ...]
        identity: tuple[str, ...]
        one_per_bucket: tuple[str, ...]


# The name that a template uses for the number of the shard.
SHARD_FIELD = "shard"


@dataclass(frozen=True, slots=True)
class Shard:
    """How many shards there are, and the field that decides the shard; without `of` it is random.

    Example:
        >>> Shard(4, of="order_id").number({"order_id": "o-1"}) == Shard(4, of="order_id").number({"order_id": "o-1"})
        True
    """

    count: int
    of: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int) or not 2 <= self.count <= 1000:
            raise TemplateError(
                "key-shard",
                f"Shard({self.count!r}): the number of shards must be from 2 to 1000.",
                fix="choose as many as the peak rate divided by 1,000 writes a second needs, for example Shard(4).",
            )
        if self.of is not None and not isinstance(self.of, str):
            raise TemplateError(
                "key-shard",
                f"Shard({self.count}, of={quote(self.of)}): of must be the name of one field.",
                fix="name a field: of='order_id'. For several, name a computed field that joins them.",
            )

    def number(self, values: dict[str, Any]) -> int:
        """The shard of an item with these values; the same in every process, and for equal values.

        Example:
            >>> Shard(9, of="n").number({"n": Decimal("1.00")}) == Shard(9, of="n").number({"n": 1})
            True
        """
        # Imported here: a design loads faster without them, and most have no shards.

        if self.of is None:
            return randrange(self.count)
        digest = blake2b(_hash_text(values[self.of], self.of).encode(), digest_size=8).digest()
        return int.from_bytes(digest) % self.count


def _hash_text(value: Any, path: str) -> str:
    """One text for all values that are equal, however they are written."""
    if isinstance(value, datetime) and value.utcoffset() is not None:
        return repr(value.astimezone(UTC).isoformat())
    plain = stored_value(value, path)
    if isinstance(plain, (set, list, tuple)):
        parts = [_hash_text(each, path) for each in plain]
        ordered = isinstance(plain, (list, tuple)) and not isinstance(value, (set, frozenset))
        return f"[{', '.join(parts if ordered else sorted(parts))}]"
    if isinstance(plain, dict):
        return (
            f"{{{', '.join(sorted(f'{name!r}: {_hash_text(each, path)}' for name, each in plain.items()))}}}"
        )
    # As DynamoDB writes it: 1 and 1.00 are one number.
    return str(to_wire(plain)["N"]) if isinstance(plain, Decimal) else repr(plain)


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

    `source` is the descriptor that the author wrote; entities that inherit it from one class share their key.
    """

    name: str
    index: str | None
    partition: tuple[KeyPart, ...]
    sort: tuple[KeyPart, ...]
    source: KeySource
    shard: Shard | None = None
    when: Condition | None = None
    disjoint: str = ""

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
    def query_shapes(self) -> dict[tuple[tuple[str, bool], ...], QueryShape]:
        """The shapes of queries on this key that were planned before."""
        return {}

    @cached_property
    def plain_query_shapes(self) -> dict[tuple[str, ...], QueryShape]:
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
    """The fields whose whole value is in these key attributes; of others they hold a part, such as the year."""
    names: set[str] = set()
    for part in parts:
        if isinstance(part.writer, ScalarKey):
            names.add(part.writer.field)
        else:
            names.update(each.field for each in part.writer.parts if not each.lossy)
    return names
