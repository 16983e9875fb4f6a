"""Polygons as regions of the map, from which queries by shape find their cells."""

from __future__ import annotations

from pksk.cells import Polygon, Region, Union
from pksk.errors import InvalidValue
from pksk.geometry.libraries import Shape, shapely

__all__ = ["region_of"]


def region_of(shape: Shape) -> Region:
    """The area of a polygonal shape; regions have the latitude first."""
    if shapely.get_dimensions(shape) != 2:
        raise InvalidValue(
            "geometry-region",
            f"A {shape.geom_type} has no area.",
            expected="A Polygon, a MultiPolygon or an envelope is a region.",
            fix="use Circle or Line of pksk.cells, which give points and lines a width.",
        )
    polygons = [_polygon(part) for part in shapely.get_parts(shape)]
    return polygons[0] if len(polygons) == 1 else Union(polygons)


def _polygon(polygon: Shape) -> Polygon:
    outer, *holes = ([*map(tuple, ring.coords[:])] for ring in shapely.get_rings(polygon))
    return Polygon(_latitude_first(outer), [_latitude_first(hole) for hole in holes])


def _latitude_first(ring: list[tuple[float, ...]]) -> list[tuple[float, float]]:
    return [(latitude, longitude) for longitude, latitude in ring]
