"""Capacity units of reads and writes by size.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
"""

from __future__ import annotations

from collections.abc import Iterable

from pksk.errors import InvalidValue, quote
from pksk.limits import READ_UNIT_BYTES, WRITE_UNIT_BYTES


def read_units(size_bytes: int, *, consistent: bool = True, transactional: bool = False) -> float:
    """The read units of one item; a missing item (size 0) costs as much as the smallest one.

    Transactional reads are always consistent.

    Example:
        >>> read_units(6656), read_units(6656, consistent=False), read_units(0, transactional=True)
        (2.0, 1.0, 2.0)
    """
    if type(size_bytes) is not int or size_bytes < 0:
        _check_size(size_bytes)
    units = float(-(-size_bytes // READ_UNIT_BYTES) or 1)
    if transactional:
        return units * 2
    return units if consistent else units / 2


def write_units(size_bytes: int, *, transactional: bool = False) -> float:
    """The write units of one item of the table; pass the larger of its old and new size.

    A transaction doubles the charge of the table, but not of its indexes: leave ``transactional`` out for index
    entries.

    Example:
        >>> write_units(3584), write_units(3584, transactional=True), write_units(0)
        (4.0, 8.0, 1.0)
    """
    if type(size_bytes) is not int or size_bytes < 0:
        _check_size(size_bytes)
    units = float(-(-size_bytes // WRITE_UNIT_BYTES) or 1)
    return units * 2 if transactional else units


def query_units(total_bytes: int, *, consistent: bool = True) -> float:
    """The read units of one page of a query or scan: all bytes evaluated, rounded up once.

    The bytes are counted before filter and projection.

    Example:
        >>> query_units(1500 * 64), query_units(8 * 2000, consistent=False)
        (24.0, 2.0)
    """
    return read_units(total_bytes, consistent=consistent)


def scan_units(total_bytes: int, partitions: int, *, consistent: bool = True) -> float:
    """The read units of one page of a scan: at least the minimum from each partition that it reads.

    Example:
        >>> scan_units(0, partitions=4), scan_units(1500 * 64, partitions=4)
        (4.0, 24.0)
    """
    least = partitions * query_units(0, consistent=consistent)
    return max(query_units(total_bytes, consistent=consistent), least)


def batch_read_units(
    sizes_bytes: Iterable[int], *, consistent: bool = True, transactional: bool = False
) -> float:
    """The read units of many items got at once: each rounded up for itself.

    Example:
        >>> batch_read_units([1536, 6656])
        3.0
    """
    return sum(
        (read_units(size, consistent=consistent, transactional=transactional) for size in sizes_bytes), 0.0
    )


def batch_write_units(sizes_bytes: Iterable[int], *, transactional: bool = False) -> float:
    """The write units of many items written at once: each rounded up for itself.

    Example:
        >>> batch_write_units([500, 3584])
        5.0
    """
    return sum((write_units(size, transactional=transactional) for size in sizes_bytes), 0.0)


def _check_size(size_bytes: int) -> None:
    if isinstance(size_bytes, bool) or not isinstance(size_bytes, int) or size_bytes < 0:
        raise InvalidValue(
            "value-size-negative",
            f"{quote(size_bytes)} is not a size in bytes.",
            expected="A size is a whole number: 0 (no such item) or more.",
            fix="pass item_size(item), or 0 for a missing item.",
        )
