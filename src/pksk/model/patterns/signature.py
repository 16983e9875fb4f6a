"""The parameters of a pattern's function: their types, and a call with arguments by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["annotations_of", "called"]


def called(
    function: Callable[..., Any], parameters: Mapping[str, inspect.Parameter], given: Mapping[str, Any]
) -> Any:
    """The result of a call; `*` and `**` parameters take a list and a dict, under their own names.

    Example:
        >>> def total(first, /, *rest, scale=1): return (first + sum(rest)) * scale
        >>> called(total, inspect.signature(total).parameters, {"first": 1, "rest": [2, 3], "scale": 10})
        60
    """
    unknown = [name for name in given if name not in parameters]
    if unknown:
        raise TypeError(f"it takes no argument {unknown[0]!r}")
    signature = inspect.Signature(list(parameters.values()))
    arguments: Any = {name: given[name] for name in parameters if name in given}
    bound = inspect.BoundArguments(signature, arguments)
    bound.apply_defaults()
    return function(*bound.args, **bound.kwargs)


def annotations_of(
    function: Callable[..., Any], parameters: Mapping[str, inspect.Parameter], entity: type | None
) -> dict[str, Any]:
    """The types of what a function takes and returns, as far as their names can be found.

    That of a `*` parameter is a tuple, and that of a `**` parameter a dict, as the function gets them.
    """
    module = inspect.getmodule(function)
    names = vars(module) if module else {}
    local = {entity.__name__: entity} if entity else {}
    found: dict[str, Any] = {}
    for name, annotation in getattr(function, "__annotations__", {}).items():
        try:
            found[name] = _evaluated(annotation, names, local)
        except (NameError, AttributeError, TypeError, SyntaxError):
            continue
    for name, parameter in parameters.items():
        if name in found:
            found[name] = _as_given(found[name], parameter)
    if entity is not None and "self" in parameters:
        found.setdefault("self", entity)
    return found


def _as_given(kind: Any, parameter: inspect.Parameter) -> Any:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return tuple[kind, ...]
    return dict[str, kind] if parameter.kind is parameter.VAR_KEYWORD else kind


def _evaluated(annotation: Any, names: Mapping[str, Any], local: Mapping[str, Any]) -> Any:
    if not isinstance(annotation, str):
        return annotation
    # What typing does with the annotations of a whole function, for each by itself: one may not be known yet.
    return eval(annotation, dict(names), dict(local))
