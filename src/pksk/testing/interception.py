"""Answers requests of boto3, aiobotocore and libraries built on them by an engine in process."""

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
from pksk.testing.scopes import Backend

from . import environment, patches
from .engine_observer import observe
from .scopes import Endpoints, Scope

__all__ = ["Interception", "decorate", "intercept"]

_US_EAST_1 = "us-east-1"


AnEngine = TypeVar("AnEngine", bound=Backend)
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class Interception(Generic[AnEngine]):
    """A block, or a function, in which requests for DynamoDB and its streams go to an engine.

    It may be entered again, also while it is open; without an engine of yours each time has a new one.
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
            stack.callback(environment.restore_variables, environment.lend_variables(_region(engine)))
            stack.callback(environment.forget_default_session, environment.default_session())
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

    def __call__(self, decorated_one: Decorated) -> Decorated:
        """A function, or a class of tests, each call of which is such a block."""
        return decorate(decorated_one, lambda: Interception(self._engine, self._endpoints))

    def _latest(self) -> tuple[Scope, ExitStack]:
        """The block that ends: the last of this thread or task, where several share this one."""
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
    """A block in which requests for DynamoDB and its streams go to an engine, and nothing else changes.

    It is for boto3, botocore, aiobotocore and what stands on them, for clients of any age and in all
    threads. The block gives the engine: the one that it was given, or a new one in memory, which is
    closed at its end. As a decorator it does so for every call of a function or every test of a class.

    Requests to AWS are routed; those of clients that were told another endpoint only if `endpoints`
    names it: `"localhost:8000"`, a pattern such as `"*.example.com"`, or `"*"` for all.

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
            f"{quote(engine)} is no engine.",
            expected="Requests go to what `Engine.open` gives, or to a new engine where none is given.",
            fix="write intercept(Engine.open(...)), or intercept() for one in memory.",
        )
    return Interception(engine, Endpoints(endpoints))


def _region(engine: object) -> str:
    return engine.settings.region if isinstance(engine, Engine) else _US_EAST_1


# Makes a block; each call has one of its own, since calls may overlap.
_Block = Callable[[], AbstractContextManager[Any]]


def decorate(one: Decorated, block: _Block) -> Decorated:
    """A function each call of which is run in a block, or a class each test of which is."""
    if inspect.isclass(one):
        _decorate_class(one, block)
        return one
    return cast("Decorated", wraps(one)(_wrap_function(one, block)))


def _decorate_class(kind: type, block: _Block) -> None:
    if issubclass(kind, TestCase):
        # It has setUp and tearDown around the test, in the same block.
        run: Callable[..., Any] = kind.run
        setattr(kind, "run", decorate(run, block))  # noqa: B010 - mypy has it for a method of TestCase
        return
    if hasattr(kind, "setup_method"):
        _decorate_set_up(kind, block)
        return
    for name, member in inspect.getmembers_static(kind, inspect.isfunction):
        if name.startswith("test"):
            setattr(kind, name, decorate(member, block))


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
                    except BaseException as error:  # it is the function's, as in `yield from`
                        step = values.athrow(error)

    return call
