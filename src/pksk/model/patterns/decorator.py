"""The decorator that makes an access pattern of a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pksk.errors import DesignError
from pksk.model.patterns.declared import Declared
from pksk.model.patterns.of_class import MARK
from pksk.model.patterns.pattern import Pattern
from pksk.model.patterns.rates import Rate
from pksk.model.patterns.tables import tables_of

__all__ = ["access"]

T = TypeVar("T")


def access(
    *,
    rate: Rate | None = None,
    items: int | None = None,
    item_size: int | None = None,
    consistent: bool | None = None,
    example: Mapping[str, Any] | None = None,
) -> Callable[[T], T]:
    """Register a function that returns a request as an access pattern; the function itself stays as it is.

    `rate` is in calls per second, or text such as "500/day"; `items` and `item_size` are what a call reads;
    `example` are arguments for a call, where none can be made from the annotations. In the body of an entity
    it stands above `@classmethod`; a pattern over several entities is a function beside them.

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
    """
    declared = Declared(rate, items, item_size, consistent, example)

    def register(function: T) -> T:
        plain = getattr(function, "__func__", function)
        if not callable(plain) or not hasattr(plain, "__qualname__"):
            raise DesignError(
                "access-kind",
                f"@access on {function!r}, which is no function.",
                fix="put it above a function.",
            )
        declared.check(plain.__qualname__)
        if _in_class(plain, function):
            setattr(plain, MARK, declared)
        else:
            _register_function(plain, declared)
        return function

    return register


def _in_class(plain: Callable[..., Any], function: object) -> bool:
    owner = plain.__qualname__.rpartition(".")[0]
    return plain is not function or (owner != "" and not owner.endswith("<locals>"))


def _register_function(function: Callable[..., Any], declared: Declared) -> None:
    pattern = Pattern(function.__name__, function, declared)
    tables = tables_of(function)
    if not tables:
        raise DesignError(
            "access-no-table",
            f"{pattern.name}: its code names no entity, so no table has the pattern.",
            fix="name an entity in the function or in its return type; entities stand above the function.",
        )
    pattern.check()
    for table in tables:
        table.register_pattern(pattern)
