"""Sequence numbers: one counter for each stream, which rises also when the engine is closed and opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .lineage import Draw, Stream

if TYPE_CHECKING:
    from pksk.engine.storage import Writer

__all__ = ["Sequences", "read_number", "shown_number"]

# Numbers are shown with 21 digits, the fewest that AWS has.
_SHOWN_FROM: Final = 10**20
_DIGITS: Final = len(str(_SHOWN_FROM))


class Sequences:
    """The last sequence number of each stream; only for one who is writing.

    A number that a write took and that was not stored is not given again.
    """

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: dict[int, int] = {}

    def next(self, writer: Writer, stream: Stream) -> int:
        """The next number of a stream."""
        space = stream["space"]
        last = self._last.get(space)
        if last is None:
            from .rows import last_number

            last = last_number(writer, stream)
        self._last[space] = number = last + 1
        return number

    def drawn(self, writer: Writer, stream: Stream) -> Draw:
        """A function that gives the next number of a stream with each call, as `lineage` wants it."""
        return lambda: self.next(writer, stream)


def shown_number(number: int) -> str:
    """A sequence number as answers show it.

    Example:
        >>> shown_number(7)
        '100000000000000000007'
    """
    return str(_SHOWN_FROM + number)


def read_number(shown: str) -> int | None:
    """The sequence number that a text shows; None where it could be none.

    Example:
        >>> read_number("100000000000000000007"), read_number("000000000000000000007")
        (7, None)
    """
    if len(shown) != _DIGITS or not (shown.isascii() and shown.isdigit()) or shown[0] != "1":
        return None
    return int(shown) - _SHOWN_FROM
