"""What several engines have consumed, as one value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from pksk.values import WireItem

from .gather import SHOWN, skew
from .heat import Heat, KeyHeat, PagesHeat, PartitionHeat, SideHeat, TableHeat, VectorHeat

__all__ = ["merged"]

Part = TypeVar("Part")


def merged(heats: Iterable[Heat], keys: int = SHOWN) -> Heat:
    """All of these as one, with so many keys in each list; tables of the same name are one table.

    Example:
        >>> from pksk.engine import Engine
        >>> def heat_of_a_test() -> Heat:
        ...     engine = Engine.open()
        ...     created = engine.call("CreateTable", {
        ...         "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
        ...         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        ...         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
        ...     got = engine.call("GetItem", {"TableName": "orders", "Key": {"pk": {"S": "7"}}})
        ...     return engine.heat()
        >>> print(merged([heat_of_a_test(), heat_of_a_test()]))
        orders
          read      1 units in 2 calls
            keys    pk=7         1  100.0%
    """
    return Heat(_by_name([heat.tables for heat in heats], lambda parts: _table(parts, keys)))


def _by_name(mappings: Iterable[Mapping[str, Part]], merge: Callable[[list[Part]], Part]) -> dict[str, Part]:
    parts: defaultdict[str, list[Part]] = defaultdict(list)
    for mapping in mappings:
        for name, part in mapping.items():
            parts[name].append(part)
    return {name: merge(parts[name]) for name in sorted(parts)}


def _table(tables: list[TableHeat], keys: int) -> TableHeat:
    partitions, even = _partitions(tables)
    return TableHeat(
        tables[0].name,
        _side([table.reads for table in tables], [each.read_units for each in even], keys),
        _side([table.writes for table in tables], [each.write_units for each in even], keys),
        partitions,
        _pages([table.scans for table in tables], keys),
        _pages([table.unbounded for table in tables], keys),
        _by_name([table.indexes for table in tables], lambda parts: _table(parts, keys)),
        _by_name([table.vectors for table in tables], _vectors),
    )


def _partitions(tables: list[TableHeat]) -> tuple[tuple[PartitionHeat, ...], tuple[PartitionHeat, ...]]:
    """All partitions; and the same to compare, or none where tables have split in different ways."""
    reads: defaultdict[int, float] = defaultdict(float)
    writes: defaultdict[int, float] = defaultdict(float)
    for each in (each for table in tables for each in table.partitions):
        reads[each.number] += each.read_units
        writes[each.number] += each.write_units
    found = tuple(PartitionHeat(number, reads[number], writes[number]) for number in sorted(reads))
    return found, found if all(len(table.partitions) == len(found) for table in tables) else ()


def _side(sides: list[SideHeat], partitions: list[float], keys: int) -> SideHeat:
    units = sum(side.units for side in sides)
    hottest = _hottest([side.keys for side in sides], units, keys)
    return SideHeat(
        units,
        sum(side.calls for side in sides),
        hottest,
        _hottest([side.items for side in sides], units, keys),
        sides[0].error if len(sides) == 1 else sum(map(_error, sides)),
        hottest[0].share if hottest else 0.0,
        skew(partitions),
    )


def _error(side: SideHeat) -> float:
    """What a key may have had beyond what is told; one that stands in another list may be cut off here."""
    return side.error + max(each[-1].units if len(each) >= SHOWN else 0.0 for each in (side.keys, side.items))


def _pages(pages: list[PagesHeat], keys: int) -> PagesHeat:
    units = sum(each.units for each in pages)
    return PagesHeat(
        sum(each.calls for each in pages), units, _hottest([each.keys for each in pages], units, keys)
    )


def _vectors(uses: list[VectorHeat]) -> VectorHeat:
    return VectorHeat(
        sum(use.searches for use in uses),
        sum(use.search_bytes for use in uses),
        sum(use.writes for use in uses),
        sum(use.write_bytes for use in uses),
    )


def _hottest(lists: Iterable[Sequence[KeyHeat]], whole: float, keys: int) -> tuple[KeyHeat, ...]:
    units: dict[tuple[object, ...], float] = {}
    named: dict[tuple[object, ...], WireItem] = {}
    for each in (each for hottest in lists for each in hottest):
        name = tuple((attribute, *value.items()) for attribute, value in each.key.items())
        named.setdefault(name, each.key)
        units[name] = units.get(name, 0.0) + each.units
    # Equal ones in the order of their names, so that a report is the same each time.
    order = sorted(units, key=lambda name: (-units[name], repr(name)))[:keys]
    return tuple(KeyHeat(named[name], units[name], units[name] / whole if whole else 0.0) for name in order)
