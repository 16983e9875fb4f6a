"""The part of a key that is a cell of the map, and the key conditions of ranges of cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, NoReturn, cast

from pksk.cells import GEOHASH, CellLevel, CellRange
from pksk.dataclass import dataclass
from pksk.errors import DesignError, InvalidValue, did_you_mean, quote
from pksk.keys import Bounds, Operator, Template
from pksk.keys.bounds import prefix_upper_bound
from pksk.keys.parts.part import Part
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey, KeyPart
from pksk.model.fields.operands import checked_operands
from pksk.model.planning.key_plan import KeyPlan, SortBounds
from pksk.model.planning.partitions import Partition, partition_of
from pksk.model.request_values import FrozenValues
from pksk.values import Wire

_SUFFIX_FIX = 'hold a part of the cell in each: Key("...#{cell[:-3]}", "{cell[-3:]}#{id}").'


@dataclass(frozen=True)
class CellKey:
    """A key whose sort key has the last characters of a cell, perhaps after other parts.

    `sort` is the attribute with the cell, after others that are given whole; `count` is the number of placeholders
    of its template up to the cell. `of` names the fields of the position, if they are declared.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> def design():
        ...     from typing import Annotated
        ...     from pksk.cells import CellLevel
        ...     class Cell(Entity, table=Table("heat")):
        ...         cell: Annotated[str, CellLevel(3, 8)]
        ...         primary = Key("ShCe#{cell[:-3]}", "{cell[-3:]}")
        ...     return Cell.__pksk__
        >>> cells = find_cell_key(design(), "primary")
        >>> cells.field, cells.levels, cells.suffix(8), cells.parts({})
        ('cell', range(3, 9), 3, {})
        >>> found = cells.key_range(FrozenValues({}), CellRange("gcpjf", "y00", "y9z"))
        >>> found[0].attributes, found[1][0][1].lower, found[1][0][1].upper
        ({'pk': 'ShCe#gcpjf'}, 'y00', 'y9z')
    """

    declaration: Declaration
    key: EntityKey
    field: str
    levels: range
    sort: KeyPart
    count: int
    of: tuple[str, str] | None = None

    @property
    def where(self) -> str:
        """The key for messages: Place.by_cell."""
        return f"{self.declaration.name}.{self.key.name}"

    @property
    def template(self) -> Template:
        """The template of the attribute with the cell."""
        return cast("Template", self.sort.writer)

    @property
    def is_whole(self) -> bool:
        """Whether the sort key ends with the cell."""
        return self.count == len(self.template.parts)

    @property
    def several_items(self) -> bool:
        """Whether a cell can have several items."""
        return self.key.index is not None or not self.is_whole or self.key.sort[-1] is not self.sort

    @property
    def required(self) -> tuple[str, ...]:
        """The fields that a query gives besides the cell: those of the partition key, and those before the cell."""
        names = [*self.key.partition_fields]
        for part in self.key.sort[: self.key.sort.index(self.sort)]:
            names += part.fields
        names += [each.field for each in self.template.parts[: self.count - 1]]
        return tuple(name for name in dict.fromkeys(names) if name != self.field)

    def suffix(self, level: int) -> int:
        """The number of characters of a cell that decide the place in its partition."""
        return level - max((_span(each, level).stop for each in self._in_partition), default=0)

    @property
    def _in_partition(self) -> list[Part]:
        return _cell_parts(self.key.partition, self.field)

    def parts(self, values: Mapping[str, Any]) -> FrozenValues:
        """The values of a query besides the cell; raises for one that is unknown, missing or a range."""
        self._check_names(values)
        checked = {**checked_operands(self.declaration, values, by_key=True)}
        for name, value in checked.items():
            if isinstance(value, Operator) and value.name == "eq":
                (checked[name],) = value.operands
            elif isinstance(value, Operator):
                raise InvalidValue(
                    "geo-part",
                    f"{self.where}: {value!r} is a range (field {name!r}), and the cells of a region are one already.",
                    expected="The parts of the key besides the cell have one value each.",
                    fix="give a plain value, or filter the results.",
                )
        return FrozenValues(checked)

    def _check_names(self, values: Mapping[str, Any]) -> None:
        required = self.required
        for name in values:
            if name not in required:
                near = did_you_mean(name, required)
                raise InvalidValue(
                    "key-unknown-part",
                    f"{self.where}: a query by region cannot use field {name!r}.",
                    expected=f"Besides the cell, it takes: {', '.join(required) or 'nothing'}.",
                    fix=f"did you mean {near!r}?" if near else "leave it out, or add .filter(...).",
                )
        missing = [name for name in required if name not in values]
        if missing:
            raise InvalidValue(
                "key-missing-part",
                f"{self.where}: {', '.join(map(repr, missing))} missing.",
                expected=f"Besides the region, a query by this key takes: {', '.join(required)}.",
                fix="give all of them: they are in the key before the cell.",
            )

    def key_range(self, parts: FrozenValues, cells: CellRange) -> tuple[Partition, SortBounds]:
        """The partition of a range of cells, and the condition on its sort key."""
        first = {**parts, self.field: cells.prefix + cells.first}
        last = {**parts, self.field: cells.prefix + cells.last}
        attributes = {part.attribute: part.writer.render(first) for part in self.key.partition}
        before = self.key.sort[: self.key.sort.index(self.sort)]
        fixed = [(part.attribute, Bounds("=", part.writer.render(first))) for part in before]
        upper = self._text(last) if self.is_whole else prefix_upper_bound(self._text(last))
        bounds = Bounds("BETWEEN", self._text(first), upper)
        return partition_of(attributes), (*fixed, (self.sort.attribute, bounds))

    def _text(self, values: Mapping[str, Any]) -> str:
        """The sort key up to the cell and what follows it without a placeholder."""
        if self.is_whole:
            return str(self.template.render(values))
        return str(self.template.unchecked_bounds(values, self.count, None).lower)

    def key_plan(self, parts: FrozenValues, ranges: Iterable[CellRange]) -> KeyPlan:
        """All partitions of some ranges, and a sort key condition that includes all of them."""
        found = [self.key_range(parts, each) for each in ranges]
        ends = [sort[-1][1] for _, sort in found]
        hull = Bounds("BETWEEN", min(each.lower for each in ends), max(each.upper for each in ends))
        # Each in a group of its own: their items are not merged by sort key.
        names = {str(each.attributes): each.attributes for each, _ in found}
        partitions = {name: Partition(attributes, (name,)) for name, attributes in names.items()}
        return KeyPlan(
            self.key, (*partitions.values(),), (*found[0][1][:-1], (self.sort.attribute, hull)), (), ()
        )

    def cell_in_key(self, parts: FrozenValues, cells: CellRange) -> CellInKey:
        """Where sort keys of a partition have their cells."""
        level = len(cells.prefix) + len(cells.first)
        size = len(_span(self.template.parts[self.count - 1], level))
        text = self._text({**parts, self.field: cells.prefix + cells.first})
        start = len(text) - len(self.template.literals[self.count]) - size
        head = (cells.prefix + cells.first)[: level - size]
        return CellInKey(self.sort.attribute, text[:start], head, slice(start, start + size), level)


class CellInKey(NamedTuple):
    """Where sort keys have a cell: what is before it, and the first characters that all cells of a partition have."""

    attribute: str
    before: str
    head: str
    place: slice
    level: int

    def cell_of(self, item: Mapping[str, Wire]) -> str | None:
        """The cell of an item, or of a key; None if it has none, as items of other entities."""
        cell = self.head + str(item[self.attribute].get("S", ""))[self.place]
        try:
            GEOHASH.number(cell)
        except InvalidValue:
            return None
        return cell if len(cell) == self.level else None


def find_cell_key(declaration: Declaration, name: str) -> CellKey:
    """The key with the part that is a cell; raises if queries by region cannot use it."""
    return declaration.once(("cell key", name), lambda: _find(declaration, declaration.key(name)))


def _find(declaration: Declaration, key: EntityKey) -> CellKey:
    where = f"{declaration.name}.{key.name}"
    for sort in key.sort:
        parts = sort.writer.parts if isinstance(sort.writer, Template) else ()
        for count, each in enumerate(parts, 1):
            if each.cell_levels:
                found = CellKey(
                    declaration,
                    key,
                    each.field,
                    each.cell_levels,
                    sort,
                    count,
                    _position(declaration, each.field),
                )
                _check(found, each)
                return found
    _reject(
        f"{where}: no part of its sort key is a cell of the map.",
        "give a field the type Annotated[str, CellLevel(8)], and write "
        'Key("...#{cell[:-3]}", "{cell[-3:]}#{id}").',
    )


def _check(cells: CellKey, part: Part) -> None:
    where = cells.where
    if cells.key.shard is not None:
        _reject(f"{where}: the key has shards, which queries by region do not read.", "leave shard= out.")
    for level in cells.levels:
        spans = [_span(each, level) for each in cells._in_partition]
        own, suffix = _span(part, level), cells.suffix(level)
        if any(each.start for each in spans) or own.stop != level or own.start > level - suffix:
            _reject(
                f"{where}: partition and sort key do not hold the beginning and the end of {cells.field!r}.",
                _SUFFIX_FIX,
            )
        if suffix == 0:
            _reject(
                f"{where}: the partition key holds {cells.field!r} whole: one query for each cell.",
                _SUFFIX_FIX,
            )


def _reject(problem: str, fix: str) -> NoReturn:
    raise DesignError(
        "geo-key",
        problem,
        expected="A query by region reads ranges of cells: the partition key has their beginning, if any, and the "
        "sort key their end.",
        fix=fix,
    )


def _cell_parts(parts: Iterable[KeyPart], name: str) -> list[Part]:
    writers = [part.writer for part in parts]
    return [each for one in writers if isinstance(one, Template) for each in one.parts if each.field == name]


def _span(part: Part, level: int) -> range:
    """The positions of the characters of a cell that a part holds."""
    cut: slice | None = getattr(part, "slice", None)
    return range(level) if cut is None else range(level)[cut]


def _position(declaration: Declaration, name: str) -> tuple[str, str] | None:
    """The fields of the position, as the type of the cell names them; raises if they are not stored."""
    for each in getattr(declaration.fields[name].annotation, "__metadata__", ()):
        if isinstance(each, CellLevel) and each.of is not None:
            for named in each.of:
                field = declaration.fields.get(named)
                if field is None or field.computed:
                    raise DesignError(
                        "geo-position",
                        f"{declaration.name}.{name}: {each!r} names {quote(named)}, which is not a stored field.",
                        expected=f"Fields are: {', '.join(declaration.fields)}.",
                        fix="name the fields with the latitude and the longitude, as numbers.",
                    )
            return each.of
    return None
