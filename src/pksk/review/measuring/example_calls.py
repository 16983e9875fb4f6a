"""Calls of an access pattern with arguments that differ, each like those that its users make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from pksk.keys import Operator
from pksk.keys.parts.part_types import field_type
from pksk.model.entity import Entity
from pksk.model.patterns.pattern import Outcome, Pattern
from pksk.model.requests.query import Query
from pksk.review.measuring.generated_items import moved_value, new_entity, numbered_value, of_size

_SECOND: Final = timedelta(seconds=1)
# How far the end of a range is from its start.
_WIDE: Final[Mapping[type, Any]] = {
    datetime: timedelta(hours=1),
    date: timedelta(days=7),
    int: 1000,
    float: 1000.0,
    Decimal: Decimal(1000),
}


def example_call(pattern: Pattern, part: float, number: int, own: Sequence[Entity]) -> Outcome:
    """A call with arguments of its own, or the example call if the pattern rejects these."""
    arguments = _arguments(pattern, part, number, own)
    outcome = pattern.outcome(arguments)
    if outcome.problem:
        return pattern.outcome()
    if not own and _has_empty_range(outcome):
        wide = pattern.outcome(_with_wide_ranges(pattern, arguments))
        return outcome if wide.problem or _has_empty_range(wide) else wide
    return outcome


def _arguments(pattern: Pattern, part: float, number: int, own: Sequence[Entity]) -> dict[str, Any]:
    arguments = dict(pattern.arguments())
    example = pattern.options.example or {}
    item = own[int(part * len(own))] if own else None
    for name, annotation in pattern.annotations.items():
        if name not in arguments:
            continue
        if item is not None and name in type(item).__pksk__.fields:
            arguments[name] = getattr(item, name)
        elif name in example:
            arguments[name] = moved_value(example[name], number, _SECOND)
        else:
            arguments[name] = numbered_value(annotation, name, number, _SECOND)
    for name, value in arguments.items():
        if isinstance(value, Entity):
            arguments[name] = of_size(new_entity(value), pattern.options.item_size)
    return arguments


def _has_empty_range(outcome: Outcome) -> bool:
    """Whether a query asks for values between one and the same, as its arguments are equal."""
    return any(
        isinstance(value, Operator) and value.name == "between" and value.operands[0] == value.operands[1]
        for request in outcome.requests
        if isinstance(request, Query)
        for each in request.key_queries
        for value in each.values.values()
    )


def _with_wide_ranges(pattern: Pattern, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, where one of several of the same type is larger than that before it: the end of a range."""
    return dict(arguments) | dict(_ends(pattern, arguments))


def _ends(pattern: Pattern, arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    before: dict[type, Any] = {}
    for name, annotation in pattern.annotations.items():
        kind = field_type(annotation).type
        width = _WIDE.get(kind) if isinstance(kind, type) else None
        if name not in arguments or width is None or arguments[name] is None:
            continue
        if kind in before and name not in (pattern.options.example or {}):
            yield name, before[kind] + width
        before[kind] = arguments[name]
