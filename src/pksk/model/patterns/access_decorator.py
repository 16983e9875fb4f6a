"""The @access decorator, which registers a function as an access pattern."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import update_wrapper
from math import ceil
from typing import Any, Literal, Never, NoReturn, TypeAlias, TypeVar

from pydantic import BaseModel

from pksk.errors import DesignError
from pksk.model.access_options import AccessOptions, Rate
from pksk.model.patterns.entity_patterns import PATTERN_ATTRIBUTE
from pksk.model.patterns.named_tables import incomplete_entities, named_entities, tables_of
from pksk.model.patterns.pattern import Pattern
from pksk.model.requests.request import CallingPattern, Request
from pksk.partitions import Spread

T = TypeVar("T")


def access(
    *functions: Never,
    rate: Rate | None = None,
    items: int | None = None,
    item_size: int | None = None,
    consistent: bool | None = None,
    example: Mapping[str, Any] | None = None,
    spread: Spread | Mapping[str, Spread] | None = None,
) -> Callable[[T], T]:
    """Register a function that returns a request as an access pattern; calls of the function work as before.

    `rate` is in calls per second, or text such as "500/day"; `items` and `item_size` are what a call reads;
    `example` has arguments for a call, if the annotations are not enough to make them; `spread` is how calls spread
    over partition keys, or over the values of fields by name. In the body of an entity,
    write it above `@classmethod`; a pattern over several entities is a module function or a static method of any
    class. The request of a call knows its pattern, so `explain()` can use its options.

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
        _reject_bare(functions[0])
    options = AccessOptions(rate, items, item_size, consistent, example, spread)

    def register(function: T) -> T:
        plain = _plain_function(function)
        name = plain.__qualname__.rpartition("<locals>.")[2]
        options.check(name)
        _check_returns_at_once(plain, name)
        pattern_function = PatternFunction(plain, name, options)
        body = enclosing_body(plain)
        if body == "class":
            _check_static(function, plain, name)
        if body != "model":
            _register_function(pattern_function)
        wrapper: Any = pattern_function.wrapper
        if isinstance(function, classmethod | staticmethod):
            wrapper = type(function)(wrapper)
        return wrapper  # type: ignore[no-any-return]

    return register


def _reject_bare(function: object) -> NoReturn:
    name = getattr(function, "__qualname__", repr(function)).rpartition("<locals>.")[2]
    raise DesignError("access-kind", f"{name}: @access needs parentheses.", fix="write @access().")


def _plain_function(function: object) -> Callable[..., Any]:
    """The plain function of a class method or a static method."""
    plain: Any = function.__func__ if isinstance(function, classmethod | staticmethod) else function
    if not callable(plain) or not hasattr(plain, "__qualname__") or isinstance(plain, type):
        raise DesignError(
            "access-kind",
            f"@access on {function!r}, which is not a function.",
            fix="put it above a function, with its parentheses: @access().",
        )
    return plain  # type: ignore[no-any-return]


def _check_returns_at_once(function: Callable[..., Any], name: str) -> None:
    """Reject async functions and generators, whose calls do not return requests."""
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        _reject_kind(name, "it is async, but building a request needs no await", "remove async")
    if inspect.isgeneratorfunction(function):
        _reject_kind(name, "it is a generator, but a call must return its requests", "return a list of them")


def _reject_kind(name: str, problem: str, fix: str) -> NoReturn:
    raise DesignError("access-kind", f"{name}: {problem}.", fix=f"{fix}.")


def _check_static(function: object, plain: Callable[..., Any], name: str) -> None:
    """Reject methods that need `self` or the class, in a class that is not an entity."""
    first = next(iter(inspect.signature(plain).parameters), "")
    if isinstance(function, classmethod) or (function is plain and first in ("self", "cls")):
        raise DesignError(
            "access-method",
            f"{name}: it takes {first!r}, and its class is not an Entity, so pksk cannot plan a call.",
            fix="make it a @staticmethod, a module function, or a @classmethod of an Entity.",
        )


def _register_function(pattern_function: PatternFunction) -> None:
    pattern = Pattern(pattern_function.name, pattern_function.wrapper, pattern_function.options)
    owners = named_entities(pattern_function.function)
    tables = tables_of(owners)
    if not tables:
        raise DesignError(
            "access-no-table",
            f"{pattern.name}: its code names no entity, so pksk cannot tell which table it uses.",
            fix="name an entity in the function or in its return type; define entities before the function.",
        )
    pattern.incomplete = tuple(incomplete_entities(owners))
    pattern.check_once_complete()
    for table in tables:
        table.register_pattern(pattern)


class PatternFunction:
    """The original function of a pattern, and the function that replaces it.

    Every entity below a base without table inherits the base's patterns, so the class of a call decides its pattern.
    """

    def __init__(self, function: Callable[..., Any], name: str, options: AccessOptions) -> None:
        self.function, self.name, self.options = function, name, options
        self._plain = CallingPattern(name, options)
        self._of_entity: dict[type, CallingPattern] = {}
        self.wrapper = self._wrapper()

    def belongs_to(self, entity: type, name: str) -> None:
        """Set the name of the pattern on an entity."""
        self._of_entity[entity] = CallingPattern(name, self.options)

    def _wrapper(self) -> Callable[..., Any]:
        function, of_entity, called = self.function, self._of_entity, self._called

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            pattern = called(args[0]) if of_entity and args else self._plain
            if isinstance(result, Request):
                return result.with_pattern(pattern)
            return _share_items(result, pattern) if isinstance(result, list) and result else result

        update_wrapper(wrapper, function)
        setattr(wrapper, PATTERN_ATTRIBUTE, self)
        return wrapper

    def _called(self, first: object) -> CallingPattern:
        """The pattern by the first argument of a call: the class, where it is a class method."""
        for base in first.__mro__ if isinstance(first, type) else type(first).__mro__:
            if base in self._of_entity:
                return self._of_entity[base]
        return next(iter(self._of_entity.values()))


def _share_items(requests: list[object], pattern: CallingPattern) -> list[object]:
    """Several requests of one call of a pattern."""
    options = pattern.options
    if options.items is not None:
        share = replace(options, items=ceil(options.items / len(requests)))
        pattern = CallingPattern(pattern.name, share)
    return [each.with_pattern(pattern) if isinstance(each, Request) else each for each in requests]


Body: TypeAlias = Literal["none", "model", "class"]

# What Pydantic runs the body of a model in; the body of any other class runs in another kind of dict.
_MODEL_NAMESPACE = type(type(BaseModel).__prepare__("Body", ()))


def enclosing_body(function: Callable[..., Any]) -> Body:
    """The kind of class body that is running now, if there is one.

    The class exists only after its body, so this searches the stack.
    """
    owner = function.__qualname__.rpartition(".")[0]
    frame = sys._getframe(1)
    while owner and not owner.endswith("<locals>") and frame is not None:
        if frame.f_code.co_qualname == owner and frame.f_globals.get("__name__") == function.__module__:
            return "model" if type(frame.f_locals) is _MODEL_NAMESPACE else "class"
        frame = frame.f_back  # type: ignore[assignment]
    return "none"
