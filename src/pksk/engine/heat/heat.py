"""Consumed units by table, index, partition and key, as values and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from pksk.values import WireItem

__all__ = [
    "Heat",
    "KeyHeat",
    "PageHeat",
    "PartitionHeat",
    "TableHeat",
    "TrafficHeat",
    "VectorHeat",
    "heat_text",
    "key_text",
]


@dataclass(frozen=True, slots=True)
class KeyHeat:
    """A key that takes much: its units, and its share of all that its table or index has had."""

    key: WireItem
    units: float
    share: float


@dataclass(frozen=True, slots=True)
class TrafficHeat:
    """Reads or writes: units, calls, the hottest partition keys, and the hottest items that were called by key.

    A key's units are never too high, and too low by `error` at most; `error` is 0 until there are
    thousands of keys.
    """

    units: float = 0.0
    calls: int = 0
    keys: Sequence[KeyHeat] = ()
    items: Sequence[KeyHeat] = ()
    error: float = 0.0
    # The share of the hottest partition key; and what the busiest partition has had since the last split,
    # over the mean of all, 0 while that is too little to compare.
    top_share: float = 0.0
    skew: float = 0.0


@dataclass(frozen=True, slots=True)
class PageHeat:
    """Pages of scans, or of queries that went on to 1 MB: how many, their units, and whose they were."""

    calls: int = 0
    units: float = 0.0
    keys: Sequence[KeyHeat] = ()


@dataclass(frozen=True, slots=True)
class PartitionHeat:
    """What one partition has had since it is there."""

    number: int
    read_units: float
    write_units: float


@dataclass(frozen=True, slots=True)
class VectorHeat:
    """What was consumed of a vector index: searches and writes, and the bytes that each are billed by."""

    searches: int
    search_bytes: float
    writes: int
    write_bytes: float


@dataclass(frozen=True, slots=True)
class TableHeat:
    """What was consumed of a table's own items, or of one of its indexes.

    A local index has no partitions: it lies on those of its table. Vector indexes, which AWS bills by
    bytes, stand with their table.
    """

    name: str
    reads: TrafficHeat
    writes: TrafficHeat
    partitions: Sequence[PartitionHeat]
    scans: PageHeat
    unbounded: PageHeat
    indexes: Mapping[str, TableHeat] = field(default_factory=dict)
    vectors: Mapping[str, VectorHeat] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Heat:
    """What calls have consumed of each table since the engine was opened, or the heat was last reset.

    Example:
        >>> from pksk.engine import Engine
        >>> engine = Engine.open()
        >>> created = engine.call("CreateTable", {
        ...     "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
        ...     "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        ...     "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
        >>> for number in (7, 7, 7, 8):
        ...     put = engine.call("PutItem", {"TableName": "orders", "Item": {"pk": {"S": str(number)}}})
        >>> hottest = engine.heat().tables["orders"].writes.keys[0]
        >>> hottest.key, hottest.units, hottest.share
        ({'pk': {'S': '7'}}, 3.0, 0.75)
    """

    tables: Mapping[str, TableHeat]

    def text(self, keys: int = 5) -> str:
        """A short table of it, with so many keys of each kind.

        Example:
            >>> from pksk.engine import Engine
            >>> Engine.open().heat().text()
            'nothing was called'
        """
        return heat_text(self.tables, keys)

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON has it.

        Example:
            >>> from pksk.engine import Engine
            >>> Engine.open().heat().to_dict()
            {'tables': {}}
        """
        return asdict(self)

    def __str__(self) -> str:
        return self.text()


_LONGEST_KEY: Final = 48
# A mean that is exceeded by less is nothing to tell.
_LEAST_SKEW: Final = 1.5
# Nor is a key with a smaller share.
_LEAST_SHARE: Final = 0.01


def heat_text(tables: Mapping[str, TableHeat], keys: int) -> str:
    """All tables that were called, each with its indexes."""
    lines: list[str] = []
    for table in tables.values():
        for title, heat in (
            (table.name, table),
            *((f"{table.name} / {n}", i) for n, i in table.indexes.items()),
        ):
            if heat.reads.calls or heat.writes.calls:
                lines += ([""] if lines else []) + [title, *_table_lines(heat, keys)]
        for name, vectors in table.vectors.items():
            lines += ([""] if lines else []) + [f"{table.name} / {name}", *_vector_lines(vectors)]
    return "\n".join(lines) or "nothing was called"


def _table_lines(heat: TableHeat, keys: int) -> Iterator[str]:
    for verb, side in (("read", heat.reads), ("write", heat.writes)):
        if not side.calls:
            continue
        yield f"  {verb:<9} {_number_text(side.units)} units in {_count_text(side.calls, 'call')}"
        if side.skew >= _LEAST_SKEW:
            parts = len(heat.partitions)
            yield f"    skew    the busiest of {parts} partitions takes {side.skew:.1f} times the mean"
        yield from _key_lines("keys", side.keys[:keys])
        # Where a partition key has one item only, both lists are the same.
        if [each.units for each in side.items[:keys]] != [each.units for each in side.keys[:keys]]:
            yield from _key_lines("items", side.items[:keys])
    if heat.scans.calls:
        yield f"  scans     {_number_text(heat.scans.units)} units in {_count_text(heat.scans.calls, 'page')}"
    if heat.unbounded.calls:
        pages = _count_text(heat.unbounded.calls, "page")
        yield f"  queries   {_number_text(heat.unbounded.units)} units in {pages} that ended with 1 MB and no limit"
        yield from _key_lines("keys", heat.unbounded.keys[:keys])


def _vector_lines(heat: VectorHeat) -> Iterator[str]:
    for verb, size, calls in (
        ("search", heat.search_bytes, heat.searches),
        ("write", heat.write_bytes, heat.writes),
    ):
        if calls:
            yield f"  {verb:<9} {_number_text(size)} bytes of vectors in {_count_text(calls, 'call')}"


def _key_lines(title: str, hottest: Sequence[KeyHeat]) -> Iterator[str]:
    shown = [each for each in hottest if each.share >= _LEAST_SHARE]
    if hottest and not shown:
        yield f"    {title:<7} none takes {_LEAST_SHARE:.0%}"
    names = [key_text(each.key) for each in shown]
    width = max(map(len, names), default=0)
    for place, (name, each) in enumerate(zip(names, shown, strict=True)):
        yield f"    {title if not place else '':<7} {name:<{width}}  {_number_text(each.units):>8}  {each.share:6.1%}"


def key_text(key: WireItem) -> str:
    """A key in one line, such as pk=CUST#7 sk=ORDER#1."""
    text = " ".join(f"{name}={next(iter(value.values()))}" for name, value in key.items())
    if not text.isprintable():
        text = ascii(text)[1:-1]
    return text if len(text) <= _LONGEST_KEY else f"{text[: _LONGEST_KEY - 1]}…"


def _count_text(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _number_text(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")
