"""Runs an operation of another package on a store: steps that share its connection, retries and meters."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar, overload

from pksk.sending import Core, Steps
from pksk.store.async_store import AsyncStore
from pksk.store.store import Store

T = TypeVar("T")


@overload
def run_steps(db: Store, operation: Callable[[Core], Steps[T]]) -> T: ...
@overload
def run_steps(db: AsyncStore, operation: Callable[[Core], Steps[T]]) -> Awaitable[T]: ...
def run_steps(db: Store | AsyncStore, operation: Callable[[Core], Steps[T]]) -> T | Awaitable[T]:
    """The result of an operation; an asynchronous store returns an awaitable of it.

    Example:
        >>> from pksk import connect
        >>> from pksk.sending import Call
        >>> def tables(core):
        ...     return (yield Call("ListTables", {}))["TableNames"]
        >>> run_steps(connect("memory:"), tables)
        []
    """
    return db._driver.run(operation(db._core))
