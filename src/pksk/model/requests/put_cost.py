"""What a Put costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

from pksk.model.cost.item_sizes import indexes_of
from pksk.model.cost.marker_bill import EstimatedChange, charge_markers, marker_notes
from pksk.model.cost.request_cost import RequestCost, price_write
from pksk.model.cost.tally import EntryWrite, Tally
from pksk.model.cost.write_attempt import WriteAttempt, condition_holds
from pksk.model.requests.put import Put
from pksk.values import WireItem


def _estimate(put: Put[Any], tally: Tally, transactional: bool) -> None:
    """A new item: it enters every index that it can be in, and every marker has its price."""
    declaration = put.entity.__pksk__
    kind: Literal["put", "create"] = "create" if put.requires_absence else "put"
    values = declaration.values(put.value)
    guarded = charge_markers(EstimatedChange(kind, declaration, values, values.keys()), tally)
    entered = [EntryWrite(index) for index in indexes_of(declaration)]
    tally.write_item(declaration, entered, transactional=transactional or guarded)
    if entered:
        tally.assumptions.append(f"a new {declaration.name}, in every index that it can be in")


def _attempt(put: Put[Any], before: WireItem | None) -> WriteAttempt:
    return WriteAttempt(put.declaration.table, before, put.item, condition_holds(put.request, before))


def _extra_items(put: Put[Any]) -> Iterator[str]:
    return marker_notes(put.declaration, "put", put.declaration.fields)


PUT_COST: Final = RequestCost(_estimate, price_write(_attempt), _attempt, extra_items=_extra_items)
