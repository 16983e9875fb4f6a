"""Geohashes: cells of the map, each named so that its name begins with the name of the larger cell around it.

A name of n characters is 5n bits, of longitude and latitude in turn, longitude first. Names sort like their
numbers, so the cells between two names are a part of one curve through all cells. A cell includes its southern and
western borders, and the last cells also the pole and the 180th meridian.
"""

from __future__ import annotations

from typing import Final

from pksk.cells.box import Box
from pksk.cells.coordinates import check_position
from pksk.cells.curve import Block
from pksk.errors import InvalidValue, quote

ALPHABET: Final = "0123456789bcdefghjkmnpqrstuvwxyz"
LEVELS: Final = range(1, 13)
_VALUES: Final = {character: value for value, character in enumerate(ALPHABET)}
_BITS: Final = 5
# The bits of 0 to 1,023, each followed by a zero.
_SPREAD: Final = tuple(int(f"{number:b}", 4) for number in range(1024))
_AROUND: Final = tuple((up, across) for up in (1, 0, -1) for across in (-1, 0, 1) if up or across)


class Geohash:
    """The curve of geohashes: from west to east and from south to north in turn, from large parts to small ones.

    Example:
        >>> Geohash().at(127, 100, 3), Geohash().grid(3)
        ('gcp', (8, 7))
    """

    levels: Final = LEVELS
    bits: Final = _BITS

    def grid(self, level: int) -> tuple[int, int]:
        """The number of columns and of rows at a level, as powers of two."""
        return (_BITS * level + 1) // 2, _BITS * level // 2

    def world(self, level: int) -> Block:
        """All cells of a level."""
        columns, rows = self.grid(level)
        return 0, 0, 0, columns, rows, 1

    def halves(self, block: Block) -> tuple[Block, Block]:
        """The western and the eastern half of a block, or the southern and the northern one."""
        first, column, row, columns, rows, across = block
        if across:
            columns -= 1
            other = first + (1 << columns + rows), column + (1 << columns), row, columns, rows, 0
            return (first, column, row, columns, rows, 0), other
        rows -= 1
        other = first + (1 << columns + rows), column, row + (1 << rows), columns, rows, 1
        return (first, column, row, columns, rows, 1), other

    def number(self, cell: str) -> int:
        """The number of a cell among those of its level."""
        if not isinstance(cell, str):
            raise InvalidValue(
                "cell-name",
                f"{quote(cell)} is not a cell: names are text.",
                fix="pass the name of a cell, as encode(lat, lng, level) returns it.",
            )
        check_level(len(cell))
        found = 0
        for character in cell:
            if character not in _VALUES:
                raise _not_a_cell(cell, character)
            found = found << _BITS | _VALUES[character]
        return found

    def name(self, number: int, level: int) -> str:
        """The cell with a number among those of a level."""
        return "".join([ALPHABET[number >> shift & 31] for shift in range(_BITS * (level - 1), -1, -_BITS)])

    def position(self, cell: str) -> tuple[int, int]:
        """The column and the row of a cell."""
        number = self.number(cell)
        one, other = _gather(number), _gather(number >> 1)
        return (other, one) if len(cell) % 2 == 0 else (one, other)

    def at(self, column: int, row: int, level: int) -> str:
        """The cell in a column and a row."""
        one, other = (row, column) if level % 2 == 0 else (column, row)
        return self.name(_spread(one) | _spread(other) << 1, level)


GEOHASH: Final = Geohash()


def encode(lat: float, lng: float, level: int) -> str:
    """The cell of a level that contains a position.

    Example:
        >>> encode(51.6705, -1.2818, 8)
        'gcpjfy6d'
        >>> encode(90, 180, 3), encode(-90, -180, 3)
        ('zzz', '000')
    """
    check_level(level)
    check_position(lat, lng)
    columns, rows = GEOHASH.grid(level)
    return GEOHASH.at(grid_index(lng, 180, columns), grid_index(lat, 90, rows), level)


def decode(cell: str) -> Box:
    """The area of a cell; its `centre` is the position to show.

    Example:
        >>> decode("gcp")
        Box(south=50.625, west=-1.40625, north=52.03125, east=0.0)
        >>> decode("gcp").centre
        (51.328125, -0.703125)
    """
    column, row = GEOHASH.position(cell)
    columns, rows = GEOHASH.grid(len(cell))
    width, height = 360 / (1 << columns), 180 / (1 << rows)
    south, west = row * height - 90, column * width - 180
    return Box(south, west, south + height, west + width)


def parent(cell: str, level: int | None = None) -> str:
    """The cell around a cell: of the next larger level, or of the one given.

    Example:
        >>> parent("gcpjfy6d"), parent("gcpjfy6d", 3)
        ('gcpjfy6', 'gcp')
    """
    GEOHASH.number(cell)
    wanted = len(cell) - 1 if level is None else level
    check_level(wanted)
    if wanted > len(cell):
        raise InvalidValue(
            "cell-level",
            f"Cell {quote(cell)} of level {len(cell)} has no parent of level {wanted}.",
            fix=f"pass a level from 1 to {len(cell)}, or use children.",
        )
    return cell[:wanted]


def children(cell: str) -> tuple[str, ...]:
    """The 32 cells of the next smaller level in a cell, in the order of their names.

    Example:
        >>> children("gc")[0], children("gc")[-1], len(children("gc"))
        ('gc0', 'gcz', 32)
    """
    GEOHASH.number(cell)
    check_level(len(cell) + 1)
    return tuple([cell + character for character in ALPHABET])


def layout(cell: str) -> tuple[tuple[str, ...], ...]:
    """The 32 cells in a cell as they are on the map, the northern row first.

    If their level is odd, they are 8 wide and 4 high, otherwise 4 wide and 8 high.

    Example:
        >>> for row in layout("gc"):
        ...     print(*row)
        gcb gcc gcf gcg gcu gcv gcy gcz
        gc8 gc9 gcd gce gcs gct gcw gcx
        gc2 gc3 gc6 gc7 gck gcm gcq gcr
        gc0 gc1 gc4 gc5 gch gcj gcn gcp
    """
    column, row = GEOHASH.position(cell)
    level = len(cell) + 1
    check_level(level)
    wide, high = (8, 4) if level % 2 else (4, 8)
    columns, rows = range(column * wide, (column + 1) * wide), range(row * high, (row + 1) * high)
    return tuple(tuple(GEOHASH.at(across, up, level) for across in columns) for up in reversed(rows))


def neighbours(cell: str) -> tuple[str, ...]:
    """The cells around a cell, northern ones first: across the 180th meridian, but not beyond a pole.

    A cell at a pole has five of them, any other eight.

    Example:
        >>> neighbours("gcp")
        ('gcq', 'gcr', 'u12', 'gcn', 'u10', 'gby', 'gbz', 'u0b')
        >>> neighbours("zzz")
        ('zzy', 'bpb', 'zzw', 'zzx', 'bp8')
    """
    column, row = GEOHASH.position(cell)
    columns, rows = (1 << each for each in GEOHASH.grid(len(cell)))
    return tuple(
        GEOHASH.at((column + across) % columns, row + up, len(cell))
        for up, across in _AROUND
        if 0 <= row + up < rows
    )


def check_level(level: int) -> None:
    """Raise an error if cells do not have this level.

    Example:
        >>> check_level(13)
        Traceback (most recent call last):
        pksk.errors.InvalidValue: There are no cells of level 13.
        Levels are 1 to 12: the number of characters in the name of a cell.
        Fix: use a level from 1 to 12.  (pksk explain cell-level)
    """
    if level not in LEVELS or isinstance(level, bool) or not hasattr(level, "__index__"):
        raise InvalidValue(
            "cell-level",
            f"There are no cells of level {quote(level)}.",
            expected="Levels are 1 to 12: the number of characters in the name of a cell.",
            fix="use a level from 1 to 12.",
        )


def grid_index(degrees: float, edge: int, bits: int) -> int:
    """The column or row of a longitude or latitude; the last one includes its upper edge.

    Example:
        >>> grid_index(-180, 180, 8), grid_index(180, 180, 8), grid_index(-1e-300, 90, 2)
        (0, 255, 1)
    """
    count = 1 << bits
    found = min(int((degrees + edge) * count / (2 * edge)), count - 1)
    # Degrees just below a border are rounded up to it by the sum above; borders themselves have no error.
    return found - 1 if degrees < found * (2 * edge) / count - edge else found


def _not_a_cell(cell: str, character: str) -> InvalidValue:
    lower = cell.lower()
    if lower != cell and all(each in _VALUES for each in lower):
        return InvalidValue(
            "cell-name",
            f"{quote(cell)} is not a cell: names are lower case, because capitals sort elsewhere in a key.",
            fix=f"write {quote(lower)}.",
        )
    return InvalidValue(
        "cell-name",
        f"{quote(cell)} is not a cell: {quote(character)} is not a character of geohashes.",
        expected=f"They are {ALPHABET}.",
        fix="pass the name of a cell, as encode(lat, lng, level) returns it.",
    )


def _spread(number: int) -> int:
    """A number of up to 30 bits with a zero after each bit."""
    return _SPREAD[number & 1023] | _SPREAD[number >> 10 & 1023] << 20 | _SPREAD[number >> 20] << 40


def _gather(number: int) -> int:
    """Every second bit of a number, from the last one on."""
    number &= 0x5555555555555555
    for shift in (1, 2, 4, 8, 16):
        number = (number | number >> shift) & _GATHERED[shift]
    return number


_GATHERED: Final = {
    1: 0x3333333333333333,
    2: 0x0F0F0F0F0F0F0F0F,
    4: 0x00FF00FF00FF00FF,
    8: 0x0000FFFF0000FFFF,
    16: 0x00000000FFFFFFFF,
}
