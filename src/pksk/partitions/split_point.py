"""Where a partition is cut in two: half of its weight before, half after."""

from __future__ import annotations

from collections.abc import Iterable

from .placement import PLACE_BYTES, PLACES

__all__ = ["middle", "split_point"]


def split_point(
    weighted: Iterable[tuple[bytes, float]], total: float, *, whole: bool = False
) -> bytes | None:
    """The key that a second half begins with, given row keys in order with their weights.

    The cut lies where half of `total` is reached: between two partition keys, then it is their place
    alone, or within the rows of one. With `whole` these stay together, and the cut is the nearest
    one between partition keys. None where there is no cut with rows on both sides.

    Example:
        >>> rows = [(b"place--1" + b"a", 10), (b"place--2" + b"a", 10), (b"place--2" + b"b", 80)]
        >>> split_point(rows, 100), split_point(rows, 100, whole=True), split_point(rows[1:], 90, whole=True)
        (b'place--2b', b'place--2', None)
    """
    half, before = total / 2, 0.0
    last: bytes | None = None
    chosen: bytes | None = None
    distance = 0.0
    for key, weight in weighted:
        if last is not None:
            starts = key[:PLACE_BYTES] != last[:PLACE_BYTES]
            far = abs(before - half)
            if chosen is not None and before >= half and far >= distance:
                break
            if (starts or not whole) and (chosen is None or far < distance):
                chosen, distance = key[:PLACE_BYTES] if starts else key, far
        before += weight
        last = key
    return chosen


def middle(low: bytes, high: bytes | None) -> bytes | None:
    """The place half way between two bounds, None where there is none between them.

    Example:
        >>> middle(b"", None).hex(), middle(bytes.fromhex("c000000000000000"), None).hex()
        ('8000000000000000', 'e000000000000000')
        >>> middle(b"place--1a", b"place--1b") is None
        True
    """
    first = int.from_bytes(low[:PLACE_BYTES].ljust(PLACE_BYTES, b"\x00"))
    after = PLACES if high is None else int.from_bytes(high[:PLACE_BYTES].ljust(PLACE_BYTES, b"\x00"))
    between = (first + after) // 2
    return between.to_bytes(PLACE_BYTES) if first < between < after else None
