"""Notifies an observer of engines that tests have used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

__all__ = ["Observer", "notify_observer", "observe", "use_observer"]

# Is told of an engine whenever something may have been consumed of it.
Observer: TypeAlias = Callable[[object], None]
_watcher: Observer | None = None


def notify_observer(engine: object) -> None:
    """Have an engine looked at."""
    if _watcher is not None:
        _watcher(engine)


@contextmanager
def observe(engine: object) -> Iterator[None]:
    """A block that uses an engine, which is looked at before and afterwards."""
    notify_observer(engine)
    try:
        yield
    finally:
        notify_observer(engine)


@contextmanager
def use_observer(watcher: Observer) -> Iterator[None]:
    """A block in which engines are looked at by this one."""
    global _watcher  # noqa: PLW0603 - one for the process, as a run of pytest is
    before, _watcher = _watcher, watcher
    try:
        yield
    finally:
        _watcher = before
