"""The decorator that makes an access pattern of a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Never, NoReturn, TypeVar

from pksk.errors import DesignError
from pksk.model.patterns.calls import Calls
from pksk.model.patterns.declared import Declared
from pksk.model.patterns.pattern import Pattern
from pksk.model.patterns.place import body_of
from pksk.model.patterns.rates import Rate
from pksk.model.patterns.tables import incomplete, named, tables_of

__all__ = ["access"]

T = TypeVar("T")


def access(
    *functions: Never,
    rate: Rate | None = None,
    items: int | None = None,
    item_size: int | None = None,
    consistent: bool | None = None,
    example: Mapping[str, Any] | None = None,
) -> Callable[[T], T]:
    """Register a function that returns a request as an access pattern; it is called as before.

    `rate` is in calls per second, or text such as "500/day"; `items` and `item_size` are what a call reads;
    `example` are arguments for a call, where none can be made from the annotations. In the body of an entity
    it stands above `@classmethod`; a pattern over several entities is a function beside them, or a static method of
    any class. A request that a call returns knows its pattern, and so `explain()` knows what was declared.

    Example:
        >>> from pksk import Entity, Key, Query, Table
        >>> shop = Table("shop")
        >>> class Order(Entity, table=shop):
        ...     customer: str
        ...     id: str
        ...     primary = Key("CUST#{customer}", "ORDER#{id}")
        ...
        ...     @access(rate=5, items=20)
        ...     @classmethod
        ...     def of_customer(cls, customer: str) -> Query["Order"]:
        ...         return cls.primary(customer=customer)
        >>> shop.patterns
        [Pattern('Order.of_customer', query)]
        >>> Order.of_customer("7").pattern.name
        'Order.of_customer'
    """
    if functions:
        _refuse_bare(functions[0])
    declared = Declared(rate, items, item_size, consistent, example)

    def register(function: T) -> T:
        plain = _plain(function)
        name = plain.__qualname__.rpartition("<locals>.")[2]
        declared.check(name)
        _check_returns_at_once(plain, name)
        calls = Calls(plain, name, declared)
        body = body_of(plain)
        if body == "class":
            _check_static(function, plain, name)
        if body != "model":
            _register_function(calls)
        made: Any = calls.wrapper
        if isinstance(function, classmethod | staticmethod):
            made = type(function)(made)
        return made  # type: ignore[no-any-return]

    return register


def _refuse_bare(function: Any) -> NoReturn:
    name = getattr(function, "__qualname__", repr(function)).rpartition("<locals>.")[2]
    raise DesignError("access-kind", f"{name}: @access stands without parentheses.", fix="write @access().")


def _plain(function: Any) -> Callable[..., Any]:
    """The function itself, without what makes a class method or a static method of it."""
    plain: Any = function.__func__ if isinstance(function, classmethod | staticmethod) else function
    if not callable(plain) or not hasattr(plain, "__qualname__") or isinstance(plain, type):
        raise DesignError(
            "access-kind",
            f"@access on {function!r}, which is no function.",
            fix="put it above a function, with its parentheses: @access().",
        )
    return plain  # type: ignore[no-any-return]


def _check_returns_at_once(function: Callable[..., Any], name: str) -> None:
    """Refuse functions whose call does not give requests, but something to wait for or to run through."""
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        _refuse_kind(
            name, "it is async, and a request is built without waiting for anything", "take async out"
        )
    if inspect.isgeneratorfunction(function):
        _refuse_kind(name, "it yields, and a call must give its requests at once", "return a list of them")


def _refuse_kind(name: str, problem: str, fix: str) -> NoReturn:
    raise DesignError("access-kind", f"{name}: {problem}.", fix=f"{fix}.")


def _check_static(function: object, plain: Callable[..., Any], name: str) -> None:
    """Refuse methods of a class that is no entity where they need the class or an object of it."""
    first = next(iter(inspect.signature(plain).parameters), "")
    if isinstance(function, classmethod) or (function is plain and first in ("self", "cls")):
        raise DesignError(
            "access-method",
            f"{name}: it takes {first!r}, and its class is no Entity, so no call of it can be planned.",
            fix="make it a @staticmethod, a function beside the entities, or a @classmethod of an Entity.",
        )


def _register_function(calls: Calls) -> None:
    pattern = Pattern(calls.name, calls.wrapper, calls.declared)
    found = named(calls.function)
    tables = tables_of(found)
    if not tables:
        raise DesignError(
            "access-no-table",
            f"{pattern.name}: its code names no entity, so no table has the pattern.",
            fix="name an entity in the function or in its return type; entities stand above the function.",
        )
    pattern.awaits = tuple(incomplete(found))
    pattern.check_once_complete()
    for table in tables:
        table.register_pattern(pattern)
