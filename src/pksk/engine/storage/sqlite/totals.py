"""How many rows each space has and how large they are, counted once and then kept up."""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Totals"]

_Pair: TypeAlias = tuple[int, int]


class Totals:
    """The totals of spaces that were asked for them: those committed, and those of the block that writes.

    A space that nobody asked about costs nothing. Among the changed, None is a space that was dropped.
    """

    def __init__(self) -> None:
        self.committed: dict[int, _Pair] = {}
        self._changed: dict[int, _Pair | None] = {}
        self._marks: list[dict[int, _Pair | None]] = []
        # The sizes of rows that the block that writes has seen, None where there is no row.
        self.sizes: dict[tuple[int, bytes], int | None] = {}

    def current(self, space: int) -> _Pair | None:
        """As the block that writes sees them, if they are known."""
        if space in self._changed:
            return self._changed[space]
        return self.committed.get(space)

    def counted(self, space: int, totals: _Pair) -> None:
        """They were counted, with what the block that writes has changed so far."""
        self._changed[space] = totals

    def change(self, space: int, key: bytes, old: int | None, new: int | None) -> None:
        """A row of one size became one of another; None is no row."""
        totals = self.current(space)
        if totals is not None:
            rows, size = totals
            rows += (new is not None) - (old is not None)
            self._changed[space] = rows, size + (new or 0) - (old or 0)
            self.sizes[space, key] = new

    def forget(self, space: int) -> None:
        """The space was dropped."""
        self._changed[space] = None

    def forget_all(self) -> None:
        """Nothing is sure any more, so all are counted anew when they are asked for."""
        self.committed.clear()
        self._changed.clear()
        self.sizes.clear()

    def begin_inner(self) -> None:
        """Remember what a block inside another may have to go back to."""
        self._marks.append(dict(self._changed))

    def end_inner(self, *, keep: bool) -> None:
        """The block inside another ended, and its changes hold or not."""
        before = self._marks.pop()
        if not keep:
            self._changed = before
            self.sizes.clear()

    def end(self, *, keep: bool) -> None:
        """All that was changed is committed, or nothing of it."""
        self.sizes.clear()
        self._marks.clear()
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
