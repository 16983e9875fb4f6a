"""How many partitions a table or an index begins with, by the throughput that it is to carry."""

from __future__ import annotations

from typing import Final

__all__ = ["READ_UNITS", "WRITE_UNITS", "initial_count", "warm_count"]

# What one partition carries in a second.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
READ_UNITS: Final = 3000
WRITE_UNITS: Final = 1000
_ON_DEMAND: Final = 4


def initial_count(mode: str, read_units: int = 0, write_units: int = 0) -> int:
    """The partitions of a new table: four on demand, and otherwise enough for its units.

    Example:
        >>> initial_count("PAY_PER_REQUEST"), initial_count("PROVISIONED", read_units=5500, write_units=1500)
        (4, 4)
    """
    if mode == "PAY_PER_REQUEST":
        return _ON_DEMAND
    # The shares of both limits are added, over a common denominator so that nothing is rounded.
    needed = read_units * WRITE_UNITS + write_units * READ_UNITS
    return max(1, -(-needed // (READ_UNITS * WRITE_UNITS)))


def warm_count(read_units: int, write_units: int) -> int:
    """The partitions that a table needs to take so many reads and so many writes in a second at once.

    Example:
        >>> warm_count(12_000, 4_000), warm_count(30_000, 10_000)
        (4, 10)
    """
    return max(1, -(-read_units // READ_UNITS), -(-write_units // WRITE_UNITS))
