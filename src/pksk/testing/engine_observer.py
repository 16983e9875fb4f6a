"""Notifies observers of the engines that tests use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

# Gets an engine whenever tests may have consumed units of it.
Observer: TypeAlias = Callable[[object], None]
_observers: tuple[Observer, ...] = ()


def notify_observers(engine: object) -> None:
    """Notify the observers of an engine."""
    for each in _observers:
        each(engine)


@contextmanager
def observe(engine: object) -> Iterator[None]:
    """A block that uses an engine; notifies the observers before and after."""
    notify_observers(engine)
    try:
        yield
    finally:
        notify_observers(engine)


@contextmanager
def use_observer(observer: Observer) -> Iterator[None]:
    """A block with one more observer."""
    global _observers  # noqa: PLW0603 - one tuple for each process, as a run of pytest
    before, _observers = _observers, (*_observers, observer)
    try:
        yield
    finally:
        _observers = before
