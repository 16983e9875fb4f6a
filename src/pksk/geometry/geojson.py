"""GeoJSON (RFC 7946) from JSON to checked and repaired shapes; messages name the place of a fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson

from pksk.errors import InvalidValue, did_you_mean, quote
from pksk.geometry.antimeridian import line_pieces
from pksk.geometry.libraries import Array, Shape, np, shapely
from pksk.geometry.positions import read_list, read_position, read_positions, without_repeats
from pksk.geometry.repair import repair_polygons
from pksk.geometry.repairs import RepairLog

__all__ = ["GEOMETRY_TYPES", "member_path", "parse_json", "read_object", "read_shape", "type_of"]

Json = Mapping[str, Any]


def parse_json(data: object) -> object:
    """The value of JSON text; anything else is taken as a value that was parsed."""
    if not isinstance(data, str | bytes | bytearray | memoryview):
        return data
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise InvalidValue(
            "geometry-json",
            f"The text {quote(_beginning(data))} is not JSON: {error}.",
            fix="write GeoJSON in UTF-8. JSON has no NaN and no Infinity.",
        ) from None


def _beginning(data: str | bytes | bytearray | memoryview) -> str | bytes:
    return data[:100] if isinstance(data, str) else bytes(data[:100])


def read_object(value: object, path: str) -> Json:
    """An object of GeoJSON, in the coordinate system that all of GeoJSON has."""
    if not isinstance(value, Mapping):
        raise InvalidValue(
            "geometry-type",
            f"{path or 'The value'} is {quote(value)}, which is not a GeoJSON object.",
            expected='A geometry is an object such as {"type": "Point", "coordinates": [-123.12, 49.28]}.',
            fix="pass the object itself, or its JSON.",
        )
    if value.get("crs") is not None:
        _check_reference_system(value["crs"], member_path(path, "crs"))
    return value


def _check_reference_system(crs: object, path: str) -> None:
    """GeoJSON of before RFC 7946 could name another system; the name of the only one left is allowed."""
    name = str(crs).upper()
    if "CRS84" not in name and "EPSG:4326" not in name and "EPSG::4326" not in name:
        raise InvalidValue(
            "geometry-crs",
            f"{path} is {quote(crs)}.",
            expected="The coordinates of GeoJSON are longitudes and latitudes of WGS 84 (RFC 7946, section 4).",
            fix="convert the coordinates to WGS 84, and leave 'crs' out.",
        )


def member_path(path: str, member: str) -> str:
    """The path of a member of an object."""
    return f"{path}.{member}" if path else member


def type_of(value: Json, path: str, known: Mapping[str, Any], log: RepairLog) -> str:
    """The type of an object, which must be known; OpenSearch's lower-case names are."""
    name = value.get("type")
    if isinstance(name, str) and name in known:
        return name
    spelled = {each.lower(): each for each in known}.get(name.lower()) if isinstance(name, str) else None
    if spelled:
        log.add("type-case", path)
        return spelled
    where = member_path(path, "type")
    raise InvalidValue(
        "geometry-type",
        f"{where} is {quote(name)}." if "type" in value else f"{path or 'The object'} has no 'type'.",
        expected=f"It must be one of {', '.join(known)}.",
        fix=_type_advice(name, known),
    )


def _type_advice(name: object, known: Mapping[str, Any]) -> str:
    if name == "GeometryCollection":
        return "write a Multi* geometry, or a FeatureCollection of its members."
    if name == "circle":
        return "write a polygon; GeoJSON has no circles."
    near = did_you_mean(name, known) if isinstance(name, str) else ""
    return f"did you mean {near!r}?" if near else "correct the type."


def read_shape(value: object, path: str, log: RepairLog) -> Shape:
    """The shape of a geometry object, never empty."""
    geometry = read_object(value, path)
    kind = type_of(geometry, path, GEOMETRY_TYPES, log)
    where = member_path(path, "coordinates")
    if "coordinates" not in geometry:
        raise InvalidValue(
            "geometry-coordinates",
            f"{path or 'The geometry'} has no 'coordinates'.",
            fix=f"add the coordinates of the {kind}.",
        )
    shape = GEOMETRY_TYPES[kind](geometry["coordinates"], where, log)
    if shapely.is_empty(shape):
        raise InvalidValue(
            "geometry-empty",
            f"{where} describes an empty {kind}.",
            expected="A line needs two different positions, a ring three that are not on one line.",
            fix="write its positions, or leave the geometry out.",
        )
    return shape


def _point(value: object, path: str, log: RepairLog) -> Shape:
    if isinstance(value, list | tuple) and not value:
        return shapely.Point()
    return shapely.points(read_position(value, path, log)[0])


def _multi_point(value: object, path: str, log: RepairLog) -> Shape:
    return shapely.multipoints(shapely.points(read_positions(value, path, log)))


def _line(value: object, path: str, log: RepairLog) -> Shape:
    pieces = _pieces(value, path, log)
    return shapely.linestrings(pieces[0]) if len(pieces) == 1 else _multi(pieces)


def _multi_line(value: object, path: str, log: RepairLog) -> Shape:
    lines = read_list(value, path, "lines, each a list of positions")
    return _multi([piece for i, line in enumerate(lines) for piece in _pieces(line, f"{path}[{i}]", log)])


def _pieces(value: object, path: str, log: RepairLog) -> list[Array]:
    pieces = line_pieces(without_repeats(read_positions(value, path, log)))
    log.add("antimeridian", path, max(0, len(pieces) - 1))
    log.add("empty", path, not pieces)
    return pieces


def _multi(lines: list[Array]) -> Shape:
    return shapely.multilinestrings(np.array([shapely.linestrings(line) for line in lines], dtype=object))


def _polygon(value: object, path: str, log: RepairLog) -> Shape:
    return repair_polygons([_rings(value, path, log)], path, [path], log)


def _multi_polygon(value: object, path: str, log: RepairLog) -> Shape:
    polygons = read_list(value, path, "polygons, each a list of rings")
    paths = [f"{path}[{index}]" for index in range(len(polygons))]
    rings = [_rings(each, where, log) for each, where in zip(polygons, paths, strict=True)]
    shape = repair_polygons(rings, path, paths, log)
    return shape if shape.geom_type == "MultiPolygon" else shapely.multipolygons([shape])


def _rings(value: object, path: str, log: RepairLog) -> list[Array]:
    rings = read_list(value, path, "rings, each a list of positions")
    return [read_positions(ring, f"{path}[{index}]", log) for index, ring in enumerate(rings)]


def _envelope(value: object, path: str, log: RepairLog) -> Shape:
    """OpenSearch's envelope: the north-west corner, then the south-east one; across the antimeridian if west > east."""
    log.add("envelope", path)
    corners = read_positions(value, path, log)
    if len(corners) != 2:
        raise InvalidValue(
            "geometry-coordinates",
            f"{path} has {'one position' if len(corners) == 1 else f'{len(corners)} positions'}.",
            expected="An envelope has two: [[west, north], [east, south]].",
            fix="write the two corners, or a Polygon.",
        )
    (west, north), (east, south) = corners.tolist()
    if north < south:
        log.add("corners", path)
        north, south = south, north
    spans = [(west, east)] if west <= east else [(west, 180.0), (-180.0, east)]
    boxes = [[_box(west, south, east, north)] for west, east in spans if west < east and south < north]
    return repair_polygons(boxes, path, [path] * len(boxes), log)


def _box(west: float, south: float, east: float, north: float) -> Array:
    # A reader takes edges longer than 180 degrees for crossings of the antimeridian.
    between = [(west + east) / 2] if east - west > 180 else []
    longitudes = [west, *between, east, east, *between, west, west]
    half = len(longitudes) // 2
    return np.column_stack((longitudes, [south] * half + [north] * half + [south]))


GEOMETRY_TYPES: Final[dict[str, Callable[[object, str, RepairLog], Shape]]] = {
    "Point": _point,
    "MultiPoint": _multi_point,
    "LineString": _line,
    "MultiLineString": _multi_line,
    "Polygon": _polygon,
    "MultiPolygon": _multi_polygon,
    "envelope": _envelope,
}
