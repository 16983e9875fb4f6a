"""The level of cells that fits a zoom of a map, or a size on the ground; and the view of a screen."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan, cos, degrees, log, pi, radians, sinh, tan
from typing import Final

from pksk.cells.box import Box
from pksk.cells.circle import check_metres
from pksk.cells.coordinates import EARTH_RADIUS_M, check_position
from pksk.cells.cover import cover
from pksk.cells.geohash import GEOHASH, LEVELS, grid_index
from pksk.cells.region import Region
from pksk.errors import InvalidValue

_TILE_PIXELS: Final = 256
# Maps in Mercator's projection end here.
_MERCATOR_END: Final = degrees(atan(sinh(pi)))


def level_of_zoom(zoom: float, pixels: float = 32, levels: Sequence[int] = LEVELS) -> int:
    """The smallest cells that are at least so many pixels wide at a zoom of a web map; the largest if none is.

    Example:
        >>> [level_of_zoom(zoom, levels=range(3, 9)) for zoom in (5, 8, 11, 14, 16, 18)]
        [3, 4, 5, 6, 7, 8]
    """
    world = _TILE_PIXELS * 2**zoom
    fitting = [level for level in levels if world >= pixels * (1 << GEOHASH.grid(level)[0])]
    return max(fitting, default=min(levels))


def cell_count(view: Box, level: int) -> int:
    """How many cells of a level a view touches, without listing them.

    Example:
        >>> cell_count(Box(51.4, -0.3, 51.6, 0.1), 6)
        1406
    """
    column_bits, row_bits = GEOHASH.grid(level)
    rows = grid_index(view.north, 90, row_bits) - grid_index(view.south, 90, row_bits) + 1
    sides = [
        (grid_index(part.west, 180, column_bits), grid_index(part.east, 180, column_bits))
        for part in view.parts
    ]
    columns = sum(east - west + 1 for west, east in sides)
    return min(columns, 1 << column_bits) * rows


def level_of_count(view: Box, most: int, levels: Sequence[int] = LEVELS) -> int:
    """The smallest cells of which a view touches at most so many; the largest if there are too many of all.

    Example:
        >>> level_of_count(Box(51.4, -0.3, 51.6, 0.1), 4096), level_of_count(Box(-90, -180, 90, 180), 4096)
        (6, 2)
    """
    return max((level for level in levels if cell_count(view, level) <= most), default=min(levels))


def level_of_region(region: Region, most: int, levels: Sequence[int] = LEVELS) -> int:
    """The smallest cells of which a region touches at most so many; the largest if there are too many of all.

    Example:
        >>> from pksk.cells import Circle
        >>> [level_of_region(Circle(51.5, -0.12, radius_m=metres), 4096) for metres in (100, 10_000, 1_000_000)]
        [9, 6, 3]
    """
    chosen = min(levels)
    for level in sorted(levels):
        try:
            found = cover(region, level, suffix=1, most=most)
        except InvalidValue as error:
            if error.code != "cell-too-many":
                raise
            return chosen
        if len(found) > most:
            return chosen
        chosen = level
    return chosen


def level_of_metres(metres: float, lat: float = 0, levels: Sequence[int] = LEVELS) -> int:
    """The smallest cells that are at least so many metres wide and high at a latitude; the largest if none is.

    Cells narrow towards the poles.

    Example:
        >>> level_of_metres(500), level_of_metres(500, lat=60), level_of_metres(500, lat=89)
        (6, 6, 4)
    """
    check_metres("cell", "size", metres)
    check_position(lat, 0)
    around = 2 * pi * EARTH_RADIUS_M
    fitting = []
    for level in levels:
        columns, rows = GEOHASH.grid(level)
        width, height = around * cos(radians(lat)) / (1 << columns), around / 2 / (1 << rows)
        if min(width, height) >= metres:
            fitting.append(level)
    return max(fitting, default=min(levels))


def view_of_screen(lat: float, lng: float, zoom: float, width: int = 1920, height: int = 1080) -> Box:
    """The view of a web map on a screen of so many pixels, around a position.

    Example:
        >>> view = view_of_screen(51.5, -0.12, 17)
        >>> round(view.east - view.west, 5), round(view.north - view.south, 5)
        (0.0206, 0.00721)
    """
    check_position(lat, lng)
    world = _TILE_PIXELS * 2**zoom
    middle = log(tan(pi / 4 + radians(max(-_MERCATOR_END, min(lat, _MERCATOR_END))) / 2))
    half_height, half_width = pi * height / world, 180 * width / world
    south, north = (
        max(-_MERCATOR_END, min(degrees(atan(sinh(middle + way * half_height))), _MERCATOR_END))
        for way in (-1, 1)
    )
    return Box(south, lng - half_width, north, lng + half_width)
