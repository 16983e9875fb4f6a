"""Notifies an observer of the engines that tests use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

# Gets an engine whenever tests may have consumed units of it.
Observer: TypeAlias = Callable[[object], None]
_observer: Observer | None = None


def notify_observer(engine: object) -> None:
    """Notify the observer of an engine."""
    if _observer is not None:
        _observer(engine)


@contextmanager
def observe(engine: object) -> Iterator[None]:
    """A block that uses an engine; notifies the observer before and after."""
    notify_observer(engine)
    try:
        yield
    finally:
        notify_observer(engine)


@contextmanager
def use_observer(observer: Observer) -> Iterator[None]:
    """A block with this observer."""
    global _observer  # noqa: PLW0603 - one for each process, as a run of pytest
    before, _observer = _observer, observer
    try:
        yield
    finally:
        _observer = before
