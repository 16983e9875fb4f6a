"""Functions and classes of tests that run inside a block of their own."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractContextManager, ExitStack, aclosing
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
    if hasattr(kind, "setup_method"):
        _decorate_set_up(kind, block)
        return
    for name, member in inspect.getmembers_static(kind, inspect.isfunction):
        if name.startswith("test"):
            setattr(kind, name, decorated(member, block))


def _decorate_set_up(kind: Any, block: _Block) -> None:
    """One block for pytest's `setup_method`, the test and `teardown_method`, as for a case of unittest."""
    begin, end = kind.setup_method, getattr(kind, "teardown_method", None)
    under_way: dict[int, ExitStack] = {}

    def setup_method(self: object, method: object = None) -> None:
        with ExitStack() as stack:
            stack.enter_context(block())
            _call_with(begin, self, method)
            under_way[id(self)] = stack.pop_all()

    def teardown_method(self: object, method: object = None) -> None:
        with under_way.pop(id(self), ExitStack()):
            if end is not None:
                _call_with(end, self, method)

    kind.setup_method, kind.teardown_method = setup_method, teardown_method


def _call_with(function: Any, one: object, method: object) -> None:
    """Call either of them with the test, if it takes that."""
    bound = function.__get__(one)
    bound(*([method] if inspect.signature(bound).parameters else []))


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
    async def call(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        with block():
            async with aclosing(function(*args, **kwargs)) as values:
                step = values.asend(None)
                while True:
                    try:
                        value = await step
                    except StopAsyncIteration:
                        return
                    try:
                        step = values.asend((yield value))
                    except GeneratorExit:
                        raise
                    except BaseException as error:  # it is the function's, as in `yield from`
                        step = values.athrow(error)

    return call
