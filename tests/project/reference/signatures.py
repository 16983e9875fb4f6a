"""Signatures as readers need them: names, defaults, and types in short."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from pksk.model.markers import Marker

__all__ = ["about", "members", "signature"]

# What every request has from its base class, and a reader looks for at each of them.
_OF_EVERY_REQUEST = ("explain", "price")
_CONSTANTS = (str, int, float, tuple, frozenset)


def signature(name: str, value: Any) -> str:
    """The signature of a function or class, or a constant with its value; None for anything else.

    Example:
        >>> def paged(table: str, *, limit: int | None = None) -> list[str]: ...
        >>> signature("paged", paged)
        'paged(table: str, *, limit: int | None = None) -> list[str]'
        >>> signature("PLACE_BYTES", 16)
        'PLACE_BYTES = 16'
    """
    if inspect.isclass(value) and issubclass(value, Exception):
        return f"class {name}({', '.join(base.__name__ for base in value.__bases__)})"
    if isinstance(value, _CONSTANTS) or get_origin(value) is not None:
        return f"{name} = {_plain(str(value) if get_origin(value) else repr(value))}"
    if getattr(value, "_is_protocol", False):
        return f"class {name}(Protocol)"
    if inspect.isclass(value) and issubclass(value, BaseModel):
        value.model_rebuild()  # a schema that is built later makes the signature that is seen then
    try:
        called = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    return name + _parameters(called).removesuffix(" -> None" * inspect.isclass(value))


def members(kind: type) -> Iterator[tuple[str, str]]:
    """The public methods and properties of a class, each with its signature and summary."""
    found = {**{name: getattr(kind, name) for name in _OF_EVERY_REQUEST if hasattr(kind, name)}, **vars(kind)}
    ordered = [*vars(kind), *(name for name in found if name not in vars(kind))]
    hooks = vars(Marker) if issubclass(kind, Marker) else ()  # of the store, not of users
    for name in ordered:
        if name not in hooks and not name.startswith("_") and _is_member(found[name]) and about(found[name]):
            yield _written(name, found[name]), about(found[name])


def about(value: Any) -> str:
    """The first paragraph of a docstring; of constants, which have that of their type, nothing."""
    if isinstance(value, _CONSTANTS) or get_origin(value) is not None:
        return ""
    text = inspect.getdoc(value) or ""
    return " ".join(text.partition("\n\n")[0].split())


def _is_member(value: Any) -> bool:
    return inspect.isroutine(value) or isinstance(value, property | cached_property)


def _written(name: str, member: Any) -> str:
    if isinstance(member, property):
        return name
    if isinstance(member, cached_property):
        return _held(name, member.func)
    return name + _parameters(inspect.signature(_function(member)))


def _function(member: Any) -> Any:
    """The function under its decorators."""
    while True:
        inner = getattr(member, "__func__", None) or getattr(member, "__wrapped__", None)
        if inner is None:
            return member
        member = inner


def _held(name: str, function: Callable[..., Any]) -> str:
    """A property, shown as a call if its value is a function: `template.render(values)`."""
    try:
        given = get_type_hints(function).get("return")
    except NameError:  # a type that only type checkers import, which is not one of functions
        return name
    if get_origin(given) is not Callable and getattr(get_origin(given), "__name__", "") != "Callable":
        return name
    takes, gives = get_args(given)
    return f"{name}({', '.join(map(_type, takes))}) -> {_type(gives)}"


def _type(kind: Any) -> str:
    return _plain(kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind))


def _parameters(called: inspect.Signature) -> str:
    """Parameters and return type, without bound parameters and names with a leading underscore."""
    given = [each for each in called.parameters.values() if not re.match("_|(self|cls)$", each.name)]
    shown = [
        each.replace(annotation=_as_written(each.annotation), default=_default(each.default))
        for each in given
    ]
    gives = _as_written(called.return_annotation)
    return _plain(str(called.replace(parameters=shown, return_annotation=gives)))


def _as_written(annotation: Any) -> Any:
    return _Text(annotation) if isinstance(annotation, str) else annotation


def _default(value: Any) -> Any:
    """A default that is short and the same in each run; otherwise only that there is one."""
    is_shown = value is inspect.Parameter.empty or not repr(value).startswith("<")
    return value if is_shown else _Text("...")


class _Text(str):
    """A text that is shown in a signature without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _plain(text: str) -> str:
    """A type without its home: `Path`, not `pathlib.Path`."""
    return re.sub(r"(?:[A-Za-z_]\w*\.)+([A-Za-z_]\w*)", r"\1", text)
