"""Features of GeoJSON: geometries with properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import orjson

from pksk.dataclass import dataclass, field
from pksk.errors import InvalidValue, quote
from pksk.geometry.geojson import GEOMETRY_TYPES, member_path, parse_json, read_object, read_shape, type_of
from pksk.geometry.geometry import Geometry, reject_repairs
from pksk.geometry.positions import read_list
from pksk.geometry.repairs import RepairLog

__all__ = ["Feature", "read_features", "write_features"]


@dataclass(frozen=True)
class Feature:
    """A geometry, or None, with properties and an optional id.

    Example:
        >>> from pksk.geometry import read_geometry
        >>> point = read_geometry({"type": "Point", "coordinates": [-123.12, 49.28]})
        >>> Feature(point, {"name": "False Creek"}).to_dict()["properties"]
        {'name': 'False Creek'}
    """

    geometry: Geometry | None
    properties: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    id: str | int | float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The feature as GeoJSON."""
        value: dict[str, Any] = orjson.loads(_to_json(self._written()))
        return value

    def _written(self) -> dict[str, Any]:
        written: dict[str, Any] = {"type": "Feature"}
        if self.id is not None:
            written["id"] = self.id
        written["properties"] = {
            name: orjson.Fragment(_property(name, value)) for name, value in self.properties.items()
        }
        written["geometry"] = self.geometry and orjson.Fragment(self.geometry.to_bytes())
        return written


def read_features(data: object, *, repair: bool = True) -> tuple[Feature, ...]:
    """The features of GeoJSON, as bytes, text or a dict: of a collection, a feature, or a geometry.

    Geometries are repaired as by `read_geometry`, and `geometry.repairs` names the place in the whole document.

    Example:
        >>> read_features({"type": "FeatureCollection", "features": []})
        ()
        >>> read_features('{"type": "Feature", "properties": {"name": "A"}, "geometry": null}')[0].properties["name"]
        'A'
    """
    value = read_object(parse_json(data), "")
    known = dict.fromkeys(["FeatureCollection", "Feature", *GEOMETRY_TYPES])
    kind = type_of(value, "", known, RepairLog())
    if kind != "FeatureCollection":
        return (_feature(value, "", repair=repair),)
    fix = 'write {"type": "FeatureCollection", "features": [...]}.'
    members = read_list(value.get("features"), "features", "features", fix=fix)
    return tuple(_feature(each, f"features[{index}]", repair=repair) for index, each in enumerate(members))


def _feature(data: object, path: str, *, repair: bool) -> Feature:
    value, log = read_object(data, path), RepairLog()
    if type_of(value, path, dict.fromkeys(["Feature", *GEOMETRY_TYPES]), log) != "Feature":
        return Feature(_geometry(value, path, log, repair=repair))
    properties = value.get("properties")
    if properties is not None and not isinstance(properties, Mapping):
        raise _not_a_feature(
            f"{member_path(path, 'properties')} is {quote(properties)}", "an object, or null"
        )
    name = value.get("id")
    if name is not None and (isinstance(name, bool) or not isinstance(name, str | int | float)):
        raise _not_a_feature(f"{member_path(path, 'id')} is {quote(name)}", "a string or a number")
    return Feature(
        _geometry(value.get("geometry"), member_path(path, "geometry"), log, repair=repair),
        dict(properties or {}),
        name,
    )


def _not_a_feature(problem: str, expected: str) -> InvalidValue:
    return InvalidValue(
        "geometry-feature",
        f"{problem}.",
        expected=f"It must be {expected}.",
        fix="correct it, or leave it out.",
    )


def _geometry(value: object, path: str, log: RepairLog, *, repair: bool) -> Geometry | None:
    if value is None:
        return None
    geometry = Geometry(read_shape(value, path, log), tuple(log))
    if not repair:
        reject_repairs(geometry)
    return geometry


def write_features(features: Iterable[Feature]) -> bytes:
    """A FeatureCollection as JSON.

    Example:
        >>> write_features([])
        b'{"type":"FeatureCollection","features":[]}'
    """
    written = [feature._written() for feature in features]
    return _to_json({"type": "FeatureCollection", "features": written})


def _to_json(value: object) -> bytes:
    return orjson.dumps(value, default=_plain)


def _property(name: str, value: object) -> bytes:
    try:
        return _to_json(value)
    except TypeError as error:
        raise InvalidValue(
            "geometry-feature",
            f"The property {name!r} cannot be written as JSON: {error}.",
            fix="convert its value, or leave it out.",
        ) from None


def _plain(value: object) -> object:
    """The numbers and sets of items, which JSON does not have."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} is not a type of JSON")
