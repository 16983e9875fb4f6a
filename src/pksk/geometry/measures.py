"""Area, length and centroid of shapes on the earth; edges are straight in longitude and latitude, as in RFC 7946."""

from __future__ import annotations

from math import atan2, degrees, hypot, sqrt
from typing import Final

from pksk.geometry.envelope import Position
from pksk.geometry.libraries import Array, Shape, np, shapely

__all__ = ["EARTH_RADIUS_M", "area_m2", "centroid", "edges", "great_circle_m", "length_m", "unit_vectors"]

EARTH_RADIUS_M: Final = 6_371_008.8
# WGS 84: the polar radius, and the eccentricity.
_POLAR_RADIUS_M: Final = 6_356_752.314_245
_ECCENTRICITY: Final = sqrt(6.694_379_990_141_3e-3)

# Three points of Gauss and Legendre: with edges cut at a degree, the error is far below a part in a billion.
_NODES: Final = np.array([0.5 - sqrt(0.15), 0.5, 0.5 + sqrt(0.15)])
_WEIGHTS: Final = np.array([5, 8, 5]) / 18


def edges(shape: Shape, longest_degrees: float) -> tuple[Array, Array]:
    """Start and end of each edge, in degrees; longer ones are cut into equal pieces."""
    lines = shapely.get_parts(shape)
    if shapely.get_dimensions(shape) == 2:
        lines = shapely.get_rings(lines)
    positions, owner = shapely.get_coordinates(lines, return_index=True)
    joined = owner[1:] == owner[:-1]
    start, end = positions[:-1][joined], positions[1:][joined]
    counts = np.ceil(np.abs(end - start).max(axis=1, initial=0) / longest_degrees).astype(int).clip(1)
    if (counts == 1).all():
        return start, end
    step = np.repeat((end - start) / counts[:, None], counts, axis=0)
    number = np.arange(counts.sum()) - np.repeat(counts.cumsum() - counts, counts)
    begin = np.repeat(start, counts, axis=0) + step * number[:, None]
    return begin, begin + step


def area_m2(shape: Shape) -> float:
    """The area on the WGS 84 ellipsoid: around each ring, the integral of the area between an edge and the equator."""
    if shapely.get_dimensions(shape) < 2:
        return 0.0
    start, end = edges(shape, 1.0)
    latitudes = start[:, 1:] + (end - start)[:, 1:] * _NODES
    below = _area_to_equator(np.radians(latitudes)) @ _WEIGHTS
    return abs(float(below @ np.radians(end[:, 0] - start[:, 0])))


def _area_to_equator(latitudes: Array) -> Array:
    """The area between the equator and a latitude, per radian of longitude."""
    sine = np.sin(latitudes)
    scaled = _ECCENTRICITY * sine
    return _POLAR_RADIUS_M**2 / 2 * (sine / (1 - scaled**2) + np.arctanh(scaled) / _ECCENTRICITY)


def length_m(shape: Shape) -> float:
    """The length of lines, or of the rings of polygons, on a sphere of the earth's mean radius."""
    if shapely.get_dimensions(shape) == 0:
        return 0.0
    start, end = edges(shape, 0.25)
    return float(great_circle_m(unit_vectors(start), unit_vectors(end)).sum())


def unit_vectors(positions: Array) -> Array:
    """Positions in degrees as points of the unit sphere."""
    longitude, latitude = np.radians(positions[..., 0]), np.radians(positions[..., 1])
    cosine = np.cos(latitude)
    return np.stack((cosine * np.cos(longitude), cosine * np.sin(longitude), np.sin(latitude)), axis=-1)


def great_circle_m(a: Array, b: Array) -> Array:
    """Distances between points of the unit sphere, in metres on the earth."""
    chord = np.sqrt(((a - b) ** 2).sum(axis=-1))
    distances: Array = 2 * EARTH_RADIUS_M * np.arcsin(np.minimum(chord / 2, 1))
    return distances


def centroid(shape: Shape) -> Position:
    """The centre of gravity on the sphere, also across the antimeridian and over poles; it can be outside the shape."""
    dimensions = shapely.get_dimensions(shape)
    if dimensions == 0:
        points = unit_vectors(shapely.get_coordinates(shape))
        return _position(points.sum(axis=0))
    start, end = (unit_vectors(each) for each in edges(shape, 0.05))
    if dimensions == 1:
        return _position(((start + end) * great_circle_m(start, end)[:, None]).sum(axis=0))
    # By Stokes' theorem; relative to a point of a ring, so that small shapes lose no digits, for chords, and then what
    # the arcs add to them.
    origin = start[0]
    angle = great_circle_m(start, end) / EARTH_RADIUS_M
    chords = np.cross(start - origin, end - origin)
    arcs = np.cross(start, end) * (angle**2 / 6)[:, None]
    return _position((chords + arcs).sum(axis=0))


def _position(vector: Array) -> Position:
    x, y, z = vector.tolist()
    across = hypot(x, y)
    if across < 1e-12 and abs(z) < 1e-12:  # the whole earth has no centre on its surface
        return Position(0.0, 0.0)
    # At a pole every longitude is right.
    longitude = degrees(atan2(y, x)) if across > 1e-12 * abs(z) else 0.0
    return Position(round(longitude, 7) + 0.0, round(degrees(atan2(z, across)), 7) + 0.0)
