"""A storage that fails at chosen steps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pksk.engine.storage import Reader, Row, Storage, Writer

__all__ = ["FaultyStorage"]


class FaultyStorage:
    """Passes everything on, and raises at a chosen step: a read, a write or the commit."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._left = 0
        self._error: BaseException | None = None
        # Raised after a commit, as an interrupt is that comes while the disk is waited for.
        self.late: BaseException | None = None
        # Raised by commits that are shared.
        self.shared: BaseException | None = None

    def fail(self, step: int, error: BaseException) -> None:
        """Raise this at the step with this number, counted from now."""
        self._left, self._error = step, error

    def heal(self) -> bool:
        """Fail no more; gives whether it has failed."""
        failed = self._error is not None and self._left <= 0
        self._error = None
        return failed

    def step(self) -> None:
        """One more thing that can fail."""
        self._left -= 1
        if self._left == 0 and self._error is not None:
            raise self._error

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        self.step()
        with self._storage.reading() as reader:
            yield _Faulty(reader, self)

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        self.step()
        with self._storage.writing() as writer:
            yield _Faulty(writer, self)
            self.step()  # the commit: it rolls back the block, as a failed commit does
        if self.late is not None:
            raise self.late

    @contextmanager
    def sharing_commit(self) -> Iterator[None]:
        self.step()
        kept: Exception | None = None
        with self._storage.writing():
            try:
                yield
            except Exception as error:  # blocks that had ended are stored nevertheless
                kept = error
            self.step()
            if self.shared is not None:
                raise self.shared
        if kept is not None:
            raise kept

    def is_free(self) -> bool:
        return self._storage.is_free()

    def get(self, space: int, key: bytes) -> Row | None:
        self.step()
        return self._storage.get(space, key)

    def notes(self, prefix: str) -> dict[str, bytes]:
        self.step()
        return self._storage.notes(prefix)

    def abandon(self) -> None:
        self._storage.abandon()

    def close(self) -> None:
        self._storage.close()


class _Faulty:
    """A reader or writer that counts every call as a step."""

    def __init__(self, view: Reader, storage: FaultyStorage) -> None:
        self._view = view
        self._storage = storage

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._view, name)

        def stepping(*arguments: Any, **named: Any) -> Any:
            self._storage.step()
            return call(*arguments, **named)

        return stepping

    def rows(self, space: int, low: bytes, high: bytes | None, *, backwards: bool = False) -> Iterator[Row]:
        for row in self._view.rows(space, low, high, backwards=backwards):
            self._storage.step()
            yield row
