"""Rings and lines that cross the antimeridian or go around a pole, as shapes between -180 and 180 degrees."""

from __future__ import annotations

from math import ceil, floor

from pksk.geometry.libraries import Array, Shape, np, shapely
from pksk.geometry.positions import DECIMALS, without_repeats
from pksk.geometry.repairs import RepairLog

__all__ = ["crosses", "has_long_edges", "joined", "line_pieces", "ring_area", "split", "with_short_edges"]


def has_long_edges(positions: Array) -> bool:
    """Whether an edge is longer than 180 degrees."""
    return bool((np.abs(np.diff(positions[:, 0])) > 180).any())


def crosses(ring: Array) -> bool:
    """Whether a ring crosses the antimeridian, by its edges longer than 180 degrees.

    An edge from -180 to 180 can be a whole parallel: it is, unless the ring crosses itself or others that way.
    """
    lengths = np.abs(np.diff(ring[:, 0]))
    longest = lengths.max(initial=0)
    if longest == 360 and not ((lengths > 180) & (lengths < 360)).any():
        return not shapely.is_valid(shapely.polygons(ring))
    return bool(longest > 180)


def ring_area(ring: Array, path: str, log: RepairLog) -> Shape:
    """What a ring encloses, valid and between -180 and 180 degrees; it can be empty."""
    crossing = crosses(ring)
    if crossing:
        ring = _unwrapped(ring)
        turns = round((ring[-1, 0] - ring[0, 0]) / 360)
        log.add("antimeridian" if turns == 0 else "pole", path)
        if turns:
            ring = _closed_over_pole(ring, turns)
    area = shapely.polygons(ring)
    if not shapely.is_valid(area):
        # Flat rings are of no area rather than crossing themselves.
        area = shapely.make_valid(area, method="structure", keep_collapsed=False)
        log.add("self-crossing" if area.area else "empty", path)
    return split(area) if crossing else area


def _unwrapped(positions: Array) -> Array:
    """The positions with longitudes that continue beyond 180 or -180 degrees."""
    steps = np.diff(positions[:, 0])
    turns = np.where(np.abs(steps) > 180, -np.sign(steps), 0).cumsum()
    unwrapped = positions.copy()
    unwrapped[1:, 0] += 360 * turns
    return unwrapped


def _closed_over_pole(ring: Array, turns: int) -> Array:
    """The area between a ring that goes around the earth and the nearer pole.

    It begins at its vertex nearest to the pole, so that the edges to the pole do not cross it.
    """
    middle = float(np.diff(ring[:, 0]) @ (ring[1:, 1] + ring[:-1, 1])) * turns
    pole = 90 if middle > 0 or (middle == 0 and turns > 0) else -90
    first = int(np.argmin(np.abs(pole - ring[:-1, 1])))
    path = np.concatenate((ring[first:-1], _shifted(ring[: first + 1], 360 * turns)))
    corners = [[path[-1, 0], pole], [path[0, 0], pole], path[0].tolist()]
    return np.concatenate((path, corners))


def _shifted(positions: Array, degrees: float) -> Array:
    return np.column_stack((positions[:, 0] + degrees, positions[:, 1]))


def split(area: Shape) -> Shape:
    """The pieces of an area between each two antimeridians, moved to between -180 and 180 degrees."""
    if shapely.is_empty(area):
        return area
    west, _, east, _ = shapely.bounds(area).tolist()
    pieces = []
    for turn in range(floor((west + 180) / 360), ceil((east - 180) / 360) + 1):
        piece = shapely.intersection(area, shapely.box(360 * turn - 180, -90, 360 * turn + 180, 90))
        pieces.append(shapely.transform(piece, lambda positions, by=-360 * turn: _shifted(positions, by)))
    return shapely.union_all(pieces)


def joined(area: Shape) -> Shape:
    """The reverse of `split`: an area whose parts on either side of the antimeridian are one, beyond 180 degrees."""

    def moved(positions: Array) -> Array:
        return _shifted(positions, 360)

    parts = shapely.get_parts(area)
    west = shapely.bounds(parts)[:, 0] < 0
    return shapely.union_all([*parts[~west], *(shapely.transform(part, moved) for part in parts[west])])


def line_pieces(line: Array) -> list[Array]:
    """A line, cut where it crosses the antimeridian."""
    pieces, first = [], 0
    for last in np.flatnonzero(np.abs(np.diff(line[:, 0])) > 180).tolist():
        before, after = _crossing(line[last], line[last + 1])
        pieces.append(np.concatenate((line[first : last + 1], [before])))
        line[last] = after
        first = last
    pieces = [without_repeats(piece) for piece in [*pieces, line[first:]]]
    return [piece for piece in pieces if len(piece) > 1]


def _crossing(start: Array, end: Array) -> tuple[list[float], list[float]]:
    """Where an edge crosses the antimeridian: the position on either side."""
    side = 180.0 if start[0] > 0 else -180.0
    length = end[0] + 2 * side - start[0]
    share = (side - start[0]) / length if length else 0.0
    latitude = round(float(start[1] + share * (end[1] - start[1])), DECIMALS)
    return [side, latitude], [-side, latitude]


def with_short_edges(ring: Array) -> Array:
    """A ring whose edges longer than 180 degrees are cut at longitude 0, so that no reader takes them for crossings."""
    steps = np.diff(ring[:, 0])
    long = np.flatnonzero(np.abs(steps) > 180)
    if not len(long):
        return ring
    latitudes = ring[long, 1] - ring[long, 0] / steps[long] * (ring[long + 1, 1] - ring[long, 1])
    middles = np.column_stack((np.zeros(len(long)), np.round(latitudes, DECIMALS)))
    return np.insert(ring, long + 1, middles, axis=0)
