"""The order in which a request's own faults are told: placeholders, then its items and keys, then expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pksk.engine.expressions import Expressions, Parameters, read_expressions
from pksk.engine.expressions.placeholders import check_mixing, check_names, check_values
from pksk.engine.faults import ServiceError, refused
from pksk.engine.texts import items as texts

__all__ = ["check_return_values", "read_in_turn"]

T = TypeVar("T")


def read_in_turn(
    request: Mapping[str, Any], parameters: Parameters, check: Callable[[Mapping[str, Any]], T]
) -> tuple[Expressions, T]:
    """A request's expressions, and what `check` gives of the rest of it; raises the first fault of all."""
    try:
        expressions = read_expressions(request, parameters)
    except ServiceError:
        check_mixing(request, parameters)
        check_names(request, parameters)
        check_values(request, parameters)
        check(request)
        raise
    return expressions, check(request)


def check_return_values(request: Mapping[str, Any]) -> None:
    """Refuse ReturnValues that only UpdateItem knows."""
    if request.get("ReturnValues", "NONE") not in {"NONE", "ALL_OLD"}:
        raise refused(texts.RETURN_VALUES)
