"""What a design has to show on a map, and the page of its items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from pksk.cells import CellStatistics, encode
from pksk.dataclass import dataclass
from pksk.errors import DesignError, InvalidValue, did_you_mean, quote
from pksk.geo.map_keys import KeyCandidates
from pksk.geo.map_page import MOST_CELLS, MOST_POINTS, MapCell, MapKeys, MapPage, MapPoint
from pksk.keys.parts.part_types import field_type
from pksk.values import item_size

if TYPE_CHECKING:
    from pksk.cells import Box
    from pksk.model import Entity
    from pksk.model.declaration import Declaration
    from pksk.model.entity_key import EntityKey
    from pksk.schema import Table
    from pksk.values import WireItem

_LATITUDES: Final = ("lat", "latitude")
_NAMES: Final = ("name", "title", "label")
_LONGITUDES: Final = ("lng", "lon", "long", "longitude")
# Points that are too many for a page become cells of this level, which are as large as a house.
_POINT_LEVEL: Final = 8
# The average is good enough beyond this, and the page stays small.
_MOST_PARTITIONS: Final = 5_000


@dataclass(frozen=True)
class MapSource:
    """An entity that can be shown: by a field that is a cell, or by two that are a latitude and a longitude."""

    declaration: Declaration
    cell: str = ""
    position: tuple[str, str] | None = None

    @property
    def name(self) -> str:
        """The name of the entity."""
        return self.declaration.name


def map_sources(tables: Iterable[Table]) -> list[MapSource]:
    """The entities of some tables that can be shown on a map; those with cells first.

    Example:
        >>> from typing import Annotated
        >>> from pksk import Entity, Key, Table
        >>> from pksk.cells import CellLevel
        >>> class Cell(Entity, table=Table("heat")):
        ...     cell: Annotated[str, CellLevel(8)]
        ...     primary = Key("{cell[:-3]}", "{cell[-3:]}")
        >>> [(each.name, each.cell) for each in map_sources([Cell.__pksk__.table])]
        [('Cell', 'cell')]
    """
    found = [each for table in tables for entity in table.entities if (each := _source(entity))]
    return sorted(found, key=lambda each: not each.cell)


def choose_source(tables: Sequence[Table], entity: str | None, cell: str | None) -> MapSource:
    """The entity to show: the one of this name, or the only one that can be shown.

    `cell` names a field or a property that is a cell, for entities whose fields are not declared as such.
    """
    entities = {each.name: each for table in tables for each in table.entities}
    if entity is not None and entity not in entities:
        near = did_you_mean(entity, entities)
        raise InvalidValue(
            "map-entity",
            f"There is no entity {quote(entity)}.",
            expected=f"Entities are: {', '.join(entities)}.",
            fix=f"did you mean {quote(near)}?" if near else "name one of them.",
        )
    if cell is not None:
        return _with_cell([*entities.values()] if entity is None else [entities[entity]], cell)
    found = [each for each in map_sources(tables) if entity in (None, each.name)]
    if not found:
        raise _nothing_to_show(entity)
    if len(found) > 1:
        names = [each.name for each in found]
        raise DesignError(
            "map-several-entities",
            f"{', '.join(names[:-1])} and {names[-1]} can be shown on a map.",
            fix=f"name one of them: --entity {names[0]}.",
        )
    return found[0]


def _with_cell(entities: Sequence[Declaration], cell: str) -> MapSource:
    having = [each for each in entities if cell in each.fields or hasattr(each.entity, cell)]
    if len(having) == 1:
        return MapSource(having[0], cell)
    if having:
        names = ", ".join(each.name for each in having)
        raise DesignError(
            "map-several-entities",
            f"{names} have a field {quote(cell)}.",
            fix=f"name one of them: --entity {having[0].name}.",
        )
    fields = [name for each in entities for name in each.fields]
    near = did_you_mean(cell, fields)
    raise InvalidValue(
        "map-field",
        f"No entity has a field {quote(cell)}.",
        expected=f"Fields are: {', '.join(dict.fromkeys(fields))}.",
        fix=f"did you mean {quote(near)}?" if near else "name the field or the property that is a cell.",
    )


def _nothing_to_show(entity: str | None) -> DesignError:
    subject = "No entity of the design has" if entity is None else f"{entity} has no"
    thing = "a cell or a position." if entity is None else "cell and no position."
    return DesignError(
        "map-no-place",
        f"{subject} {thing}",
        expected="A cell is a field such as cell: Annotated[str, CellLevel(8)], and a position two numbers with the "
        "names lat and lng.",
        fix="declare such a field, or name the field or property that is a cell: --cell NAME.",
    )


def _source(declaration: Declaration) -> MapSource | None:
    fields = declaration.fields
    cell = next((name for name, each in fields.items() if field_type(each.annotation).cell_levels), "")
    if cell:
        return MapSource(declaration, cell)
    lat = next((name for name in _LATITUDES if name in fields), None)
    lng = next((name for name in _LONGITUDES if name in fields), None)
    return None if lat is None or lng is None else MapSource(declaration, position=(lat, lng))


def number_fields(declaration: Declaration) -> list[str]:
    """The fields that are numbers, apart from those in keys and those that markers give a meaning."""
    in_keys = {name for key in declaration.keys.values() for name in key.fields}
    return [
        name
        for name, each in declaration.fields.items()
        if name not in in_keys
        and field_type(each.annotation).type in (int, float, Decimal)
        and name not in (*_LATITUDES, *_LONGITUDES)
        and all(type(marker).__name__ == "Attribute" for marker in each.markers)
    ]


def choose_values(source: MapSource, wanted: Sequence[str]) -> tuple[str, ...]:
    """The fields whose sum is the value of an item: those of these names, or the only number.

    If there are none, items are counted.
    """
    numbers = number_fields(source.declaration)
    for name in wanted:
        if name not in source.declaration.fields and not hasattr(source.declaration.entity, name):
            near = did_you_mean(name, numbers)
            raise InvalidValue(
                "map-field",
                f"{source.name} has no field {quote(name)}.",
                expected=f"Its numbers are: {', '.join(numbers)}." if numbers else "It has no numbers.",
                fix=f"did you mean {quote(near)}?"
                if near
                else "name one of them, or leave --value out to count items.",
            )
    return tuple(wanted) or (tuple(numbers) if len(numbers) == 1 else ())


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

    def add(self, entity: Entity, item: WireItem) -> None:
        """Add an item, as an entity and as it is stored."""
        value = _value(entity, self.values)
        self.items += 1
        if self.source.position is None:
            self._add_cell(_cell(entity, self.source.cell), value, item)
            return
        lat, lng = (float(getattr(entity, name)) for name in self.source.position)
        cell = encode(lat, lng, _POINT_LEVEL)
        if self._points_become_cells:
            self._add(cell, value)
        else:
            self._points.append(
                MapPoint(lat, lng, _label(entity, self.source, item), value if self.values else None)
            )
            if len(self._points) > self._most_points:
                self._points_become_cells = True
                for each in self._points:
                    self._add(
                        encode(each.lat, each.lng, _POINT_LEVEL), 1.0 if each.value is None else each.value
                    )
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


def _cell(entity: Entity, name: str) -> str:
    value = getattr(entity, name)
    if not isinstance(value, str):
        raise InvalidValue(
            "map-field",
            f"{type(entity).__name__}.{name} is {quote(value)}, which is not the name of a cell.",
            fix="name a field or a property that is a geohash: --cell NAME.",
        )
    return value


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
