"""What a Delete costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pksk.model.cost.item_sizes import indexes_of
from pksk.model.cost.marker_bill import EstimatedChange, charge_markers, marker_notes, marker_read_reason
from pksk.model.cost.request_cost import RequestCost, price_write
from pksk.model.cost.tally import EntryWrite, Tally
from pksk.model.cost.write_attempt import WriteAttempt, condition_holds
from pksk.model.requests.delete import Delete
from pksk.values import WireItem


def _estimate(delete: Delete[Any], tally: Tally, transactional: bool) -> None:
    """An item that is there: it leaves every index."""
    declaration = delete.entity.__pksk__
    change = EstimatedChange("delete", declaration)
    guarded = charge_markers(change, tally)
    if reason := marker_read_reason(change):
        tally.read_item(declaration, reason)
    left = [EntryWrite(index) for index in indexes_of(declaration)]
    tally.write_item(declaration, left, transactional=transactional or guarded)
    if left:
        tally.assumptions.append(f"the {declaration.name} is in every index that it can be in")


def _attempt(delete: Delete[Any], before: WireItem | None) -> WriteAttempt:
    return WriteAttempt(delete.declaration.table, before, None, condition_holds(delete.request, before))


def _extra_items(delete: Delete[Any]) -> Iterator[str]:
    return marker_notes(delete.declaration, "delete", delete.declaration.fields)


DELETE_COST: Final = RequestCost(_estimate, price_write(_attempt), _attempt, extra_items=_extra_items)
