"""What one partition key can serve per second, and how far its load is from that."""

from __future__ import annotations

from math import inf
from typing import Final, Literal, TypeAlias

from pksk.dataclass import dataclass
from pksk.partitions.spread import Share

Side: TypeAlias = Literal["read", "write"]

# What one partition serves per second.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
PARTITION_READ_UNITS: Final = 3000
PARTITION_WRITE_UNITS: Final = 1000


@dataclass(frozen=True)
class Ceiling:
    """The units per second that one partition key value can serve.

    A new key begins in one partition. DynamoDB splits a busy partition, within an item collection too, so that a key
    can serve more after some minutes. `why_fixed` says why it cannot split this one: then nothing raises the ceiling.

    Example:
        >>> print(Ceiling("write"))
        1,000 write units a second, until DynamoDB splits its partition
        >>> print(Ceiling("read", "its table has a local index"))
        3,000 read units a second, which no split raises: its table has a local index
    """

    side: Side
    why_fixed: str = ""

    @property
    def units(self) -> int:
        """The units per second."""
        return PARTITION_READ_UNITS if self.side == "read" else PARTITION_WRITE_UNITS

    def __str__(self) -> str:
        after = (
            f", which no split raises: {self.why_fixed}"
            if self.why_fixed
            else ", until DynamoDB splits its partition"
        )
        return f"{self.units:,} {self.side} units a second{after}"


@dataclass(frozen=True)
class KeyLoad:
    """The load of the busiest partition key: the units of all keys, and the share that one of them receives.

    Example:
        >>> load = KeyLoad(Ceiling("write"), units=2000, share=Share(0.25, 0.4))
        >>> load.lowest, load.highest, load.headroom, load.least_headroom
        (500.0, 800.0, 2.0, 1.25)
    """

    ceiling: Ceiling
    units: float
    share: Share

    @property
    def lowest(self) -> float:
        """The units per second that the busiest key receives at least."""
        return self.units * self.share.lowest

    @property
    def highest(self) -> float:
        """The units per second that the busiest key can receive at most."""
        return self.units * self.share.highest

    @property
    def headroom(self) -> float:
        """How many times the load can grow before the busiest key certainly reaches its ceiling."""
        return self.ceiling.units / self.lowest if self.lowest else inf

    @property
    def least_headroom(self) -> float:
        """How many times the load can grow before the busiest key may reach its ceiling."""
        return self.ceiling.units / self.highest if self.highest else inf

    @property
    def exceeds(self) -> bool:
        """Whether the busiest key certainly receives more than its ceiling."""
        return self.lowest > self.ceiling.units

    @property
    def may_exceed(self) -> bool:
        """Whether the busiest key may receive more than its ceiling."""
        return self.highest > self.ceiling.units
