"""Lists of positions as arrays of longitude and latitude, checked number by number."""

from __future__ import annotations

from decimal import Decimal
from itertools import chain
from typing import Any, Final, NoReturn

from pksk.errors import InvalidValue, quote
from pksk.geometry.libraries import Array, np
from pksk.geometry.repairs import RepairLog

__all__ = ["DECIMALS", "read_list", "read_position", "read_positions", "without_repeats"]

# A grid of 1e-7 degrees is one of about a centimetre; OpenSearch indexes shapes on one as fine.
DECIMALS = 7


_NESTING: Final = "write the coordinates as GeoJSON nests them for this type, or correct the type."


def read_list(value: Any, path: str, holds: str, *, fix: str = _NESTING) -> list[Any]:
    """A list of JSON."""
    if isinstance(value, list | tuple):
        return list(value)
    raise InvalidValue(
        "geometry-coordinates",
        f"{path} is {quote(value)}, which is not a list.",
        expected=f"It must be a list of {holds}.",
        fix=fix,
    )


def read_position(value: Any, path: str, log: RepairLog) -> Array:
    """An array of one position."""
    _check_position(read_list(value, path, "numbers: longitude, latitude"), path)
    return _to_array([value], path, log, single=True)


def read_positions(value: Any, path: str, log: RepairLog) -> Array:
    """An array with a row of longitude and latitude for each position, on the grid of `DECIMALS`."""
    return _to_array(read_list(value, path, "positions"), path, log)


def without_repeats(positions: Array) -> Array:
    """The positions that differ from the one before them."""
    if len(positions) < 2:
        return positions
    changed = (positions[1:] != positions[:-1]).any(axis=1)
    return positions if changed.all() else positions[np.concatenate(([True], changed))]


def _to_array(items: list[Any], path: str, log: RepairLog, *, single: bool = False) -> Array:
    """Sets of types and lengths show in two passes of C that nothing is wrong; only then is Python spared a loop."""
    if not items:
        return np.empty((0, 2))
    if not all(issubclass(kind, list | tuple) for kind in set(map(type, items))):
        _find_fault(items, path)
    lengths = set(map(len, items))
    if min(lengths) < 2 or not all(map(_is_number, set(map(type, chain.from_iterable(items))))):
        _find_fault(items, path)
    if lengths != {2}:
        log.add("altitude", path)
        items = [position[:2] for position in items]
    try:
        flat = np.fromiter(chain.from_iterable(items), np.float64, 2 * len(items))
    except (OverflowError, ValueError):
        _find_fault(items, path)
    positions = flat.reshape(-1, 2)
    _check_ranges(positions, path, single=single)
    # Adding 0 makes -0.0 a 0.0.
    return np.round(positions, DECIMALS) + 0.0


def _is_number(kind: type) -> bool:
    return issubclass(kind, int | float | Decimal) and kind is not bool


def _find_fault(items: list[Any], path: str) -> NoReturn:
    for index, item in enumerate(items):
        where = f"{path}[{index}]"
        _check_position(read_list(item, where, "numbers: longitude, latitude"), where)
    raise AssertionError(f"no fault in {path}")


def _check_position(position: list[Any], path: str) -> None:
    problem = ""
    if len(position) < 2:
        problem = f"{path} is {quote(position)}, which has {'one number' if position else 'no numbers'}."
    for index, number in enumerate(position):
        if not _is_number(type(number)) or not _fits_a_float(number):
            problem = f"{path}[{index}] is {quote(number)}, which is not a number of degrees."
            break
    if problem:
        raise InvalidValue(
            "geometry-coordinates",
            problem,
            expected="A position is [longitude, latitude] in degrees.",
            fix="correct the position, or leave it out.",
        )


def _fits_a_float(number: Any) -> bool:
    try:
        float(number)
    except (OverflowError, ValueError):
        return False
    return True


def _check_ranges(positions: Array, path: str, *, single: bool) -> None:
    size = np.abs(positions)
    # A comparison with NaN is false.
    good = (size[:, 0] <= 180) & (size[:, 1] <= 90)
    if good.all():
        return
    index = int(np.argmin(good))
    longitude, latitude = positions[index].tolist()
    where = path if single else f"{path}[{index}]"
    raise InvalidValue(
        "geometry-range",
        f"{where} is [{longitude!r}, {latitude!r}], which is not a place on earth.",
        expected="Longitudes run from -180 to 180, latitudes from -90 to 90; GeoJSON has the longitude first.",
        fix=_advice(size, longitude, latitude),
    )


def _advice(size: Array, longitude: float, latitude: float) -> str:
    if not np.isfinite(size).all():
        return "leave out what is not a finite number."
    if size.max() > 1000:
        return "convert the coordinates to degrees of WGS 84; these look like metres of a map projection."
    if (size[:, 1] > 90).any() and (size[:, 0] <= 90).all() and (size[:, 1] <= 180).all():
        return "did you swap latitude and longitude? Write the longitude first."
    if abs(latitude) <= 90 and abs(longitude) <= 540:
        wrapped = (longitude + 180) % 360 - 180
        return f"write {wrapped:.7g}; a shape across the antimeridian goes on at -180, and is split there."
    return "correct the position."
