"""The number and size of the rows in each space, counted once and then updated by writes."""

from __future__ import annotations

from typing import TypeAlias

_Pair: TypeAlias = tuple[int, int]


class Totals:
    """Totals of the spaces that were counted: the committed ones, and those of the writing block.

    A space that was never counted costs nothing. In `_changed`, None is a dropped space. Updating instead of
    counting makes DescribeTable and splits independent of the number of items.
    """

    def __init__(self) -> None:
        self.committed: dict[int, _Pair] = {}
        self._changed: dict[int, _Pair | None] = {}
        self._savepoints: list[dict[int, _Pair | None]] = []
        # The sizes of rows that the writing block has read, None for no row.
        self.sizes: dict[tuple[int, bytes], int | None] = {}

    def current(self, space: int) -> _Pair | None:
        """The totals as the writing block sees them, if known."""
        if space in self._changed:
            return self._changed[space]
        return self.committed.get(space)

    def store(self, space: int, totals: _Pair) -> None:
        """Store the totals that the writing block has counted."""
        self._changed[space] = totals

    def change(self, space: int, key: bytes, old: int | None, new: int | None) -> None:
        """Update the totals for a row whose size has changed; None means that there is no row."""
        totals = self.current(space)
        if totals is not None:
            rows, size = totals
            rows += (new is not None) - (old is not None)
            self._changed[space] = rows, size + (new or 0) - (old or 0)
            self.sizes[space, key] = new

    def forget(self, space: int) -> None:
        """Forget a dropped space."""
        self._changed[space] = None

    def forget_all(self) -> None:
        """Forget everything, so that totals are counted again."""
        self.committed.clear()
        self._changed.clear()
        self.sizes.clear()

    def begin_inner(self) -> None:
        """An inner block begins."""
        self._savepoints.append(dict(self._changed))

    def end_inner(self, *, keep: bool) -> None:
        """An inner block ends, and its changes are kept or rolled back."""
        before = self._savepoints.pop()
        if not keep:
            self._changed = before
            self.sizes.clear()

    def end(self, *, keep: bool) -> None:
        """All changes are committed or rolled back."""
        self.sizes.clear()
        self._savepoints.clear()
        if self._changed:
            if keep:
                self._commit()
            self._changed.clear()

    def _commit(self) -> None:
        for space, totals in self._changed.items():
            if totals is None:
                self.committed.pop(space, None)
            else:
                self.committed[space] = totals
