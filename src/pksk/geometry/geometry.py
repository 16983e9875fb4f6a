"""A geometry: read from GeoJSON, valid, and ready to be measured, compared, simplified and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import orjson

from pksk.errors import InvalidValue, quote
from pksk.geometry import measures
from pksk.geometry.distance import distance_m
from pksk.geometry.envelope import Envelope, Position, envelope_of
from pksk.geometry.geojson import GEOMETRY_TYPES, member_path, parse_json, read_object, read_shape, type_of
from pksk.geometry.libraries import Array, Shape, np, shapely
from pksk.geometry.positions import read_position, read_positions
from pksk.geometry.predicates import covers, covers_each, intersects
from pksk.geometry.region import region_of
from pksk.geometry.repairs import Repair, RepairLog

if TYPE_CHECKING:
    from pksk.cells import Region
    from pksk.geometry.simplify import Simplified

__all__ = ["Geometry", "read_geometry", "reject_repairs"]


class Geometry:
    """A valid geometry of WGS 84; `repairs` says what was changed while it was read. `read_geometry` makes one.

    Coordinates have seven decimals (a centimetre), rings follow the right-hand rule, and shapes that cross the
    antimeridian are split there. Edges are straight in longitude and latitude, as RFC 7946 defines them.

    Example:
        >>> park = read_geometry({"type": "Polygon", "coordinates": [[[0, 0], [0, 1], [1, 1], [1, 0], [0, 0]]]})
        >>> park
        <Geometry: Polygon with 5 vertices>
        >>> [str(repair) for repair in park.repairs]
        ['coordinates: rings had the wrong orientation; they follow the right-hand rule now']
        >>> round(park.area_m2 / 1e6), park.centroid.longitude, park.contains(Position(0.5, 0.5))
        (12308, 0.5, True)
    """

    def __init__(self, shape: Shape, repairs: tuple[Repair, ...] = ()) -> None:
        self._shape = shape
        self.repairs = repairs

    @property
    def type(self) -> str:
        """The type of GeoJSON, such as "MultiPolygon"."""
        return str(self._shape.geom_type)

    @cached_property
    def vertices(self) -> int:
        """The number of positions; the first one of a ring counts again as its last."""
        return int(shapely.get_num_coordinates(self._shape))

    @cached_property
    def envelope(self) -> Envelope:
        """The smallest bounds around it."""
        return envelope_of(self._shape)

    @cached_property
    def centroid(self) -> Position:
        """The centre of gravity on the sphere; it can be outside the geometry."""
        return measures.centroid(self._shape)

    @cached_property
    def area_m2(self) -> float:
        """The area in square metres on the WGS 84 ellipsoid; 0 for points and lines."""
        return measures.area_m2(self._shape)

    @cached_property
    def length_m(self) -> float:
        """The length of lines, or of all rings of polygons, in metres on a sphere (at most 0.6 % off the ellipsoid)."""
        return measures.length_m(self._shape)

    def contains(self, other: Geometry | Position) -> bool:
        """Whether all of another geometry, or a position, is inside it or on its boundary."""
        return covers(self._shape, _shape_of(other))

    def contains_each(self, positions: Iterable[Position]) -> list[bool]:
        """What `contains` says of each position; for many positions, this is many times faster."""
        return covers_each(self._shape, read_positions([*positions], "positions", RepairLog()))

    def within(self, other: Geometry) -> bool:
        """Whether all of it is inside another geometry or on the boundary of that."""
        return covers(other._shape, self._shape)

    def intersects(self, other: Geometry | Position) -> bool:
        """Whether it has at least a point in common with another geometry or a position."""
        return intersects(self._shape, _shape_of(other))

    def distance_m(self, other: Geometry | Position) -> float:
        """The shortest way to another geometry or a position, in metres along a great circle; 0 if they intersect."""
        shape = _shape_of(other)
        return 0.0 if intersects(self._shape, shape) else distance_m(self._shape, shape)

    def to_region(self) -> Region:
        """The area of polygons as a region of `pksk.cells`, whose cover is what queries by shape read."""
        return region_of(self._shape)

    def simplify(self, tolerance_m: float) -> Simplified:
        """A geometry with fewer vertices; those left out lie within `tolerance_m` of its edges.

        Polygons and holes stay apart from each other. Where a ring begins, it can be twice the tolerance.
        """
        from pksk.geometry.simplify import simplify

        return simplify(self, tolerance_m)

    def simplify_to(self, size_bytes: int) -> Simplified:
        """The most exact simplification whose GeoJSON has at most `size_bytes`.

        If that takes more than leaving out vertices, small polygons and holes are left out as well.
        """
        from pksk.geometry.simplify import simplify_to

        return simplify_to(self, size_bytes)

    def to_dict(self) -> dict[str, Any]:
        """GeoJSON as dicts and lists, with a `bbox` unless it is a point."""
        value: dict[str, Any] = orjson.loads(self.to_bytes())
        return value

    def to_bytes(self) -> bytes:
        """GeoJSON; `read_geometry` of it gives an equal geometry, with the same bytes."""
        written: dict[str, Any] = {"type": self.type}
        if self.type != "Point":
            written["bbox"] = list(self.envelope)
        written["coordinates"] = _COORDINATES[self.type](self._shape)
        return orjson.dumps(written, option=orjson.OPT_SERIALIZE_NUMPY)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Geometry):
            return NotImplemented
        return bool(shapely.equals_identical(self._shape, other._shape))

    def __hash__(self) -> int:
        return hash((self.type, self.vertices, self.envelope))

    def __repr__(self) -> str:
        return (
            f"<Geometry: {self.type} with {self.vertices} {'vertex' if self.vertices == 1 else 'vertices'}>"
        )


def read_geometry(data: object, *, repair: bool = True) -> Geometry:
    """A geometry from GeoJSON, as bytes, text or a dict; one that is not valid is repaired.

    Of a feature it reads the geometry. It also reads OpenSearch's `envelope`. With `repair=False`, it raises where it
    would repair.

    Example:
        >>> read_geometry('{"type": "Point", "coordinates": [-123.12, 49.28]}').centroid
        Position(longitude=-123.12, latitude=49.28)
        >>> read_geometry({"type": "envelope", "coordinates": [[170, 10], [-170, -10]]}).to_dict()["bbox"]
        [170.0, -10.0, -170.0, 10.0]
    """
    log = RepairLog()
    value, path = _geometry_in(parse_json(data), log)
    geometry = Geometry(read_shape(value, path, log), tuple(log))
    if not repair:
        reject_repairs(geometry)
    return geometry


def reject_repairs(geometry: Geometry) -> None:
    """Raise the error of a geometry that had to be repaired."""
    if geometry.repairs:
        raise InvalidValue(
            "geometry-invalid",
            f"The geometry is not valid: {'; '.join(map(str, geometry.repairs))}.",
            fix="write what `read_geometry` makes of it with repair=True, or correct its source.",
        )


def _geometry_in(value: object, log: RepairLog) -> tuple[object, str]:
    """The geometry of an object, and its path."""
    known = dict.fromkeys([*GEOMETRY_TYPES, "Feature", "FeatureCollection"])
    path = ""
    document = read_object(value, path)
    kind = type_of(document, path, known, log)
    if kind == "FeatureCollection":
        features = document.get("features")
        if not isinstance(features, list | tuple) or len(features) != 1:
            raise InvalidValue(
                "geometry-collection",
                f"A FeatureCollection holds {len(features) if isinstance(features, list | tuple) else 'no'} features.",
                expected="A geometry is read from a geometry, a Feature, or a FeatureCollection of one feature.",
                fix="use read_features(), which returns all of them.",
            )
        path = "features[0]"
        document = read_object(features[0], path)
        kind = type_of(document, path, {"Feature": None}, log)
    return (
        (document.get("geometry"), member_path(path, "geometry")) if kind == "Feature" else (document, path)
    )


def _shape_of(other: Geometry | Position) -> Shape:
    if isinstance(other, Geometry):
        return other._shape
    if isinstance(other, Position):
        return shapely.points(read_position(other, "The position", RepairLog())[0])
    raise TypeError(f"{quote(other)} is neither a Geometry nor a Position(longitude, latitude)")


def _rings(polygon: Shape) -> list[Array]:
    return [_positions(ring) for ring in shapely.get_rings(polygon)]


def _positions(shape: Shape) -> Array:
    return np.ascontiguousarray(shapely.get_coordinates(shape))


_COORDINATES: dict[str, Callable[[Shape], Any]] = {
    "Point": lambda shape: _positions(shape)[0],
    "MultiPoint": _positions,
    "LineString": _positions,
    "MultiLineString": lambda shape: [_positions(line) for line in shapely.get_parts(shape)],
    "Polygon": _rings,
    "MultiPolygon": lambda shape: [_rings(polygon) for polygon in shapely.get_parts(shape)],
}
