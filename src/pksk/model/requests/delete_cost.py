"""What a Delete costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pksk.model.cost.item_sizes import indexes_of
from pksk.model.cost.marker_costs import delete_guards, extra_item_reasons
from pksk.model.cost.request_cost import RequestCost, price_write
from pksk.model.cost.tally import EntryWrite, Tally
from pksk.model.cost.write_attempt import WriteAttempt, condition_holds
from pksk.model.requests.delete import Delete
from pksk.values import WireItem

__all__ = ["DELETE_COST"]


def _estimate(delete: Delete[Any], tally: Tally, transactional: bool) -> None:
    """An item that is there: it leaves every index."""
    declaration = delete.entity.__pksk__
    guarded = delete_guards(delete, tally)
    if guarded:
        tally.read_item(declaration, "the item is read before, since its guards go with it")
    left = [EntryWrite(index) for index in indexes_of(declaration)]
    tally.write_item(declaration, left, transactional=transactional or guarded)
    if left:
        tally.assumptions.append(f"the {declaration.name} is in every index that it can be in")


def _attempt(delete: Delete[Any], before: WireItem | None) -> WriteAttempt:
    return WriteAttempt(delete.declaration.table, before, None, condition_holds(delete.request, before))


def _extra_items(delete: Delete[Any]) -> Iterator[str]:
    return extra_item_reasons(delete.declaration, delete.declaration.fields, references=False)


DELETE_COST: Final = RequestCost(_estimate, price_write(_attempt), _attempt, extra_items=_extra_items)
