"""Geohashes: squares of the map, named so that a shorter name is the square around a longer one.

A name of n characters is 5n bits, of longitude and latitude in turn, longitude first. Its characters sort like
bytes, so names sort like their numbers, and the names between two others are a stretch of one curve through all
squares. A square includes its southern and western borders, and the last squares also the pole and the 180th
meridian. This is only what the heatmap needs; coverings of circles and polygons come with pksk's package for
places.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, cos, isfinite, radians, sin, sqrt
from typing import Final

ALPHABET: Final = "0123456789bcdefghjkmnpqrstuvwxyz"
_VALUES: Final = {character: value for value, character in enumerate(ALPHABET)}
_BITS: Final = 5
_EARTH_KM: Final = 6371.0


class OffTheMap(ValueError):
    """A place or a view that is not on the map."""


@dataclass(frozen=True)
class Area:
    """What a square covers, in degrees."""

    south: float
    west: float
    north: float
    east: float

    @property
    def middle(self) -> tuple[float, float]:
        """Latitude and longitude of its middle."""
        return (self.south + self.north) / 2, (self.west + self.east) / 2


def check_place(lat: float, lng: float) -> None:
    """Raise an error if this is not a place; swapped coordinates are noticed where possible."""
    if not (isfinite(lat) and isfinite(lng)):
        raise OffTheMap(f"{lat}, {lng} is not a place: both must be numbers.")
    if not -90 <= lat <= 90:
        swapped = " Are latitude and longitude swapped?" if -90 <= lng <= 90 and -180 <= lat <= 180 else ""
        raise OffTheMap(f"Latitude {lat} is not within -90 to 90.{swapped}")
    if not -180 <= lng <= 180:
        raise OffTheMap(f"Longitude {lng} is not within -180 to 180.")


def encode(lat: float, lng: float, length: int) -> str:
    """The square of this length that contains a place.

    Example:
        >>> encode(51.6705, -1.2818, 8)
        'gcpjfy6d'
        >>> encode(90, 180, 3), encode(-90, -180, 3)
        ('zzz', '000')
    """
    check_place(lat, lng)
    column, row = index(lng, 180, columns_bits(length)), index(lat, 90, rows_bits(length))
    return cell_of(_woven(column, row, length), length)


def area(cell: str) -> Area:
    """What a square covers.

    Example:
        >>> area("gcp")
        Area(south=50.625, west=-1.40625, north=52.03125, east=0.0)
    """
    column, row = _place(cell)
    width, height = 360 / (1 << columns_bits(len(cell))), 180 / (1 << rows_bits(len(cell)))
    south, west = row * height - 90, column * width - 180
    return Area(south, west, south + height, west + width)


def children(cell: str) -> tuple[tuple[str, ...], ...]:
    """The 32 squares in a square as they are on the map, the northern row first.

    Those of an odd length are 8 wide and 4 high, those of an even length 4 wide and 8 high.

    Example:
        >>> for row in children("gc"):
        ...     print(*row)
        gcb gcc gcf gcg gcu gcv gcy gcz
        gc8 gc9 gcd gce gcs gct gcw gcx
        gc2 gc3 gc6 gc7 gck gcm gcq gcr
        gc0 gc1 gc4 gc5 gch gcj gcn gcp
    """
    length = len(cell) + 1
    wide, high = (8, 4) if length % 2 else (4, 8)
    column, row = _place(cell)
    return tuple(
        tuple(
            cell_of(_woven(column * wide + across, row * high + up, length), length) for across in range(wide)
        )
        for up in reversed(range(high))
    )


def neighbours(cell: str) -> tuple[str, ...]:
    """The squares around a square, northern ones first; across the 180th meridian, but not beyond a pole.

    Example:
        >>> neighbours("gcp")
        ('gcq', 'gcr', 'u12', 'gcn', 'u10', 'gby', 'gbz', 'u0b')
    """
    column, row = _place(cell)
    columns, rows = 1 << columns_bits(len(cell)), 1 << rows_bits(len(cell))
    around = ((up, across) for up in (1, 0, -1) for across in (-1, 0, 1) if up or across)
    found = (
        cell_of(_woven((column + across) % columns, row + up, len(cell)), len(cell))
        for up, across in around
        if 0 <= row + up < rows
    )
    return tuple(dict.fromkeys(found))


def number_of(cell: str) -> int:
    """The number of a square among those of its length, in the order of their names."""
    found = 0
    for character in cell:
        if character not in _VALUES:
            raise OffTheMap(f"{cell!r} is not a cell: {character!r} is not one of {ALPHABET}.")
        found = found << _BITS | _VALUES[character]
    return found


def cell_of(number: int, length: int) -> str:
    """The name of the square with this number among those of a length."""
    return "".join(ALPHABET[number >> _BITS * place & 31] for place in reversed(range(length)))


def columns_bits(length: int) -> int:
    """The number of bits of a column number, for squares of this length."""
    return (_BITS * length + 1) // 2


def rows_bits(length: int) -> int:
    """The number of bits of a row number, for squares of this length."""
    return _BITS * length // 2


def index(degrees: float, edge: int, bits: int) -> int:
    """The column or row of a longitude or latitude; the last one includes its upper edge."""
    count = 1 << bits
    found = min(int((degrees + edge) * count / (2 * edge)), count - 1)
    # Degrees just below a border are rounded onto it by the sum above; borders themselves have no error.
    return found - 1 if degrees < found * (2 * edge) / count - edge else found


def distance_km(lat: float, lng: float, other_lat: float, other_lng: float) -> float:
    """The distance of two places on a globe."""
    half_up, half_across = radians(other_lat - lat) / 2, radians(other_lng - lng) / 2
    square = sin(half_up) ** 2 + cos(radians(lat)) * cos(radians(other_lat)) * sin(half_across) ** 2
    return 2 * _EARTH_KM * asin(min(1.0, sqrt(square)))


def _woven(column: int, row: int, length: int) -> int:
    """Column and row as one number: their bits in turn, the first of the column."""
    found = 0
    across, up = columns_bits(length), rows_bits(length)
    for bit in range(_BITS * length):
        if bit % 2 == 0:
            across -= 1
            found = found << 1 | column >> across & 1
        else:
            up -= 1
            found = found << 1 | row >> up & 1
    return found


def _place(cell: str) -> tuple[int, int]:
    """The column and row of a square."""
    column = row = 0
    bits = _BITS * len(cell)
    woven = number_of(cell)
    for bit in range(bits):
        value = woven >> (bits - 1 - bit) & 1
        if bit % 2 == 0:
            column = column << 1 | value
        else:
            row = row << 1 | value
    return column, row
