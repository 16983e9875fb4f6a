"""Geohashes of many positions at once, as arrays of numpy: many times faster than one by one, with equal results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from pksk.cells.coordinates import check_position
from pksk.cells.geohash import ALPHABET, GEOHASH, check_level
from pksk.errors import InvalidValue, PkskError

try:
    import numpy as np
    from numpy.typing import NDArray
except ImportError as error:
    raise PkskError(
        "cell-numpy", "Arrays of cells need numpy, which is not installed.", fix='pip install "pksk[geo]".'
    ) from error

__all__ = ["children", "decode", "encode", "neighbours", "parent"]

Cells: TypeAlias = "NDArray[np.str_]"
Numbers: TypeAlias = "NDArray[np.uint64]"
Degrees: TypeAlias = "NDArray[np.float64]"

_BITS: Final = 5
_CHARACTERS: Final = np.array([ord(character) for character in ALPHABET], np.uint32)
_NOT_A_CHARACTER: Final = 255
_VALUES: Final = np.full(128, _NOT_A_CHARACTER, np.uint8)
_VALUES[_CHARACTERS] = np.arange(32, dtype=np.uint8)
# Each step moves the upper half of each group of bits by so much, and keeps these.
_SPREAD: Final = (
    (16, 0x0000FFFF0000FFFF),
    (8, 0x00FF00FF00FF00FF),
    (4, 0x0F0F0F0F0F0F0F0F),
    (2, 0x3333333333333333),
    (1, 0x5555555555555555),
)
_AROUND: Final = tuple((up, across) for up in (1, 0, -1) for across in (-1, 0, 1) if up or across)


def encode(lats: Sequence[float] | Degrees, lngs: Sequence[float] | Degrees, level: int) -> Cells:
    """The cell of a level for each position.

    Example:
        >>> encode([51.6705, 90], [-1.2818, 180], 8).tolist()
        ['gcpjfy6d', 'zzzzzzzz']
    """
    check_level(level)
    lat, lng = np.asarray(lats, np.float64), np.asarray(lngs, np.float64)
    _check_positions(lat, lng)
    columns, rows = GEOHASH.grid(level)
    return _names(_woven(_grid_index(lng, 180, columns), _grid_index(lat, 90, rows), level), level)


def decode(cells: Sequence[str] | Cells) -> Degrees:
    """South, west, north and east of each cell, as rows of an array; cells of one level.

    Example:
        >>> decode(["gcp", "zzz"]).tolist()
        [[50.625, -1.40625, 52.03125, 0.0], [88.59375, 178.59375, 90.0, 180.0]]
    """
    numbers, level = _numbers(cells)
    column, row = _grid(numbers, level)
    columns, rows = GEOHASH.grid(level)
    width, height = 360 / (1 << columns), 180 / (1 << rows)
    south, west = row * height - 90, column * width - 180
    return np.stack((south, west, south + height, west + width), axis=-1)


def parent(cells: Sequence[str] | Cells, level: int | None = None) -> Cells:
    """The cell around each cell: of the next larger level, or of the one given.

    Example:
        >>> parent(["gcpjfy6d", "u4pruydq"], 3).tolist()
        ['gcp', 'u4p']
    """
    numbers, own = _numbers(cells)
    wanted = own - 1 if level is None else level
    check_level(wanted)
    if wanted > own:
        raise InvalidValue(
            "cell-level",
            f"Cells of level {own} have no parents of level {wanted}.",
            fix=f"pass a level from 1 to {own}, or use children.",
        )
    return _names(numbers >> np.uint64(_BITS * (own - wanted)), wanted)


def children(cells: Sequence[str] | Cells) -> Cells:
    """The 32 cells in each cell, as rows of an array.

    Example:
        >>> children(["gc", "u1"])[:, :3].tolist()
        [['gc0', 'gc1', 'gc2'], ['u10', 'u11', 'u12']]
    """
    numbers, level = _numbers(cells)
    check_level(level + 1)
    return _names((numbers[..., None] << np.uint64(_BITS)) | np.arange(32, dtype=np.uint64), level + 1)


def neighbours(cells: Sequence[str] | Cells) -> Cells:
    """The eight cells around each cell, northern ones first, as rows of an array; an empty text beyond a pole.

    Example:
        >>> neighbours(["gcp", "zzz"]).tolist()[1]
        ['', '', '', 'zzy', 'bpb', 'zzw', 'zzx', 'bp8']
    """
    numbers, level = _numbers(cells)
    columns, rows = (1 << bits for bits in GEOHASH.grid(level))
    column, row = (each.astype(np.int64)[..., None] for each in _grid(numbers, level))
    up, across = np.array(_AROUND).T
    around = row + up
    inside = (around >= 0) & (around < rows)
    wrapped = ((column + across) % columns).astype(np.uint64)
    found = _names(_woven(wrapped, np.where(inside, around, 0).astype(np.uint64), level), level)
    return np.where(inside, found, "")


def _check_positions(lat: Degrees, lng: Degrees) -> None:
    if lat.shape != lng.shape:
        raise InvalidValue(
            "cell-array",
            f"There are {lat.size:,} latitudes and {lng.size:,} longitudes.",
            fix="pass one latitude and one longitude for each position.",
        )
    right = (np.abs(lat) <= 90) & (np.abs(lng) <= 180)
    if not right.all():
        first = int(np.argmin(right.ravel()))
        check_position(float(lat.ravel()[first]), float(lng.ravel()[first]))


def _grid_index(degrees: Degrees, edge: int, bits: int) -> Numbers:
    """The column or row of each longitude or latitude, exactly as `grid_index` of `geohash` computes it."""
    count = 1 << bits
    found = np.minimum(((degrees + edge) * count / (2 * edge)).astype(np.int64), count - 1)
    found -= degrees < found * (2 * edge) / count - edge
    return found.astype(np.uint64)


def _woven(column: Numbers, row: Numbers, level: int) -> Numbers:
    """The number of the cell in each column and row: their bits in turn, the first of the column."""
    last, other = (row, column) if level % 2 == 0 else (column, row)
    return _spread(last) | _spread(other) << np.uint64(1)


def _grid(numbers: Numbers, level: int) -> tuple[Numbers, Numbers]:
    """The column and row of each number."""
    last, other = _gather(numbers), _gather(numbers >> np.uint64(1))
    return (other, last) if level % 2 == 0 else (last, other)


def _spread(numbers: Numbers) -> Numbers:
    """Each number with a zero after each bit."""
    for shift, mask in _SPREAD:
        numbers = (numbers | numbers << np.uint64(shift)) & np.uint64(mask)
    return numbers


def _gather(numbers: Numbers) -> Numbers:
    """Every second bit of each number, from the last one on."""
    numbers = numbers & np.uint64(_SPREAD[-1][1])
    for (shift, _), (_, mask) in zip(
        reversed(_SPREAD), [*reversed(_SPREAD[:-1]), (0, 0xFFFFFFFF)], strict=True
    ):
        numbers = (numbers | numbers >> np.uint64(shift)) & np.uint64(mask)
    return numbers


def _names(numbers: Numbers, level: int) -> Cells:
    """The cell with each number."""
    codes = np.empty((*numbers.shape, level), np.uint32)
    for place in range(level):
        codes[..., place] = _CHARACTERS[(numbers >> np.uint64(_BITS * (level - 1 - place))) & np.uint64(31)]
    return codes.view(f"U{level}")[..., 0]


def _numbers(cells: Sequence[str] | Cells) -> tuple[Numbers, int]:
    """The number of each cell, and their level; the first one that is not a cell raises an error."""
    names = np.ascontiguousarray(cells, np.str_)
    level = names.itemsize // 4
    check_level(level)
    codes: NDArray[Any] = names.view(np.uint32).reshape(*names.shape, level)
    values = _VALUES[np.minimum(codes, 127)]
    if (values == _NOT_A_CHARACTER).any() or (codes > 127).any():
        _raise_for(names, level)
    numbers = np.zeros(names.shape, np.uint64)
    for place in range(level):
        numbers = numbers << np.uint64(_BITS) | values[..., place].astype(np.uint64)
    return numbers, level


def _raise_for(names: Cells, level: int) -> None:
    for name in names.ravel().tolist():
        GEOHASH.number(name)
        if len(name) != level:
            raise InvalidValue(
                "cell-array",
                f"Cell {name!r} has level {len(name)}, and another one level {level}.",
                fix="pass cells of one level.",
            )
