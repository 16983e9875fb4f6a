"""One write over one stored item: what becomes of the item, whether the condition holds, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from pksk.capacity import Cost, failed_condition_cost, write_cost
from pksk.dataclass import dataclass
from pksk.expressions import evaluate, parse_condition
from pksk.schema import Table
from pksk.values import WireItem


@dataclass(frozen=True)
class WriteAttempt:
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


def condition_holds(request: Mapping[str, Any], before: WireItem | None) -> bool:
    """Whether the condition of a request holds for the stored item, or for none."""
    text = request.get("ConditionExpression")
    return text is None or evaluate(parse_condition(text, *placeholders_of(request)), before or {})


def placeholders_of(request: Mapping[str, Any]) -> tuple[Mapping[str, str], Mapping[str, Any]]:
    """The names and values of a request."""
    return request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})
