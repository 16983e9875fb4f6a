"""Finds which condition of a write failed, and makes the typed error for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pksk.errors import AlreadyExists, ConditionFailed, NotFound, PkskError, StoreError, TransactionFailed
from pksk.expressions import describe
from pksk.model.entity_of_item import is_item_of
from pksk.model.writes.prepared_write import Expectation, FailedAction, ItemAction, first_failed
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.sending.diagnosis import request_name
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.writes.prepared_write import PreparedWrite
    from pksk.store.core import Core
    from pksk.values import WireItem

_SENDS_ITEMS: Final = "items of failed conditions"


def failed_expectation(
    core: Core, prepared: PreparedWrite, action: ItemAction, item: WireItem | None
) -> Steps[tuple[Expectation | None, WireItem | None]]:
    """The expectation that an item does not meet, and the item; no expectation if it now meets all."""
    failed = first_failed(action.expectations, item)
    if item is not None:
        core.service_features.add(_SENDS_ITEMS)
    elif failed is None or (_SENDS_ITEMS not in core.service_features and _is_ambiguous(action)):
        # There was no item, or the service does not send it with the error.
        item = yield from _read_item(core, prepared, action)
        failed = first_failed(action.expectations, item)
    return failed, item


def _is_ambiguous(action: ItemAction) -> bool:
    """Whether the error depends on the item: several things may have failed, or a version."""
    reasons = {each.reason for each in action.expectations}
    return len(reasons) > 1 or "version" in reasons


def _read_item(core: Core, prepared: PreparedWrite, action: ItemAction) -> Steps[WireItem | None]:
    names = prepared.write.declaration.table.key_attributes
    key: Any = action.request.get("Key") or {name: action.request["Item"][name] for name in names}
    request = {"TableName": action.request["TableName"], "Key": key, "ConsistentRead": True}
    found: WireItem | None = (yield from send(core, "GetItem", request, prepared.write)).get("Item")
    return found


def failure(write: Any, action: ItemAction, failed: Expectation | None, item: WireItem | None) -> StoreError:
    """The error for an expectation that an item did not meet; for None, the item has changed since."""
    if failed is None and len({each.reason for each in action.expectations}) == 1:
        failed = action.expectations[0]
    if failed is not None and failed.reason == "expired_for_condition" and failed.marked is not None:
        # The error is the same after DynamoDB has deleted the item.
        item = None
    made = _error(FailedAction(request_name(write), write, action, failed, item))
    made.request = write
    if made.item is None:
        made.item = stored_entity(write, item)
    return made


def transaction_failed(about: Any, failures: dict[int, StoreError]) -> TransactionFailed:
    """The error of a transaction, with the error of each write that failed."""
    failures = dict(sorted(failures.items()))
    lines = "".join(f"\n  {position}: {error.problem}" for position, error in failures.items())
    made = TransactionFailed(
        "store-transaction-failed",
        f"{request_name(about)}: nothing was written, because these members failed:{lines}",
        fix="see .failures for the error of each.",
    )
    made.request, made.failures = about, failures
    return made


def _error(failed: FailedAction) -> ConditionFailed:
    expectation, key = failed.expectation, failed.key_text
    if expectation is not None and expectation.marked is not None:
        return expectation.marked.marker.failure(failed)
    reason = None if expectation is None else expectation.reason
    if reason == "absent":
        upsert = ", or make the update an upsert: .upsert(), or upsert=True."
        return NotFound(
            "store-not-found",
            f"{failed.where}: there is no item {key}.",
            fix="create it first" + (upsert if failed.kind == "update" else "."),
        )
    if reason == "present":
        return AlreadyExists(
            "store-already-exists",
            f"{failed.where}: an item with the key {key} exists already.",
            fix="give it another key, or use put, which replaces.",
        )
    if reason == "other_entity":
        return ConditionFailed(
            "store-other-entity",
            f"{failed.where}: the item {key} belongs to another entity.",
            fix="write it through its own entity.",
        )
    shown = "" if expectation is None else f" {describe(expectation.condition_for_message)}"
    return ConditionFailed(
        "store-condition-failed",
        f"{failed.where}: the condition{shown} does not hold for the item {key}.",
        fix="look at .item, which is what is stored.",
    )


def stored_entity(write: Any, item: WireItem | None) -> Any:
    """The entity that an item holds, or the item itself if it is of no entity."""
    if item is None:
        return None
    own: Declaration[Any] = write.declaration
    owner = next((each for each in (own, *own.table.entities) if is_item_of(each, item)), None)
    try:
        return item if owner is None else entity_reader(owner).read(item)
    except PkskError:
        return item
