"""Writes over the very items that they meet: what each would make of its item, and whether its condition lets it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pksk.capacity import Cost, check_cost, failed_condition_cost, get_cost, write_cost
from pksk.errors import ExpressionError
from pksk.expressions import apply, evaluate, parse_condition, parse_update
from pksk.schema import Table
from pksk.values import WireItem
from pksk.values.boto3_form import from_boto3

__all__ = ["Attempt", "attempt", "placeholders_of"]


@dataclass(frozen=True)
class Attempt:
    """One write over one stored item; `first` is what must be read before the write can be made."""

    table: Table
    before: WireItem | None
    after: WireItem | None
    holds: bool
    first: Cost = field(default_factory=Cost)

    def cost(self, *, transactional: bool = False, cancelled: bool = False) -> Cost:
        """What is charged; `cancelled` where another member of its transaction fails."""
        charged = self._failed if cancelled or not self.holds else self._done
        return self.first + charged(transactional)

    def _done(self, transactional: bool) -> Cost:
        return write_cost(self.table, self.before, self.after, transactional=transactional)

    def _failed(self, transactional: bool) -> Cost:
        return failed_condition_cost(self.table, self.before, self.after, transactional=transactional)


class CheckAttempt(Attempt):
    """A condition on an item that is not written."""

    def _done(self, transactional: bool) -> Cost:
        return check_cost(self.table, self.before)

    def _failed(self, transactional: bool) -> Cost:
        return Cost(check_cost(self.table, self.before).charges, at_most=True)


def attempt(write: Any, before: WireItem | None) -> Attempt:
    """A put, update, delete or check over the item that is stored under its key, or over none."""
    return _ATTEMPTS[write.kind](write, before)


def _put(put: Any, before: WireItem | None) -> Attempt:
    return Attempt(put.declaration.table, before, put.item, _holds(put.request, before))


def _delete(delete: Any, before: WireItem | None) -> Attempt:
    return Attempt(delete.declaration.table, before, None, _holds(delete.request, before))


def _check(check: Any, before: WireItem | None) -> Attempt:
    return CheckAttempt(check.declaration.table, before, before, _holds(check.request, before))


def _update(update: Any, before: WireItem | None) -> Attempt:
    if not update.needs:
        return _known_update(update, before)
    table = update.declaration.table
    first = get_cost(table, before, consistent=True)
    if before is None and not update.upserting:
        # What is read to make the request is not there, and neither is the item that the write asks for.
        return Attempt(table, None, None, holds=False, first=first)
    return replace(_known_update(update.with_item(before or {}), before), first=first)


def _known_update(update: Any, before: WireItem | None) -> Attempt:
    request = update.request
    holds = _holds(request, before)
    start = before or {name: from_boto3(wire) for name, wire in request["Key"].items()}
    try:
        after = _applied(request, start)
    except ExpressionError:
        # DynamoDB looks at the condition first, and at the item only where it holds.
        if holds:
            raise
        after = start
    return Attempt(update.declaration.table, before, after, holds)


def _applied(request: Mapping[str, Any], item: WireItem) -> WireItem:
    text = request.get("UpdateExpression")
    return item if text is None else apply(parse_update(text, *placeholders_of(request)), item)


def _holds(request: Mapping[str, Any], before: WireItem | None) -> bool:
    text = request.get("ConditionExpression")
    return text is None or evaluate(parse_condition(text, *placeholders_of(request)), before or {})


def placeholders_of(request: Mapping[str, Any]) -> tuple[Mapping[str, str], Mapping[str, Any]]:
    """The names and values of a request."""
    return request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})


_ATTEMPTS: dict[str, Callable[[Any, WireItem | None], Attempt]] = {
    "put": _put,
    "update": _update,
    "delete": _delete,
    "check": _check,
}
