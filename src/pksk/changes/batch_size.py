"""How many changes a handler gets at once: fewer after slow calls and outages, and more again after quick ones."""

from __future__ import annotations

_GROWTH = 10


class BatchSize:
    """A number of changes that adapts to the handler.

    Example:
        >>> size = BatchSize(100, slow_seconds=5)
        >>> size.note(100, seconds=8)
        >>> size.current
        50
        >>> size.note(50, seconds=1)
        >>> size.current
        60
    """

    def __init__(self, most: int, *, slow_seconds: float) -> None:
        self.current = self._most = most
        self._slow_seconds = slow_seconds

    def note(self, count: int, seconds: float) -> None:
        """Note how long a call with so many changes took."""
        if seconds > self._slow_seconds:
            self.current = max(1, min(self.current, count) // 2)
        elif count >= self.current:
            self.current = min(self._most, self.current + max(1, self._most // _GROWTH))

    def halve(self) -> None:
        """Note that a call failed since what it calls is overloaded or down."""
        self.current = max(1, self.current // 2)
