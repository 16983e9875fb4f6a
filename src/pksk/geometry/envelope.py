"""Positions, and the smallest envelope of a geometry, also across the antimeridian."""

from __future__ import annotations

from typing import Any, NamedTuple

from pksk.geometry.libraries import Array, Shape, np, shapely

__all__ = ["Envelope", "Position", "envelope_of"]


class Position(NamedTuple):
    """A place on earth, in degrees.

    Example:
        >>> Position(-123.12, 49.28)
        Position(longitude=-123.12, latitude=49.28)
    """

    longitude: float
    latitude: float


class Envelope(NamedTuple):
    """Bounds in degrees; `west` is greater than `east` if they cross the antimeridian, as in a `bbox` of GeoJSON.

    Example:
        >>> fiji = Envelope(177, -20, -178, -16)
        >>> fiji.crosses_antimeridian, fiji.contains(Position(179, -18)), fiji.contains(Position(0, -18))
        (True, True, False)
        >>> fiji.to_opensearch()
        {'type': 'envelope', 'coordinates': [[177, -16], [-178, -20]]}
    """

    west: float
    south: float
    east: float
    north: float

    @property
    def crosses_antimeridian(self) -> bool:
        """Whether it goes from east of the antimeridian to west of it."""
        return self.west > self.east

    def contains(self, position: Position) -> bool:
        """Whether a position is inside or on the border."""
        longitude, latitude = position
        if not self.south <= latitude <= self.north:
            return False
        if self.crosses_antimeridian:
            return longitude >= self.west or longitude <= self.east
        return self.west <= longitude <= self.east

    def to_opensearch(self) -> dict[str, Any]:
        """OpenSearch's `envelope`: the north-west corner, then the south-east one."""
        return {"type": "envelope", "coordinates": [[self.west, self.north], [self.east, self.south]]}


def envelope_of(shape: Shape) -> Envelope:
    """The envelope of a shape that was split at the antimeridian: everything but the widest gap of longitudes."""
    bounds = shapely.bounds(shapely.get_parts(shape))
    west, east = _longitudes(bounds[:, [0, 2]])
    return Envelope(west, float(bounds[:, 1].min()), east, float(bounds[:, 3].max()))


def _longitudes(spans: Array) -> tuple[float, float]:
    spans = spans[np.argsort(spans[:, 0])]
    reached = np.maximum.accumulate(spans[:, 1])
    # The gap across the antimeridian comes first: it wins a tie, so that bounds cross only where that is smaller.
    gaps = np.concatenate(([spans[0, 0] + 360 - reached[-1]], spans[1:, 0] - reached[:-1]))
    widest = int(np.argmax(gaps))
    if widest == 0:
        return float(spans[0, 0]), float(reached[-1])
    return float(spans[widest, 0]), float(reached[widest - 1])
