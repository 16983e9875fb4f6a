"""Tells whoever wants to know what tests do to engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

__all__ = ["Watcher", "look", "watched", "watched_by"]

# Is told of an engine whenever something may have been consumed of it.
Watcher: TypeAlias = Callable[[object], None]
_watcher: Watcher | None = None


def look(engine: object) -> None:
    """Have an engine looked at."""
    if _watcher is not None:
        _watcher(engine)


@contextmanager
def watched(engine: object) -> Iterator[None]:
    """A block that uses an engine, which is looked at before and afterwards."""
    look(engine)
    try:
        yield
    finally:
        look(engine)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """A block in which engines are looked at by this one."""
    global _watcher  # noqa: PLW0603 - one for the process, as a run of pytest is
    before, _watcher = _watcher, watcher
    try:
        yield
    finally:
        _watcher = before
