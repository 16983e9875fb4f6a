"""The items of an entity, collected for the page of a map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, cast

from pksk.cells import GEOHASH, CellStatistics, encode
from pksk.cells.coordinates import check_position
from pksk.errors import InvalidValue, quote
from pksk.geo.map_keys import KeyCandidates
from pksk.geo.map_page import MOST_CELLS, MOST_POINTS, MapCell, MapKeys, MapPage, MapPoint
from pksk.geo.map_source import MapSource
from pksk.values import item_size

if TYPE_CHECKING:
    from pksk.cells import Box
    from pksk.model import Entity
    from pksk.model.entity_key import EntityKey
    from pksk.values import WireItem

_NAMES: Final = ("name", "title", "label")
# Points that are too many for a page become cells of this level, which are as large as a house.
_POINT_LEVEL: Final = 8
# The average is good enough beyond this, and the page stays small.
_MOST_PARTITIONS: Final = 5_000


class MapItems:
    """The items of an entity, added one by one; the size of the page stays bounded, and `notes` say how.

    If there are too many cells, those of one level are added up to larger cells, and of several levels the smallest are
    left out. If there are too many points, they are added up to cells.
    """

    def __init__(
        self, source: MapSource, values: Sequence[str], key: EntityKey | None = None, *,
        most_cells: int = MOST_CELLS, most_points: int = MOST_POINTS,
    ) -> None:  # fmt: skip
        self.source, self.values = source, values
        self.items = 0
        self._most_cells, self._most_points = most_cells, most_points
        self._key = key or _key_with_cell(source)
        self._candidates = KeyCandidates()
        # For each level of stored cells: the level that they are shown at, and totals and counts by cell.
        self._shown: dict[int, int] = {}
        self._cells: dict[int, dict[str, list[float]]] = {}
        self._bytes: Counter[int] = Counter()
        self._counts: Counter[int] = Counter()
        self._in_partitions: dict[int, Counter[str]] = {}
        self._points: list[MapPoint] = []
        self._points_become_cells = False
        self._left_out = 0
        self._first_left_out = ""

    def add(self, entity: Entity, item: WireItem) -> None:
        """Add an item, as an entity and as it is stored."""
        value = _value(entity, self.values)
        self.items += 1
        if self.source.position is None:
            cell = _cell(entity, self.source.cell)
            if cell is None:
                self._leave_out(entity, item)
            else:
                self._add_cell(cell, value, item)
            return
        position = _position(entity, self.source.position)
        if position is None:
            self._leave_out(entity, item)
        elif self._points_become_cells:
            self._add(encode(*position, _POINT_LEVEL), value)
        else:
            self._add_point(position, _label(entity, self.source, item), value)

    def _leave_out(self, entity: Entity, item: WireItem) -> None:
        self._left_out += 1
        self._first_left_out = self._first_left_out or _label(entity, self.source, item)

    def _add_point(self, position: tuple[float, float], label: str, value: float) -> None:
        self._points.append(MapPoint(*position, label, value if self.values else None))
        if len(self._points) > self._most_points:
            self._points_become_cells = True
            for each in self._points:
                self._add(encode(each.lat, each.lng, _POINT_LEVEL), 1.0 if each.value is None else each.value)
            self._points.clear()

    def _add_cell(self, cell: str, value: float, item: WireItem) -> None:
        level = len(cell)
        self._bytes[level] += item_size(item)
        self._counts[level] += 1
        if self._key is not None:
            found = _key_texts(self._key, item)
            if found is None:
                self._key = None
            else:
                self._candidates.add(*found, cell)
                self._in_partitions.setdefault(level, Counter())[found[0]] += 1
        self._add(cell, value)

    def _add(self, cell: str, value: float) -> None:
        level = len(cell)
        shown = self._shown.setdefault(level, level)
        if not shown:
            return
        sums = self._cells.setdefault(level, {}).setdefault(cell[:shown], [0.0, 0])
        sums[0] += value
        sums[1] += 1
        while sum(map(len, self._cells.values())) > self._most_cells:
            self._reduce()

    def _reduce(self) -> None:
        level = max(level for level, cells in self._cells.items() if cells)
        if len([each for each in self._cells.values() if each]) > 1:
            self._shown[level] = 0
            self._cells[level] = {}
            return
        self._shown[level] -= 1
        larger: dict[str, list[float]] = {}
        for cell, (total, count) in self._cells[level].items():
            sums = larger.setdefault(cell[: self._shown[level]], [0.0, 0])
            sums[0] += total
            sums[1] += count
        self._cells[level] = larger

    def page(
        self, title: str, *, notes: Sequence[str] = (), average: bool = False, view: Box | None = None
    ) -> MapPage:
        """The page of the items so far."""
        keys = self._candidates.keys(self._names()) if self._key is not None else None
        cells = [
            MapCell(cell, total, int(count))
            for each in self._cells.values()
            for cell, (total, count) in each.items()
        ]
        return MapPage(
            title,
            cells=cells,
            points=self._points,
            value_name=" + ".join(self.values) or "items",
            average=average,
            keys=keys,
            statistics={} if keys is None else dict(self._statistics(keys)),
            stored_level=max(self._counts, default=None),
            notes=[*notes, *self.notes(), *self._key_notes(keys)],
            view=view,
        )

    def notes(self) -> Iterator[str]:
        """What the page does not show as it is stored."""
        if self._left_out:
            yield (
                f"Items without a position on the Earth are left out: {self._left_out:,}, "
                f"the first is {quote(self._first_left_out)}."
            )
        if self._points_become_cells:
            yield f"{self.items:,} points are too many for one page: they are added up to cells."
        for level, shown in sorted(self._shown.items()):
            if not shown:
                yield f"Cells of level {level} are left out: there are too many for one page."
            elif shown < level:
                yield f"There are too many cells of level {level} for one page: they are added up to level {shown}."

    def _key_notes(self, keys: MapKeys | None) -> Iterator[str]:
        if keys is None and self._counts:
            yield "The key has other parts than the cell, or none of it, so a view is not a few ranges of one key."

    def _names(self) -> tuple[str, str]:
        assert self._key is not None
        return self._key.partition[0].attribute, self._key.sort[0].attribute

    def _statistics(self, keys: MapKeys) -> Iterator[tuple[int, CellStatistics]]:
        before, after = map(len, keys.partition)
        for level, counts in self._in_partitions.items():
            average = self._bytes[level] / self._counts[level]
            if len(counts) <= _MOST_PARTITIONS:
                prefixes = {key[before : len(key) - after]: count for key, count in counts.items()}
                yield level, CellStatistics(0, average, "counted", partition_items=prefixes)
            else:
                per_cell = self._counts[level] / len(counts) / 32**keys.suffix
                yield level, CellStatistics(per_cell, average, "the average of counted partitions")


def _cell(entity: Entity, name: str) -> str | None:
    value = getattr(entity, name)
    try:
        if value is not None:
            GEOHASH.number(value)
    except InvalidValue as error:
        raise InvalidValue(
            "map-field",
            f"{type(entity).__name__}.{name} is {quote(value)}, which is not the name of a cell.",
            expected=error.problem,
            fix="name a field or a property that is a geohash: --cell NAME.",
        ) from None
    return cast("str | None", value)


def _position(entity: Entity, names: tuple[str, str]) -> tuple[float, float] | None:
    """The position of an item; None if it has none, or one that is not on the Earth."""
    lat, lng = (getattr(entity, name) for name in names)
    try:
        check_position(lat, lng)
    except InvalidValue:
        return None
    return float(lat), float(lng)


def _value(entity: Entity, names: Sequence[str]) -> float:
    if not names:
        return 1.0
    total = 0.0
    for name in names:
        value = getattr(entity, name)
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal | None):
            raise InvalidValue(
                "map-field",
                f"{type(entity).__name__}.{name} is {quote(value)}, which is not a number.",
                fix="name a field or a property that is a number, or leave --value out to count items.",
            )
        total += float(value or 0)
    if not isfinite(total):
        raise InvalidValue(
            "map-value",
            f"The value of an item of {type(entity).__name__} is {total}, which has no colour.",
            fix="pass finite numbers.",
        )
    return total


def _key_with_cell(source: MapSource) -> EntityKey | None:
    """The key of the table, or the first one that is made of the cell; it has a partition key and a sort key."""
    keys = [each for each in source.declaration.keys.values() if len(each.partition) == len(each.sort) == 1]
    made_of_it = [each for each in keys if source.cell in each.fields]
    primary = [each for each in keys if each.index is None]
    return next(iter([*made_of_it, *primary]), None) if source.cell else None


def _key_texts(key: EntityKey, item: Mapping[str, Any]) -> tuple[str, str] | None:
    partition, sort = (item.get(part.attribute, {}).get("S") for part in (key.partition[0], key.sort[0]))
    return None if partition is None or sort is None else (str(partition), str(sort))


def _label(entity: Entity, source: MapSource, item: Mapping[str, Any]) -> str:
    """The name of an item if it has one, else its key."""
    for name in _NAMES:
        if name in source.declaration.fields and (text := str(getattr(entity, name) or "")):
            return text
    values = (item.get(part.attribute, {}) for part in source.declaration.primary.parts)
    return " / ".join(str(text) for value in values for text in value.values())
