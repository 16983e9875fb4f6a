"""Requests of boto3, aiobotocore and what stands on them, answered by an engine with no socket between."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar, cast, overload

from pksk.engine import Engine
from pksk.errors import InvalidValue, quote

from . import environment, patches
from .decoration import decorated
from .endpoints import Endpoints
from .scopes import Scope
from .watching import watched

__all__ = ["Answers", "Interception", "intercept"]

_US_EAST_1 = "us-east-1"


class Answers(Protocol):
    """What requests can be routed to: an engine, or whatever stands before one and answers as it does."""

    def answer(self, operation: str, body: bytes, /) -> tuple[int, bytes]:
        """The status and body that answer a request's body."""


AnEngine = TypeVar("AnEngine", bound=Answers)
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
            stack.callback(environment.give_back, environment.lend(_region(engine)))
            stack.callback(environment.forget_default_session, environment.default_session())
            stack.enter_context(watched(engine))
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
        return decorated(decorated_one, lambda: Interception(self._engine, self._endpoints))

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
