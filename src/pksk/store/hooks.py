"""Hooks: functions that are called when a request starts, and again when it is finished."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from logging import getLogger
from typing import TYPE_CHECKING, Any, TypeAlias

from pksk.dataclass import dataclass

if TYPE_CHECKING:
    from pksk.model.requests.request import Request

_LOG = getLogger("pksk.store")


@dataclass(frozen=True, slots=True)
class RequestStarted:
    """One request on its way: `about` is the read or write that it is sent for, `attempt` counts from 1.

    Example:
        >>> from pksk import Entity, Key, Put, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> put = Put(Order(id="7"))
        >>> sending = RequestStarted("PutItem", put.request, put)
        >>> sending.tables, sending.entities, sending.pattern
        (('shop',), ('Order',), None)
    """

    operation: str
    request: Mapping[str, Any]
    about: Request | None = None
    attempt: int = 1

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables that the request is about."""
        request = self.request
        if "RequestItems" in request:
            return tuple(request["RequestItems"])
        if "TransactItems" in request:
            inner = (next(iter(each.values())) for each in request["TransactItems"])
            return tuple(dict.fromkeys(each["TableName"] for each in inner))
        return (request["TableName"],) if "TableName" in request else ()

    @property
    def entities(self) -> tuple[str, ...]:
        """The names of the entities that the read or write is about."""
        return entity_names(self.about)

    @property
    def pattern(self) -> str | None:
        """The access pattern that made the read or write, if one did."""
        made = None if self.about is None else self.about.pattern
        return None if made is None else made.name


def entity_names(about: Request | None) -> tuple[str, ...]:
    """The names of the entities of a read or write; several for a batch, a transaction or a collection."""
    return () if about is None else tuple(dict.fromkeys(each.__name__ for each in about.entities))


@dataclass(frozen=True, slots=True)
class RequestFinished:
    """How a request ended: with an answer or an error, after so many seconds.

    Example:
        >>> from pksk import Table, connect
        >>> def slow(sending: RequestStarted) -> Finish:
        ...     return lambda done: print(sending.operation, done.error, done.seconds < 60)
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


def start_hooks(hooks: Iterable[Hook], sending: RequestStarted) -> list[Finish]:
    """Tell all hooks that a request is sent; gives what is to be told when it is over.

    A hook that fails is logged, and the request goes on.
    """
    told = [_safely(hook, sending) for hook in hooks]
    return [lambda done, finish=finish: _safely(finish, done) for finish in told if finish is not None]  # type: ignore[misc]


def _safely(function: Callable[[Any], Any], argument: Any) -> Any:
    try:
        return function(argument)
    except Exception:
        _LOG.exception("a hook of the store failed: %r", function)
        return None
