"""The GeoQuery request: items in a region of the map, near a position, or nearest to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from pksk.cells import (
    Box,
    CellPlan,
    CellQuery,
    CellRange,
    CellStatistics,
    Circle,
    ReadCost,
    Region,
    distance_m,
    level_of_region,
    level_of_zoom,
)
from pksk.cells.coordinates import HALF_CIRCUMFERENCE_M, check_position
from pksk.cells.geohash import check_level
from pksk.cells.query_plan import MOST_QUERIES
from pksk.cells.read_cost import REQUEST_UNITS
from pksk.dataclass import dataclass, field, replace
from pksk.errors import InvalidValue, PkskError, quote, shorten_traceback
from pksk.expressions import And, Condition, describe
from pksk.model.fields.facts import field_facts
from pksk.model.fields.field_conditions import condition_on_attributes
from pksk.model.planning import (
    CellKey,
    KeyQuery,
    Plan,
    find_cell_key,
    plan_key_ranges,
    with_key_range,
)
from pksk.model.request_values import FrozenValues
from pksk.model.requests.geo_query_plan import declared_statistics, first_radius, plan_cells
from pksk.model.requests.query import M, M_co, Query, checked_model, row_count
from pksk.model.requests.request import Request
from pksk.values import WireItem

if TYPE_CHECKING:
    from pksk.geometry import Geometry
    from pksk.model.entity import Entity

E = TypeVar("E", bound="Entity")

# Of a key with cells of several levels: a screen of them.
_MOST_CELLS = 4096
_COORDINATES = 2


@dataclass(frozen=True)
class GeoQuery(Request[list[M_co]], Generic[M_co]):
    """The items of an entity in a region, by a key that holds a cell; immutable, planned on first use.

    They come in the order of their cells, or nearest first after `by_distance`. If the type of the cell names the
    fields of the position, exactly the items in the region are found, otherwise those in the cells that it touches.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> def design():
        ...     from typing import Annotated
        ...     from pksk.cells import CellLevel
        ...     class Place(Entity, table=Table("places")):
        ...         id: str
        ...         cell: Annotated[str, CellLevel(6)]
        ...         primary = Key("PLACE#{cell[:-3]}", "{cell[-3:]}#{id}")
        ...     return Place
        >>> Place = design()
        >>> for request in Place.primary.inside(Box(51.5, -0.1, 51.6, 0.1)).plan.requests:
        ...     print(request["ExpressionAttributeValues"])
        {':v0': {'S': 'PLACE#gcp'}, ':v1': {'S': 'uvx#'}, ':v2': {'S': 'vxc$'}}
        {':v0': {'S': 'PLACE#u10'}, ':v1': {'S': 'hbp#'}, ':v2': {'S': 'jd3$'}}
    """

    kind = "geo_query"
    operation = "Query"
    reads = True
    example = "{}.primary.inside(...)"
    run_by = "run(...), iter(...) or page(...)"
    names_partition = False

    entity: type[Entity]
    key: str
    parts: FrozenValues
    region: Region = field(hash=False)
    level: int
    # The position from which distances are measured, and how many of the nearest items are wanted.
    centre: tuple[float, float] | None = None
    nearest_count: int | None = None
    condition: Condition | None = None
    consistent: bool = False
    max_results: int | None = None
    whole_items: bool = False
    model: type[M_co] | None = None
    statistics: CellStatistics | None = field(default=None, hash=False)
    request_units: float = REQUEST_UNITS
    most_queries: int = MOST_QUERIES

    @classmethod
    def of_region(
        cls,
        entity: type[E],
        key: str,
        region: Region | Geometry,
        level: int | None,
        values: Mapping[str, Any],
    ) -> GeoQuery[E]:
        """The items in a region; raises if the key has no cell, or a part is missing."""
        try:
            cells = find_cell_key(entity.__pksk__, key)
            area = _checked_region(cells.where, region)
            return GeoQuery(entity, key, cells.parts(values), area, _chosen_level(cells, area, level))
        except PkskError as error:
            raise shorten_traceback(error)  # noqa: B904 - the error itself

    @classmethod
    def of_view(
        cls, entity: type[E], key: str, view: Box, zoom: float, pixels: float, values: Mapping[str, Any]
    ) -> GeoQuery[E]:
        """The items in a view, by cells that are at least so many pixels wide."""
        cells = find_cell_key(entity.__pksk__, key)
        for name, value in (("zoom", zoom), ("pixels", pixels)):
            if (
                isinstance(value, bool)
                or not isinstance(value, (int, float))
                or not isfinite(value)
                or value < 0
            ):
                raise InvalidValue(
                    "geo-view",
                    f"{cells.where}.view: {name}={quote(value)} is not a number from 0.",
                    fix="pass the zoom of a web map, such as 15, and the least width of a cell in pixels.",
                )
        level = level_of_zoom(zoom, pixels, cells.levels)
        return cls.of_region(entity, key, view, level, values)

    @classmethod
    def of_nearest(
        cls,
        entity: type[E],
        key: str,
        position: tuple[float, float],
        count: int,
        within: float | None,
        values: Mapping[str, Any],
    ) -> GeoQuery[E]:
        """The items that are nearest to a position."""
        circle = Circle(*position, radius_m=HALF_CIRCUMFERENCE_M if within is None else within)
        levels = find_cell_key(entity.__pksk__, key).levels
        query = cls.of_region(entity, key, circle, levels[-1], values)
        return query.replace(centre=position, nearest_count=row_count("closest", count))

    def filter(self, condition: Condition) -> GeoQuery[M_co]:
        """Only the items for which a condition on fields holds."""
        condition_on_attributes(self.entity.__pksk__, condition)
        return self.replace(
            condition=condition if self.condition is None else And((self.condition, condition))
        )

    def consistently(self) -> GeoQuery[M_co]:
        """The items as they are at this moment, at twice the price; not from a global index."""
        return self.replace(consistent=True)

    def limit(self, max_results: int) -> GeoQuery[M_co]:
        """At most so many results: the first ones, or the nearest ones after `by_distance`."""
        return self.replace(max_results=row_count("limit", max_results))

    def by_distance(self, lat: float, lng: float, /) -> GeoQuery[M_co]:
        """The nearest first, by great-circle distance; all of them are read before the first is returned."""
        check_position(lat, lng)
        return self.replace(centre=(lat, lng))

    def hydrate(self) -> GeoQuery[M_co]:
        """Read the whole items from the table where the index does not hold them."""
        return self.replace(whole_items=True)

    def into(self, model: type[M]) -> GeoQuery[M]:
        """The same items as a smaller model."""
        return cast("GeoQuery[M]", self.replace(model=checked_model(model)))

    def using(
        self,
        statistics: CellStatistics | None = None,
        *,
        request_units: float | None = None,
        most_queries: int | None = None,
    ) -> GeoQuery[M_co]:
        """Plan by these statistics, and not by what the store has seen; or with another cost or number of queries.

        `request_units` is what a request costs besides its read units. A region that takes more than `most_queries`
        is read in larger cells, or rejected.
        """
        cost = ReadCost(self.request_units if request_units is None else request_units)
        return self.replace(
            statistics=self.statistics if statistics is None else statistics,
            request_units=cost.request_units,
            most_queries=self.most_queries if most_queries is None else row_count("using", most_queries),
        )

    @property
    def identity(self) -> str:
        """What decides which items are found, and in which order: not the statistics by which it is planned."""
        condition = (
            ""
            if self.condition is None
            else describe(condition_on_attributes(self.entity.__pksk__, self.condition))
        )
        decides = (
            self.entity.__name__,
            self.key,
            sorted(self.parts.items()),
            self.region,
            self.level,
            condition,
        )
        return repr(decides)

    @property
    def cells(self) -> CellKey:
        """The key, with the part that is a cell."""
        return find_cell_key(self.entity.__pksk__, self.key)

    @property
    def cost(self) -> ReadCost:
        """What queries cost, by which ranges are joined."""
        return ReadCost(self.request_units, self.consistent)

    @cached_property
    def cell_plan(self) -> CellPlan:
        """The ranges of cells to read, by statistics that are declared or passed with `using`."""
        return plan_cells(self, declared_statistics(self), self.first_region)

    @property
    def first_region(self) -> Region:
        """The region that is read first: of the nearest items, a circle that may have enough of them."""
        region = self.region
        if not isinstance(region, Circle) or self.nearest_count is None:
            return region
        radius = first_radius(self, declared_statistics(self).items_per_cell)
        return replace(region, radius_m=min(region.radius_m, radius))

    @cached_property
    def plan(self) -> Plan:
        """How the query runs; raises if the index lacks an attribute that it needs."""
        found = self.cell_plan
        base = self.base_plan(found.queries)
        requests = tuple(self.request_of(base, each) for each in found.queries)
        return replace(base, shared_requests=requests, exact=None, notes=(*base.notes, *self._notes(found)))

    def _notes(self, found: CellPlan) -> Iterable[str]:
        if self.nearest_count is not None:
            yield f"the nearest {self.nearest_count}: these are the first queries; more follow further away if needed"
        yield from found.lines()
        yield (
            "items outside the region are left out by their position"
            if self.cells.of
            else f"all items of cells that the region touches; CellLevel(of=...) on {self.cells.field!r} makes it exact"
        )

    def base_plan(self, queries: Sequence[CellQuery]) -> Plan:
        """What the requests of some queries have in common, with one request for each partition."""
        ranges = [CellRange(*each[:3]) for each in queries]
        if not ranges:
            index = self.entity.__pksk__.indexes[self.key].name
            return Plan(index, (), None, notes=("no cell to read",), entities=(self.entity,))
        read = Query(
            (KeyQuery(self.entity, self.key, self.parts),),
            self.condition,
            consistent=self.consistent,
            whole_items=self.whole_items,
            model=self.model,
        )
        return plan_key_ranges(read, self.cells.key_plan(self.parts, ranges), self.cells.of or ())

    def request_of(self, base: Plan, query: CellQuery) -> dict[str, Any]:
        """The request of one query."""
        partition, sort = self.cells.key_range(self.parts, CellRange(*query[:3]))
        request = with_key_range(base.shared_requests[0], partition, sort)
        return request if query.limit is None else {**request, "Limit": query.limit}

    def position_of(self, item: WireItem) -> tuple[float, float] | None:
        """The position of an item in the fields that the cell names; None if one is missing."""
        of = self.cells.of or ()
        declaration = self.entity.__pksk__
        values = field_facts(declaration).values
        wires = [(name, item.get(declaration.attribute(name))) for name in of]
        found = [float(values.read(name, wire)) for name, wire in wires if wire is not None]
        return (found[0], found[1]) if len(found) == _COORDINATES else None

    def distance(self, position: tuple[float, float]) -> float:
        """How far a position is from the centre, in metres; 0 if there is none."""
        return 0.0 if self.centre is None else distance_m(*self.centre, *position)


def _checked_region(where: str, region: object) -> Region:
    if hasattr(region, "to_region"):
        return cast("Region", region.to_region())
    if hasattr(region, "relation") and hasattr(region, "within") and not isinstance(region, type):
        return cast("Region", region)
    raise InvalidValue(
        "geo-region",
        f"{where}: {quote(region)} is not a region.",
        expected="Regions are Box, Circle, Polygon, Line and Union of pksk.cells, and geometries of pksk.geo.",
        fix="write inside(Box(south, west, north, east)), for example.",
    )


def _chosen_level(cells: CellKey, region: Region, level: int | None) -> int:
    levels = cells.levels
    if level is None:
        return levels[0] if len(levels) == 1 else level_of_region(region, _MOST_CELLS, levels)
    check_level(level)
    if level not in levels:
        text = f"level {levels[0]}" if len(levels) == 1 else f"levels {levels[0]} to {levels[-1]}"
        raise InvalidValue(
            "cell-level",
            f"{cells.where}: {cells.field!r} has cells of {text}, not of level {level}.",
            fix="pass one of these levels, or leave it out.",
        )
    return level
