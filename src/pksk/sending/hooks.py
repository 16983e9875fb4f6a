"""Hooks: functions that run when a call to DynamoDB starts, and again when it is finished."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from logging import getLogger
from typing import Any, Final, TypeAlias, TypeVar

from pksk.dataclass import dataclass
from pksk.model.requests.request import Request

_LOG = getLogger("pksk.store")
# What hooks see as the operation when a consumer of changes calls its handler.
HANDLE_CHANGES: Final = "HandleChanges"
A = TypeVar("A")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class RequestStarted:
    """A call to DynamoDB that starts: `request` is the read or write that it is sent for, `attempt` counts from 1.

    Example:
        >>> from pksk import Entity, Key, Put, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> put = Put(Order(id="7"))
        >>> started = RequestStarted("PutItem", put.request, put)
        >>> started.tables, started.entities, started.pattern
        (('shop',), ('Order',), None)
    """

    operation: str
    parameters: Mapping[str, Any]
    request: Request | None = None
    attempt: int = 1

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables of the call."""
        parameters = self.parameters
        if "RequestItems" in parameters:
            return tuple(parameters["RequestItems"])
        if "TransactItems" in parameters:
            inner = (next(iter(each.values())) for each in parameters["TransactItems"])
            return tuple(dict.fromkeys(each["TableName"] for each in inner))
        return (parameters["TableName"],) if "TableName" in parameters else ()

    @property
    def entities(self) -> tuple[str, ...]:
        """The names of the entities of the read or write."""
        return entity_names(self.request)

    @property
    def pattern(self) -> str | None:
        """The access pattern that made the read or write, if one did."""
        pattern = None if self.request is None else self.request.pattern
        return None if pattern is None else pattern.name


def entity_names(request: Request | None) -> tuple[str, ...]:
    """The names of the entities of a read or write; several for a batch, a transaction or a collection."""
    return () if request is None else tuple(dict.fromkeys(each.__name__ for each in request.entities))


@dataclass(frozen=True, slots=True)
class RequestFinished:
    """How a call ended: with an answer or an error, after so many seconds.

    Example:
        >>> from pksk import Table, connect
        >>> def slow(started: RequestStarted) -> Finish:
        ...     return lambda finished: print(started.operation, finished.error, finished.seconds < 60)
        >>> with connect("memory:", hooks=[slow]) as db:
        ...     db.create_tables(Table("orders"))
        CreateTable None True
        DescribeTable None True
    """

    answer: Mapping[str, Any] | None
    error: BaseException | None
    seconds: float


Finish: TypeAlias = Callable[[RequestFinished], None]
Hook: TypeAlias = Callable[[RequestStarted], Finish | None]


def start_hooks(hooks: Iterable[Hook], started: RequestStarted) -> list[Finish]:
    """Call all hooks when a call starts; returns the functions to call when it is finished.

    The error of a hook is logged, and the call goes on.
    """
    finishes = [_safely(hook, started) for hook in hooks]
    return [lambda finished, each=each: _safely(each, finished) for each in finishes if each is not None]  # type: ignore[misc]


def _safely(function: Callable[[A], R], argument: A) -> R | None:
    try:
        return function(argument)
    except Exception:
        _LOG.exception("a hook of the store failed: %r", function)
        return None
