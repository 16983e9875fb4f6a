"""Intercepts the requests of boto3, aiobotocore and libraries built on them, for an engine in process."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from contextlib import AbstractContextManager, ExitStack, aclosing
from functools import wraps
from types import TracebackType
from typing import Any, Generic, TypeVar, cast, overload
from unittest import TestCase

from pksk.engine import Engine
from pksk.errors import InvalidValue, quote

from . import environment, patches
from .engine_observer import observe
from .scopes import Backend, Endpoints, Scope

AnEngine = TypeVar("AnEngine", bound=Backend)
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class Interception(Generic[AnEngine]):
    """A block or function whose requests for DynamoDB and its streams go to an engine.

    It can be entered again, also while it is open; without an engine of yours, each block has a new one.
    """

    def __init__(self, engine: AnEngine | None, endpoints: Endpoints) -> None:
        self._engine = engine
        self._endpoints = endpoints
        self._open: list[tuple[Scope, ExitStack]] = []

    def __enter__(self) -> AnEngine:
        with ExitStack() as stack:
            patches.install()
            stack.callback(patches.remove)
            engine = self._engine
            if engine is None:
                engine = cast("AnEngine", stack.enter_context(Engine.open()))
            region = engine.settings.region if isinstance(engine, Engine) else "us-east-1"
            stack.callback(environment.restore_variables, environment.set_variables(region))
            stack.callback(environment.restore_default_session, environment.default_session())
            stack.enter_context(observe(engine))
            scope = Scope(engine, self._endpoints)
            scope.open()
            stack.callback(scope.close)
            self._open.append((scope, stack.pop_all()))
        return engine

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        ended = self._latest()
        self._open.remove(ended)
        ended[1].close()

    def __call__(self, function: Decorated) -> Decorated:
        """Run each call of a function, or each test of a class, in a block of its own."""
        return decorate(function, lambda: Interception(self._engine, self._endpoints))

    def _latest(self) -> tuple[Scope, ExitStack]:
        """The block that ends: the last one of this thread or task, if several share the interception."""
        entered = list(self._open)
        here = [each for each in entered if each[0].is_here()]
        return (here or entered)[-1]


@overload
def intercept(engine: None = None, *, endpoints: str | Iterable[str] = ()) -> Interception[Engine]: ...
@overload
def intercept(engine: AnEngine, *, endpoints: str | Iterable[str] = ()) -> Interception[AnEngine]: ...
@overload
def intercept(engine: Decorated, /) -> Decorated: ...
def intercept(engine: Any = None, *, endpoints: str | Iterable[str] = ()) -> Any:
    """A block whose requests for DynamoDB and its streams go to an engine.

    It works for boto3, botocore, aiobotocore and libraries built on them, in all threads, also for clients that exist
    already. The block returns the engine: yours, or a new one in memory, which is closed at its end. As a decorator, it
    is a block for each call of a function or each test of a class.

    Requests to AWS are intercepted, and those to other endpoints in `endpoints`: `"localhost:8000"`, a pattern such as
    `"*.example.com"`, or `"*"` for all.

    Example:
        >>> import boto3
        >>> with intercept() as engine:
        ...     orders = boto3.resource("dynamodb").create_table(
        ...         TableName="orders", BillingMode="PAY_PER_REQUEST",
        ...         KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        ...         AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
        ...     put = orders.put_item(Item={"pk": "7"})
        ...     engine.call("Scan", {"TableName": "orders"})["Items"]
        [{'pk': {'S': '7'}}]
    """
    if callable(engine) and not hasattr(engine, "answer"):
        interception: Interception[Engine] = Interception(None, Endpoints(endpoints))
        return interception(engine)
    if engine is not None and not callable(getattr(engine, "answer", None)):
        raise InvalidValue(
            "testing-engine",
            f"{quote(engine)} is not an engine.",
            expected="intercept takes an engine of `Engine.open`, or no argument for a new one.",
            fix="write intercept(Engine.open(...)), or intercept() for one in memory.",
        )
    return Interception(engine, Endpoints(endpoints))


# Creates a block for each call, since calls may overlap.
_Block = Callable[[], AbstractContextManager[Any]]


def decorate(function: Decorated, block: _Block) -> Decorated:
    """Run each call of a function, or each test of a class, in a block."""
    if inspect.isclass(function):
        _decorate_class(function, block)
        return function
    return cast("Decorated", wraps(function)(_wrap_function(function, block)))


def _decorate_class(kind: type, block: _Block) -> None:
    if issubclass(kind, TestCase):
        # `run` calls setUp, the test and tearDown.
        run: Callable[..., Any] = kind.run
        setattr(kind, "run", decorate(run, block))  # noqa: B010 - mypy rejects the assignment
        return
    if hasattr(kind, "setup_method"):
        _decorate_set_up(kind, block)
        return
    for name, member in inspect.getmembers_static(kind, inspect.isfunction):
        if name.startswith("test"):
            setattr(kind, name, decorate(member, block))


def _decorate_set_up(kind: Any, block: _Block) -> None:
    """Run pytest's `setup_method`, the test and `teardown_method` in one block, as in unittest."""
    setup, teardown = kind.setup_method, getattr(kind, "teardown_method", None)
    open_blocks: dict[int, ExitStack] = {}

    def setup_method(self: object, method: object = None) -> None:
        with ExitStack() as stack:
            stack.enter_context(block())
            _call_with(setup, self, method)
            open_blocks[id(self)] = stack.pop_all()

    def teardown_method(self: object, method: object = None) -> None:
        with open_blocks.pop(id(self), ExitStack()):
            if teardown is not None:
                _call_with(teardown, self, method)

    kind.setup_method, kind.teardown_method = setup_method, teardown_method


def _call_with(function: Any, instance: object, method: object) -> None:
    """Call a method of pytest, which may take the test as its argument."""
    bound = function.__get__(instance)
    bound(*([method] if inspect.signature(bound).parameters else []))


def _wrap_function(function: Callable[..., Any], block: _Block) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):
        return _wrap_coroutine(function, block)
    if inspect.isasyncgenfunction(function):
        return _wrap_async_generator(function, block)
    if inspect.isgeneratorfunction(function):
        return _wrap_generator(function, block)

    def call(*args: Any, **kwargs: Any) -> Any:
        with block():
            return function(*args, **kwargs)

    return call


def _wrap_coroutine(function: Callable[..., Any], block: _Block) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        with block():
            return await function(*args, **kwargs)

    return call


def _wrap_generator(function: Callable[..., Any], block: _Block) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        with block():
            return (yield from function(*args, **kwargs))

    return call


def _wrap_async_generator(function: Callable[..., Any], block: _Block) -> Callable[..., Any]:
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
                    except BaseException as error:  # the generator handles it, as in `yield from`
                        step = values.athrow(error)

    return call
