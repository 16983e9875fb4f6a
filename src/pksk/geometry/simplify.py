"""Geometries with fewer vertices: within a tolerance in metres, or within a number of bytes."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, exp, isfinite, log, radians

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, quote
from pksk.geometry.antimeridian import joined, split
from pksk.geometry.envelope import envelope_of
from pksk.geometry.geometry import Geometry
from pksk.geometry.libraries import Array, Shape, np, shapely
from pksk.geometry.repair import polygonal, settle

__all__ = ["Simplified", "simplify", "simplify_to"]

_METRES_PER_DEGREE = 111_320
# A size that fills this much of the bytes allowed is good enough.
_FILLED = 0.9
_ATTEMPTS = 14


@dataclass(frozen=True)
class Simplified:
    """A simplified geometry, the tolerance it took, and what that changed.

    `area_error` is the difference of the areas as a share of the former one. `dropped` is the number of polygons and
    holes that are left out, which only a limit of bytes can require.

    Example:
        >>> from pksk.geometry import read_geometry
        >>> line = read_geometry({"type": "LineString", "coordinates": [[0, 0], [1, 0.00001], [2, 0]]})
        >>> line.simplify(tolerance_m=5)
        Simplified(geometry=<Geometry: LineString with 2 vertices>, tolerance_m=5, area_error=0.0, dropped=0)
    """

    geometry: Geometry
    tolerance_m: float
    area_error: float
    dropped: int = 0


def simplify(geometry: Geometry, tolerance_m: float) -> Simplified:
    """The geometry without the vertices that lie within the tolerance."""
    if isinstance(tolerance_m, bool) or not isinstance(tolerance_m, int | float):
        raise TypeError(f"tolerance_m is {quote(tolerance_m)}, which is not a number")
    if not (isfinite(tolerance_m) and tolerance_m >= 0):
        raise InvalidValue(
            "geometry-tolerance",
            f"tolerance_m is {tolerance_m!r}.",
            expected="It must be a number of metres, 0 or more.",
            fix="pass metres, such as tolerance_m=50; to keep every vertex, use the geometry itself.",
        )
    return _simplified(geometry, tolerance_m)


def simplify_to(geometry: Geometry, size_bytes: int) -> Simplified:
    """The simplification with the smallest tolerance found whose GeoJSON has at most these bytes."""
    if isinstance(size_bytes, bool) or not isinstance(size_bytes, int):
        raise TypeError(f"size_bytes is {quote(size_bytes)}, which is not an int")
    if len(geometry.to_bytes()) <= size_bytes:
        return Simplified(geometry, 0, 0.0)
    smallest = _size_m(geometry)
    for drop_small in (False, True):
        coarsest = _simplified(geometry, smallest, drop_small=drop_small)
        if len(coarsest.geometry.to_bytes()) <= size_bytes:
            return _within_budget(geometry, size_bytes, coarsest, drop_small=drop_small)
    raise InvalidValue(
        "geometry-budget",
        f"The {geometry.type} cannot be simplified to {size_bytes} bytes.",
        expected=f"Its coarsest form has {len(coarsest.geometry.to_bytes())} bytes.",
        fix="allow more bytes, or keep the envelope only.",
    )


def _within_budget(geometry: Geometry, size_bytes: int, best: Simplified, *, drop_small: bool) -> Simplified:
    """Bisection over the tolerance, guided by sizes: both are nearly straight in logarithms."""
    low, low_size = 0.01, len(geometry.to_bytes())
    high, high_size = best.tolerance_m, len(best.geometry.to_bytes())
    for tolerance in _guesses():
        if high_size >= _FILLED * size_bytes or high / low < 1.05:
            break
        share = tolerance if tolerance else log(low_size / (0.95 * size_bytes)) / log(low_size / high_size)
        middle = exp(log(low) + min(max(share, 0.1), 0.9) * log(high / low))
        found = _simplified(geometry, middle, drop_small=drop_small)
        size = len(found.geometry.to_bytes())
        if size <= size_bytes:
            best, high, high_size = found, middle, size
        else:
            low, low_size = middle, max(size, high_size + 1)
    return best


def _guesses() -> Iterator[float]:
    """Every third time the middle: sizes that fall in steps mislead the interpolation."""
    return (0.5 if attempt % 3 == 2 else 0.0 for attempt in range(_ATTEMPTS))


def _size_m(geometry: Geometry) -> float:
    bounds = geometry.envelope
    width = bounds.east - bounds.west + (360 if bounds.crosses_antimeridian else 0)
    return _METRES_PER_DEGREE * max(width, bounds.north - bounds.south, 1e-6)


def _simplified(geometry: Geometry, tolerance_m: float, *, drop_small: bool = False) -> Simplified:
    shape, dropped = geometry._shape, 0
    dimensions = int(shapely.get_dimensions(shape))
    if drop_small and dimensions == 2:
        shape, dropped = _without_small_parts(shape, tolerance_m)
    if dimensions and tolerance_m:
        shape = _without_vertices(shape, tolerance_m)
    smaller = Geometry(shape)
    error = abs(smaller.area_m2 - geometry.area_m2) / geometry.area_m2 if geometry.area_m2 else 0.0
    return Simplified(smaller, tolerance_m, error, dropped)


def _without_vertices(shape: Shape, tolerance_m: float) -> Shape:
    """Simplified in metres: a degree of longitude is as long as at the latitude nearest to the equator."""
    scale = np.array([_longitude_scale(shape), 1.0])
    is_split = shapely.get_dimensions(shape) == 2 and envelope_of(shape).crosses_antimeridian
    flat = shapely.transform(joined(shape) if is_split else shape, lambda positions: positions * scale)
    smaller = shapely.simplify(flat, tolerance_m / _METRES_PER_DEGREE, preserve_topology=True)
    back = shapely.transform(smaller, lambda positions: positions / scale)
    if shapely.get_dimensions(shape) == 1:
        return shapely.remove_repeated_points(shapely.transform(back, _snapped))
    settled = settle(polygonal([split(back) if is_split else back]))
    multi = shape.geom_type == "MultiPolygon" and settled.geom_type == "Polygon"
    return shapely.multipolygons([settled]) if multi else settled


def _snapped(positions: Array) -> Array:
    return np.round(positions, 7) + 0.0


def _longitude_scale(shape: Shape) -> float:
    _, south, _, north = shapely.bounds(shape).tolist()
    nearest = 0.0 if south <= 0 <= north else min(abs(south), abs(north))
    return max(cos(radians(nearest)), 1e-6)


def _without_small_parts(shape: Shape, tolerance_m: float) -> tuple[Shape, int]:
    """Without polygons and holes smaller than a square of the tolerance; the largest polygon stays."""
    parts = shapely.get_parts(shape)
    least = (tolerance_m / _METRES_PER_DEGREE) ** 2 / _longitude_scale(shape)
    sizes = shapely.area(parts)
    kept = parts[(sizes >= least) | (sizes == sizes.max())]
    polygons = []
    for polygon in kept:
        outer, *holes = shapely.get_rings(polygon)
        large = [hole for hole in holes if shapely.area(shapely.polygons(hole)) >= least]
        polygons.append(shapely.polygons(outer, large or None))
    before = sum(map(shapely.get_num_interior_rings, parts)) + len(parts)
    after = sum(map(shapely.get_num_interior_rings, polygons)) + len(polygons)
    return polygonal(polygons), int(before - after)
