"""What a Check costs: DynamoDB charges it as a write of a transaction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pksk.capacity import Cost, check_cost, write_units
from pksk.model.cost.request_cost import RequestCost, price_write
from pksk.model.cost.tally import Tally
from pksk.model.cost.write_attempt import WriteAttempt, condition_holds
from pksk.model.requests.check import Check
from pksk.values import WireItem


def _estimate(check: Check[Any], tally: Tally, _: bool) -> None:
    """A condition on an item that is not written: charged as a write of a transaction."""
    declaration = check.entity.__pksk__
    size = tally.sizes(declaration).item
    tally.touch(declaration.table, None, "write")
    if size is not None:
        tally.charge(declaration.table, write=write_units(size, transactional=True))


class CheckAttempt(WriteAttempt):
    """A condition on an item that is not written."""

    def _done(self, transactional: bool) -> Cost:
        return check_cost(self.table, self.before)

    def _failed(self, transactional: bool) -> Cost:
        return Cost(check_cost(self.table, self.before).charges, at_most=True)


def _attempt(check: Check[Any], before: WireItem | None) -> WriteAttempt:
    return CheckAttempt(check.declaration.table, before, before, condition_holds(check.request, before))


def _notes(_: Check[Any]) -> Iterator[str]:
    yield "it is sent as a member of a transaction"


CHECK_COST: Final = RequestCost(_estimate, price_write(_attempt), _attempt, notes=_notes)
