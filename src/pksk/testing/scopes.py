"""Which interceptions are open, and which of them a request belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING

from .endpoints import Endpoints

if TYPE_CHECKING:
    from .interception import Answers

__all__ = ["Scope", "claiming"]


class Scope:
    """One block in which requests go to an engine."""

    __slots__ = ("endpoints", "engine", "is_open")

    def __init__(self, engine: Answers, endpoints: Endpoints) -> None:
        self.engine = engine
        self.endpoints = endpoints
        self.is_open = False

    def is_here(self) -> bool:
        """Whether it was opened in this thread or task, or in the one that it was copied from."""
        return self in _here.get()

    def open(self) -> None:
        """Take requests from now on."""
        self.is_open = True
        _everywhere.append(self)
        _here.set((*_still_open(), self))

    def close(self) -> None:
        """Take none any more, in whichever order scopes end and wherever this is called."""
        self.is_open = False
        _everywhere.remove(self)
        _here.set(_still_open())


# Those that were opened in this thread or task, or in the one that it was copied from.
_here: ContextVar[tuple[Scope, ...]] = ContextVar("pksk_scopes", default=())
# All of them: a thread that has opened none takes the latest.
_everywhere: list[Scope] = []


def claiming(url: str) -> Scope | None:
    """The innermost scope that answers for an address, if there is one."""
    for scope in _innermost_first():
        if url in scope.endpoints:
            return scope
    return None


def _innermost_first() -> Iterator[Scope]:
    here = _here.get()
    for scope in reversed(here):
        if scope.is_open:
            yield scope
    for scope in reversed(tuple(_everywhere)):
        if scope not in here:
            yield scope


def _still_open() -> tuple[Scope, ...]:
    return tuple(scope for scope in _here.get() if scope.is_open)
