"""Conditions that an author asks for, on items that are over, or that have no version yet."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from pksk.expressions import And, Compare, Condition, Not, Or, Path, Value, evaluate
from pksk.store.writes.marks import Marks
from pksk.store.writes.member import Asked

__all__ = ["asks_for_version", "authored", "parts_of"]


def authored(marks: Marks, condition: Condition | None, now: float) -> Iterator[Asked]:
    """A condition on attributes, such that an item whose time is over meets what no item at all would meet."""
    parts, expired = parts_of(marks, condition), marks.expired(now)
    if expired is None:
        yield from parts
        return
    needs_item = [part for part in parts if not evaluate(part.condition, {})]
    if needs_item:
        yield Asked("ended", Not(expired), told=needs_item[0].shown)
    for part in parts:
        asked = part.condition if part in needs_item else Or((expired, part.condition))
        yield Asked("author", asked, told=part.shown)


def parts_of(marks: Marks, condition: Condition | None) -> list[Asked]:
    """A condition on attributes part by part, each such that items without a version have the default one."""
    if condition is None:
        return []
    parts = condition.conditions if isinstance(condition, And) else (condition,)
    return [_part(marks, part) for part in parts]


def asks_for_version(marks: Marks, condition: Condition) -> bool:
    """Whether a condition asks for a version, as those do who update what they have read: F.version == 3."""
    if marks.version is None or not isinstance(condition, Compare) or condition.operator != "=":
        return False
    return condition.left == Path((marks.attribute(marks.version),))


def _part(marks: Marks, part: Condition) -> Asked:
    if not asks_for_version(marks, part):
        return Asked("author", part)
    assert isinstance(part, Compare)
    right = part.right
    if not isinstance(right, Value) or right.kind != "N":
        return Asked("author", part)
    asked = marks.of_version(int(Decimal(right.wire["N"])))
    return Asked("author", part) if isinstance(asked, Compare) else Asked("author", asked, told=part)
