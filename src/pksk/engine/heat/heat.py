"""Heat: consumed units by table, index, partition and key, as values and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, field
from typing import Any, Final

from pksk.dataclass import dataclass
from pksk.values import WireItem


@dataclass(frozen=True, slots=True)
class KeyHeat:
    """A hot key: its units, and its share of all units of the table or index."""

    key: WireItem
    units: float
    share: float


@dataclass(frozen=True, slots=True)
class TrafficHeat:
    """Reads or writes: units, calls, the hottest partition keys, and the hottest items of calls by key.

    A key's units are never too high, and at most `error` too low; `error` is 0 until there are thousands
    of keys.
    """

    units: float = 0.0
    calls: int = 0
    keys: Sequence[KeyHeat] = ()
    items: Sequence[KeyHeat] = ()
    error: float = 0.0
    # The share of the hottest partition key; and the units of the busiest partition since the last split,
    # divided by the mean of all partitions. 0 while there are too few units to compare.
    top_share: float = 0.0
    skew: float = 0.0


@dataclass(frozen=True, slots=True)
class PageHeat:
    """Pages of scans, or of queries that reached 1 MB: their number, units, and partition keys."""

    calls: int = 0
    units: float = 0.0
    keys: Sequence[KeyHeat] = ()


@dataclass(frozen=True, slots=True)
class PartitionHeat:
    """The units of one partition since it was created."""

    number: int
    read_units: float
    write_units: float


@dataclass(frozen=True, slots=True)
class VectorHeat:
    """Searches of a vector index and writes to it, with the bytes that they are billed by."""

    searches: int
    search_bytes: float
    writes: int
    write_bytes: float


@dataclass(frozen=True, slots=True)
class TableHeat:
    """What calls consumed of a table's own items, or of one of its indexes.

    A local index has no partitions of its own. `full_pages` are the pages of queries that reached 1 MB
    without a `Limit`.
    """

    name: str
    reads: TrafficHeat
    writes: TrafficHeat
    partitions: Sequence[PartitionHeat]
    scans: PageHeat
    full_pages: PageHeat
    indexes: Mapping[str, TableHeat] = field(default_factory=dict)
    vectors: Mapping[str, VectorHeat] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Heat:
    """What calls consumed of each table since the engine was opened, or the heat was last reset.

    Example:
        >>> from pksk import Engine, Table
        >>> engine = Engine.open()
        >>> created = engine.call("CreateTable", Table("orders", sk=None).create_request())
        >>> for number in (7, 7, 7, 8):
        ...     put = engine.call("PutItem", {"TableName": "orders", "Item": {"pk": {"S": str(number)}}})
        >>> hottest = engine.heat().tables["orders"].writes.keys[0]
        >>> hottest.key, hottest.units, hottest.share
        ({'pk': {'S': '7'}}, 3.0, 0.75)
    """

    tables: Mapping[str, TableHeat]

    def text(self, keys: int = 5) -> str:
        """A short report, with at most `keys` keys in each list.

        Example:
            >>> from pksk.engine import Engine
            >>> Engine.open().heat().text()
            'no calls'
        """
        return _heat_text(self.tables, keys)

    def to_dict(self) -> dict[str, Any]:
        """All values, for JSON.

        Example:
            >>> from pksk.engine import Engine
            >>> Engine.open().heat().to_dict()
            {'tables': {}}
        """
        return asdict(self)

    def __str__(self) -> str:
        return self.text()


_LONGEST_KEY: Final = 48
# Less skew is not shown.
_LEAST_SKEW: Final = 1.5
# Keys with a smaller share are not shown.
_LEAST_SHARE: Final = 0.01


def _heat_text(tables: Mapping[str, TableHeat], keys: int) -> str:
    """All tables that had calls, each with its indexes."""
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
    return "\n".join(lines) or "no calls"


def _table_lines(heat: TableHeat, keys: int) -> Iterator[str]:
    for verb, side in (("read", heat.reads), ("write", heat.writes)):
        if not side.calls:
            continue
        yield f"  {verb:<9} {_number_text(side.units)} units in {_count_text(side.calls, 'call')}"
        if side.skew >= _LEAST_SKEW:
            parts = len(heat.partitions)
            yield f"    skew    the busiest of {parts} partitions takes {side.skew:.1f} times the mean"
        yield from _key_lines("keys", side.keys[:keys])
        # If each partition key has one item, both lists are equal.
        if [each.units for each in side.items[:keys]] != [each.units for each in side.keys[:keys]]:
            yield from _key_lines("items", side.items[:keys])
    if heat.scans.calls:
        yield f"  scans     {_number_text(heat.scans.units)} units in {_count_text(heat.scans.calls, 'page')}"
    if heat.full_pages.calls:
        pages = _count_text(heat.full_pages.calls, "page")
        yield f"  queries   {_number_text(heat.full_pages.units)} units in {pages} that reached 1 MB without a Limit"
        yield from _key_lines("keys", heat.full_pages.keys[:keys])


def _vector_lines(heat: VectorHeat) -> Iterator[str]:
    for verb, size, calls in (
        ("search", heat.search_bytes, heat.searches),
        ("write", heat.write_bytes, heat.writes),
    ):
        if calls:
            yield f"  {verb:<9} {_number_text(size)} bytes of vectors in {_count_text(calls, 'call')}"


def _key_lines(title: str, hottest: Sequence[KeyHeat]) -> Iterator[str]:
    visible = [each for each in hottest if each.share >= _LEAST_SHARE]
    if hottest and not visible:
        yield f"    {title:<7} all below {_LEAST_SHARE:.0%}"
    names = [key_text(each.key) for each in visible]
    width = max(map(len, names), default=0)
    for position, (name, each) in enumerate(zip(names, visible, strict=True)):
        label = "" if position else title
        yield f"    {label:<7} {name:<{width}}  {_number_text(each.units):>8}  {each.share:6.1%}"


def key_text(key: WireItem) -> str:
    """A key on one line, such as pk=CUST#7 sk=ORDER#1."""
    text = " ".join(f"{name}={next(iter(value.values()))}" for name, value in key.items())
    if not text.isprintable():
        text = ascii(text)[1:-1]
    return text if len(text) <= _LONGEST_KEY else f"{text[: _LONGEST_KEY - 1]}…"


def _count_text(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _number_text(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")
