"""Exact relations of shapes; the antimeridian is one line, and a pole is one point."""

from __future__ import annotations

from pksk.geometry.libraries import Array, Shape, np, shapely

__all__ = ["covers", "covers_each", "intersects"]


def covers(a: Shape, b: Shape) -> bool:
    """Whether all of one shape is inside another one or on its boundary."""
    return bool(shapely.covers(_whole(a) if _at_seam(b) else a, b))


def covers_each(a: Shape, positions: Array) -> list[bool]:
    """Whether each position is inside a shape or on its boundary.

    The shape is copied, as what is prepared for many positions must not be used by several threads.
    """
    around = np.abs(positions).max(axis=0, initial=0)
    whole = _whole(a) if around[0] >= 180 or around[1] >= 90 else a
    prepared = shapely.transform(whole, lambda coordinates: coordinates)
    shapely.prepare(prepared)
    held: list[bool] = shapely.intersects_xy(prepared, positions[:, 0], positions[:, 1]).tolist()
    return held


def intersects(a: Shape, b: Shape) -> bool:
    """Whether two shapes have a point in common."""
    return bool(shapely.intersects(_whole(a) if _at_seam(b) else a, b))


def _at_seam(shape: Shape) -> bool:
    west, south, east, north = shapely.bounds(shape).tolist()
    return bool(west <= -180 or east >= 180 or south <= -90 or north >= 90)


def _whole(shape: Shape) -> Shape:
    """A shape with its continuation beyond the antimeridian, and with all longitudes of the poles that it reaches."""
    west, south, east, north = shapely.bounds(shape).tolist()
    shifts = [360 * turn for turn, touches in ((1, west <= -180), (-1, east >= 180)) if touches]
    copies = [
        shapely.transform(shape, lambda positions, by=by: positions + np.array([by, 0])) for by in shifts
    ]
    poles = [pole for pole, reached in ((-90, south <= -90), (90, north >= 90)) if reached]
    lines = [shapely.linestrings([[-180, pole], [180, pole]]) for pole in poles]
    return shapely.union_all([shape, *copies, *lines]) if copies or lines else shape
