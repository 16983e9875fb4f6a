"""Views: the part of the map that a screen shows, and the length of the cells that it is drawn with."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan, degrees, isfinite, log, pi, radians, sinh, tan
from typing import Final, TypeAlias

from .geohash import OffTheMap, check_place, columns_bits, index, rows_bits

LENGTHS: Final = range(3, 9)
# Four blocks of 32 by 32 cells, which should be enough for one screen.
MOST_CELLS: Final = 4096
# Columns from west to east and rows from south to north, both ends included.
Rectangle: TypeAlias = tuple[range, range]

_TILE: Final = 256
_LEAST_PIXELS: Final = 32
# Maps in Mercator's projection do not go beyond it.
_MOST_LATITUDE: Final = degrees(atan(sinh(pi)))


@dataclass(frozen=True)
class View:
    """A part of the map in degrees, borders included; if west is greater than east, it spans the 180th meridian.

    Longitudes beyond 180 are accepted, as maps give them that were turned more than once around.

    Example:
        >>> View(-20, 170, -10, 190)
        View(south=-20, west=170, north=-10, east=-170)
        >>> View(139.6, 35.6, 139.8, 35.8)
        Traceback (most recent call last):
        examples.heatmap.geohash.OffTheMap: Latitude 139.6 is not within -90 to 90. Are latitude and longitude swapped?
    """

    south: float
    west: float
    north: float
    east: float

    def __post_init__(self) -> None:
        if not (isfinite(self.west) and isfinite(self.east)):
            raise OffTheMap(f"A view from {self.west} to {self.east} has no width: both must be numbers.")
        whole = self.east - self.west >= 360
        west, east = (-180, 180) if whole else (_turned(self.west), _turned(self.east))
        check_place(self.south, self.west if abs(self.west) <= 180 else west)
        check_place(self.north, self.east if abs(self.east) <= 180 else east)
        if self.south > self.north:
            raise OffTheMap(
                f"The south of a view is {self.south}, which is north of its north, {self.north}."
            )
        object.__setattr__(self, "west", west)
        object.__setattr__(self, "east", east)

    def __contains__(self, place: tuple[float, float]) -> bool:
        lat, lng = place
        within = self.west <= lng <= self.east
        around = self.west > self.east and (lng >= self.west or lng <= self.east)
        return self.south <= lat <= self.north and (within or around)

    def rectangles(self, length: int) -> list[Rectangle]:
        """The cells of a length that the view touches: one rectangle, or two across the meridian."""
        bits = columns_bits(length)
        south, north = (index(each, 90, rows_bits(length)) for each in (self.south, self.north))
        rows = range(south, north + 1)
        west, east = index(self.west, 180, bits), index(self.east, 180, bits)
        if self.west <= self.east:
            return [(range(west, east + 1), rows)]
        if west <= east:
            return [(range(1 << bits), rows)]
        return [(range(east + 1), rows), (range(west, 1 << bits), rows)]

    def cells(self, length: int) -> int:
        """How many cells of a length it touches."""
        return sum(len(columns) * len(rows) for columns, rows in self.rectangles(length))


def screen(lat: float, lng: float, zoom: int, width: int = 1920, height: int = 1080) -> View:
    """The view of a web map on a screen of so many pixels around a place.

    Example:
        >>> near = screen(51.5, -0.12, 17)
        >>> round(near.east - near.west, 5), round(near.north - near.south, 5)
        (0.0206, 0.00721)
    """
    check_place(lat, lng)
    world = _TILE * 2**zoom
    middle = log(tan(pi / 4 + radians(max(-_MOST_LATITUDE, min(lat, _MOST_LATITUDE))) / 2))
    half_height, half_width = pi * height / world, 180 * width / world
    south, north = (
        max(-_MOST_LATITUDE, min(degrees(atan(sinh(middle + way * half_height))), _MOST_LATITUDE))
        for way in (-1, 1)
    )
    return View(south, lng - half_width, north, lng + half_width)


def length_at(zoom: int, pixels: int = _LEAST_PIXELS) -> int:
    """The greatest length of cells that are at least so many pixels wide at a zoom of a web map.

    Example:
        >>> [length_at(zoom) for zoom in (5, 8, 11, 14, 16, 18)]
        [3, 4, 5, 6, 7, 8]
    """
    world = _TILE * 2**zoom
    fitting = [length for length in LENGTHS if world >= pixels << columns_bits(length)]
    return max(fitting, default=LENGTHS[0])


def length_of(view: View, most: int = MOST_CELLS) -> int:
    """The greatest length of which a view has at most so many cells; the world has 32,768 of the shortest.

    Example:
        >>> length_of(View(51.4, -0.3, 51.6, 0.1)), length_of(View(-90, -180, 90, 180))
        (6, 3)
    """
    fitting = [length for length in LENGTHS if view.cells(length) <= most]
    return max(fitting, default=LENGTHS[0])


def _turned(degrees: float) -> float:
    """A longitude turned into -180 to 180, with both ends unchanged."""
    return degrees if -180 <= degrees <= 180 else (degrees + 180) % 360 - 180
