"""Which entity of a design is shown on a map, and by which of its fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from pksk.dataclass import dataclass
from pksk.errors import DesignError, InvalidValue, did_you_mean, quote
from pksk.keys.parts.part_types import field_type

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.schema import Table

_LATITUDES: Final = ("lat", "latitude")
_LONGITUDES: Final = ("lng", "lon", "long", "longitude")


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
        >>> from pksk import Entity, Key, Table
        >>> class Town(Entity, table=Table("towns")):
        ...     name: str
        ...     lat: float
        ...     lng: float
        ...     primary = Key("TOWN#{name}", "TOWN")
        >>> [(each.name, each.position) for each in map_sources([Town.__pksk__.table])]
        [('Town', ('lat', 'lng'))]
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
