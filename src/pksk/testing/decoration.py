"""Functions and classes of tests that run inside a block of their own."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import AbstractContextManager, aclosing
from functools import wraps
from typing import Any, TypeVar, cast
from unittest import TestCase

__all__ = ["decorated"]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
# Makes a block; each call has one of its own, since calls may overlap.
_Block = Callable[[], AbstractContextManager[Any]]


def decorated(one: Decorated, block: _Block) -> Decorated:
    """A function each call of which is run in a block, or a class each test of which is."""
    if inspect.isclass(one):
        _decorate_class(one, block)
        return one
    return cast("Decorated", wraps(one)(_wrapper(one, block)))


def _decorate_class(kind: type, block: _Block) -> None:
    if issubclass(kind, TestCase):
        # It has setUp and tearDown around the test, in the same block.
        run: Callable[..., Any] = kind.run
        setattr(kind, "run", decorated(run, block))  # noqa: B010 - mypy has it for a method of TestCase
        return
    for name, member in inspect.getmembers_static(kind, inspect.isfunction):
        if name.startswith("test"):
            setattr(kind, name, decorated(member, block))


def _wrapper(function: Callable[..., Any], block: _Block) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):
        return _of_coroutine(function, block)
    if inspect.isasyncgenfunction(function):
        return _of_async_generator(function, block)
    if inspect.isgeneratorfunction(function):
        return _of_generator(function, block)

    def call(*args: Any, **kwargs: Any) -> Any:
        with block():
            return function(*args, **kwargs)

    return call


def _of_coroutine(function: Callable[..., Any], block: _Block) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        with block():
            return await function(*args, **kwargs)

    return call


def _of_generator(function: Callable[..., Any], block: _Block) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        with block():
            return (yield from function(*args, **kwargs))

    return call


def _of_async_generator(function: Callable[..., Any], block: _Block) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        with block():
            async with aclosing(function(*args, **kwargs)) as values:
                async for value in values:
                    yield value

    return call
