"""The blocks of a storage in memory; each is made once and entered by all, since its state is in `Kept`."""

from __future__ import annotations

from ..contract import BlockAbandoned, Reader, StorageClosed, Writer
from .kept import Kept
from .views import MemoryReader, MemoryWriter

__all__ = ["Reading", "Sharing", "Writing"]


class _Block:
    __slots__ = ("_kept",)

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def _take_lock(self) -> Kept:
        kept = self._kept
        kept.lock.acquire()
        if kept.closed:
            kept.lock.release()
            raise StorageClosed
        return kept


class Reading(_Block):
    """Keeps writers out while it lasts."""

    __slots__ = ("_reader",)

    def __init__(self, kept: Kept) -> None:
        super().__init__(kept)
        self._reader = MemoryReader(kept)

    def __enter__(self) -> Reader:
        self._take_lock()
        return self._reader

    def __exit__(self, *_raised: object) -> None:
        try:
            self._kept.lock.release()
        except RuntimeError:  # the block was abandoned
            return


class Writing(_Block):
    """Undoes what was done in it when an exception leaves it."""

    __slots__ = ("_writer",)

    def __init__(self, kept: Kept) -> None:
        super().__init__(kept)
        self._writer = MemoryWriter(kept)

    def __enter__(self) -> Writer:
        kept = self._take_lock()
        kept.marks.append((len(kept.undo), kept.spaces))
        return self._writer

    def __exit__(self, kind: type[BaseException] | None, *_raised: object) -> None:
        kept = self._kept
        if kept.abandoned and not kept.is_own():
            return _abandoned(kind)
        marks = kept.marks
        if kind is not None:
            if issubclass(kind, Exception):
                kept.restore(marks[-1])
            else:
                kept.mend(marks[-1])
        marks.pop()  # from here on an interrupt takes back nothing
        if not marks:
            kept.undo.clear()
        kept.lock.release()


class Sharing(_Block):
    """There is no commit to share; others see nothing before the end all the same, as in a file."""

    __slots__ = ()

    def __enter__(self) -> None:
        self._take_lock().sharers += 1

    def __exit__(self, kind: type[BaseException] | None, *_raised: object) -> None:
        kept = self._kept
        if kept.abandoned and not kept.is_own():
            return _abandoned(kind)
        kept.sharers -= 1
        kept.lock.release()


def _abandoned(kind: type[BaseException] | None) -> None:
    if kind is None:
        raise BlockAbandoned
