"""Shapes and points of GeoJSON for a map, simplified if they have more vertices than a page can have."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any, Final

from pksk.dataclass import dataclass
from pksk.geo.map_page import MapPoint, MapShape
from pksk.geometry import Feature, Geometry, read_features

# Files with fewer vertices are drawn as they are; others get as many bytes of GeoJSON as these would take.
_MOST_VERTICES: Final = 10_000
_BYTES: Final = 250_000
_LEAST_BYTES: Final = 1_000
_NAMES: Final = ("name", "title", "id")


@dataclass(frozen=True)
class MapShapes:
    """The shapes and points of some files, and notes on what was changed."""

    shapes: tuple[MapShape, ...] = ()
    points: tuple[MapPoint, ...] = ()
    notes: tuple[str, ...] = ()

    def __add__(self, other: MapShapes) -> MapShapes:
        return MapShapes(self.shapes + other.shapes, self.points + other.points, self.notes + other.notes)


def read_shapes(data: bytes, name: str) -> MapShapes:
    """The shapes and points of a GeoJSON file, with the names in their properties, else that of the file.

    Example:
        >>> found = read_shapes(b'{"type": "Point", "coordinates": [-1.28, 51.67]}', "abingdon")
        >>> found.points, found.shapes
        ((MapPoint(lat=51.67, lng=-1.28, label='abingdon', value=None),), ())
    """
    features = [each for each in read_features(data) if each.geometry is not None]
    vertices = sum(each.geometry.vertices for each in features if each.geometry is not None)
    shapes: list[MapShape] = []
    points: list[MapPoint] = []
    for each in features:
        geometry, title = each.geometry, _name(each, name)
        if geometry is None:
            continue
        positions = [*_positions(geometry.to_dict())]
        points += [MapPoint(lat, lng, title) for lng, lat in positions]
        if geometry.vertices > len(positions):
            share = _BYTES * geometry.vertices // vertices
            shapes.append(
                MapShape(title, geometry if vertices <= _MOST_VERTICES else _smaller(geometry, share))
            )
    kept = sum(each.geometry.vertices for each in shapes) + len(points)
    notes = (f"{name} is drawn with {kept:,} of its {vertices:,} vertices.",) if kept < vertices else ()
    return MapShapes(tuple(shapes), tuple(points), notes)


def _smaller(geometry: Geometry, size_bytes: int) -> Geometry:
    return geometry.simplify_to(max(size_bytes, _LEAST_BYTES)).geometry


def _name(feature: Feature, otherwise: str) -> str:
    by_name = {str(key).lower(): value for key, value in feature.properties.items()}
    return next((str(by_name[name]) for name in _NAMES if by_name.get(name)), str(feature.id or otherwise))


def _positions(geometry: Mapping[str, Any]) -> list[list[float]]:
    """The positions of points, which have no outline."""
    if geometry["type"] == "GeometryCollection":
        return [*chain.from_iterable(map(_positions, geometry["geometries"]))]
    if geometry["type"] == "Point":
        return [geometry["coordinates"]]
    return [*geometry["coordinates"]] if geometry["type"] == "MultiPoint" else []
