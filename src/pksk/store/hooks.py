"""Hooks: functions that are called when a request starts, and again when it is finished."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from logging import getLogger
from typing import Any, TypeAlias, TypeVar

from pksk.dataclass import dataclass
from pksk.model import Batch, Transaction

__all__ = [
    "Finish",
    "Hook",
    "RequestFinished",
    "RequestStarted",
    "entity_names",
    "is_entity",
    "start_hooks",
    "with_shared_pattern",
]

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
    about: Any = None
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
        made = None if is_entity(self.about) else getattr(self.about, "pattern", None)
        return made.name if made is not None else None


def is_entity(about: Any) -> bool:
    """Whether a put was given as the entity itself, whose fields may have any names."""
    return hasattr(type(about), "__pksk__")


def entity_names(about: Any) -> tuple[str, ...]:
    """The names of the entities of a read or write; several for a batch, a transaction or a collection."""
    if is_entity(about):
        return (type(about).__name__,)
    if hasattr(about, "members"):
        return tuple(dict.fromkeys(name for each in about.members for name in entity_names(each)))
    kinds = getattr(about, "entities", None) or (getattr(about, "entity", None),)
    return tuple(dict.fromkeys(kind.__name__ for kind in kinds if kind is not None))


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


R = TypeVar("R", Batch[Any], Transaction[Any])


def with_shared_pattern(request: R) -> R:
    """The same batch or transaction, as made by the pattern of its members; itself where they do not share one.

    Example:
        >>> from pksk import Entity, Get, Key, Table, access, batch
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        ...     @access(rate=1)
        ...     @classmethod
        ...     def many(cls, ids: list[str]) -> list[Get["Order"]]:
        ...         return [cls.primary.get(id=id) for id in ids]
        >>> with_shared_pattern(batch(*Order.many(["1", "2"]))).pattern.name
        'Order.many'
    """
    if request.pattern is not None:
        return request
    first = request.members[0].pattern
    if first is None or any(each.pattern != first for each in request.members):
        return request
    return request.with_pattern(first)
