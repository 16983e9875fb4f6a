"""What is known of how much the partitions of one table hold."""

from __future__ import annotations

__all__ = ["Room"]


class Room:
    """The bytes by which a table and its global indexes can grow for sure, and what was counted for that.

    `left` is below zero when partitions are to be looked at. `sizes` has the bytes of each partition by
    its number, by the space of its rows, and only of spaces that are large. A partition that could not
    be split is tried again with more bytes than `stuck` has for its space and number.
    """

    __slots__ = ("left", "seen", "sizes", "stuck")

    def __init__(self) -> None:
        self.left: float = 0
        # Whether it was looked at yet, or at least thought of.
        self.seen = False
        self.sizes: dict[int, dict[int, int]] = {}
        self.stuck: dict[tuple[int, int], float] = {}
