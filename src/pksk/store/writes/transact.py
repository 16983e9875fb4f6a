"""Sends several writes as one transaction, and finds the error of each write that failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pksk.client import ServiceError
from pksk.errors import DesignError, RequestRejected, StoreError, UniqueViolation
from pksk.limits import TRANSACTION_ITEMS
from pksk.model.writes.prepared_write import (
    Expectation,
    ItemAction,
    PreparedWrite,
    SharedAction,
    StaleRead,
    add_expectations,
    first_failed,
    stale_read,
    wire_key,
)
from pksk.store.sending.diagnosis import request_name
from pksk.store.sending.retry import is_transient, reasons_of
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps
from pksk.store.writes.failure import failed_expectation, failure, transaction_failed
from pksk.store.writes.service_rejection import path_missing, token_used

if TYPE_CHECKING:
    from pksk.store.core import Core
    from pksk.values import WireItem


def transaction_items(about: Any, prepared: Sequence[PreparedWrite]) -> list[tuple[int, ItemAction]]:
    """All actions, each with the position of its write: first those of the writes, then those of markers."""
    found = [(position, action) for position, each in enumerate(prepared) for action in each.members]
    own = len(found)
    numbers = {
        _address(action, prepared[position]): number for number, (position, action) in enumerate(found)
    }
    wrong: dict[int, StoreError] = {}
    for position, each in enumerate(prepared):
        for action in each.marker_actions:
            number = numbers.setdefault(_address(action, each), len(found))
            if number == len(found):
                found.append((position, action))
                continue
            holder, known = found[number]
            if action.action == "ConditionCheck":
                if (error := _contradiction(about, each, known, action)) is not None:
                    wrong.setdefault(position, error)
                found[number] = (
                    holder,
                    _shared_action(known, prepared[holder], holder, action, each, position),
                )
                continue
            one = action.marked.marker.merge(known, action) if number >= own else None
            if one is None:
                raise _clash(about, each, action)
            found[number] = position if action.action == "Put" else holder, one
    if wrong:
        raise transaction_failed(about, wrong)
    _check_size(about, found)
    return found


def item_key(action: ItemAction, prepared: PreparedWrite) -> WireItem:
    """The key of the item that an action touches."""
    item = action.request.get("Key") or action.request["Item"]
    names = prepared.write.declaration.table.key_attributes if "Item" in action.request else item
    return wire_key({name: item[name] for name in names})


def _contradiction(
    about: Any, prepared: PreparedWrite, known: ItemAction, check: ItemAction
) -> StoreError | None:
    """Why the item that is checked will not exist: another one is put in its place, which is known before sending."""
    if known.action == "Delete":
        raise _clash(about, prepared, check)
    if known.action != "Put":
        return None
    item = known.request["Item"]
    failed = first_failed(check.expectations, item)
    return None if failed is None else failure(prepared.write, check, failed, item)


def _shared_action(
    known: ItemAction,
    holder: PreparedWrite,
    at: int,
    check: ItemAction,
    prepared: PreparedWrite,
    position: int,
) -> ItemAction:
    """A write or a check that also expects what another write checks of the same item."""
    if known.action == "Put":
        return known
    if known.action == "Update" and check.marked.marker.is_met_by(check, holder.write.declaration):
        return known
    shared_by = known.shared_by or (SharedAction(at, holder.write, known),)
    return add_expectations(
        known, check.expectations, (*shared_by, SharedAction(position, prepared.write, check))
    )


def _address(action: ItemAction, prepared: PreparedWrite) -> tuple[str, str]:
    return action.request["TableName"], repr(sorted(item_key(action, prepared).items()))


def _check_size(about: Any, members: Sequence[object]) -> None:
    if len(members) > TRANSACTION_ITEMS:
        raise DesignError(
            "store-transaction-size",
            f"{request_name(about)}: {len(members)} items with guards and checks; DynamoDB takes {TRANSACTION_ITEMS}, "
            "and two halves would not be all or nothing.",
            fix="write fewer items that must agree at once.",
        )


def _clash(about: Any, prepared: PreparedWrite, action: ItemAction) -> DesignError:
    return action.marked.marker.clash(request_name(about), prepared.write.declaration.name, action)


def transact(core: Core, about: Any, prepared: Sequence[PreparedWrite], token: str | None) -> Steps[None]:
    """Do several writes as one transaction; raises `TransactionFailed` with the error of each that failed."""
    found = {place: known_failure(each) for place, each in enumerate(prepared)}
    errors = {place: error for place, error in found.items() if error is not None}
    if errors:
        raise transaction_failed(about, errors)
    yield from send_transaction(core, about, prepared, token)


def known_failure(prepared: PreparedWrite) -> StoreError | None:
    """Why a write need not be sent: what was read for it is not there, or does not take it."""
    if prepared.is_missing:
        action = prepared.members[0]
        return failure(prepared.write, action, action.expectations[0], None)
    return prepared.known_error


def send_transaction(
    core: Core, about: Any, prepared: Sequence[PreparedWrite], token: str | None
) -> Steps[None]:
    """Send prepared writes with their guards and checks; raises the error of a single write as it is."""
    members = transaction_items(about, prepared)
    while True:
        request = {
            "TransactItems": [member.transact_item for _, member in members],
            "ClientRequestToken": token or str(uuid4()),
        }
        try:
            yield from send(core, "TransactWriteItems", request, about)
        except ServiceError as error:
            found = yield from _cancellation(core, about, prepared, members, error)
            if isinstance(found, Exception):
                raise found from error
            # Each time with fewer guards to give back, so that it comes to an end.
            members = found
        except RequestRejected as refused:
            raise token_used(about, prepared, token, refused) from refused.__cause__
        else:
            return


def _cancellation(
    core: Core,
    about: Any,
    prepared: Sequence[PreparedWrite],
    members: Sequence[tuple[int, ItemAction]],
    error: ServiceError,
) -> Steps[StoreError | StaleRead | list[tuple[int, ItemAction]]]:
    """What a cancelled transaction means: stale reads, or the first failure of each write.

    Where nothing but guards is in the way that belong to other items, all members with those left alone.
    """
    failures: dict[int, StoreError] = {}
    stales: dict[int, StaleRead] = {}
    left = list(members)
    for number, ((place, member), reason) in enumerate(zip(members, reasons_of(error), strict=False)):
        code = reason.get("Code", "None")
        if code == "None" or place in stales:
            continue
        # Others at work on one item, and another one stale: all of it may be well the next time.
        passing = is_transient(code)
        found = (
            StaleRead()
            if passing
            else (yield from _cancellation_reason(core, prepared[place], place, member, reason))
        )
        if isinstance(found, StaleRead):
            stales[place] = found
        elif isinstance(found, ItemAction):
            left[number] = place, found
        else:
            failures = {**found, **failures}
    # Guards and checks of a write follow from what it has read: where that is old, they say nothing; nor do values
    # of such an item, which it may give away.
    olds = [item_key(prepared[place].members[0], prepared[place]) for place in stales]
    failures = {
        place: each
        for place, each in failures.items()
        if place not in stales and not (isinstance(each, UniqueViolation) and each.owner in olds)
    }
    if not failures and stales:
        return StaleRead(*(each for one in stales.values() for each in one.expired))
    if not failures and left != list(members):
        return left
    if about is prepared[0].write and 0 in failures:
        return failures[0]
    return transaction_failed(about, failures)


def _cancellation_reason(
    core: Core, prepared: PreparedWrite, place: int, member: ItemAction, reason: Any
) -> Steps[dict[int, StoreError] | StaleRead | ItemAction]:
    """The errors of one cancelled member, by the positions of their writes, or the action that replaces it."""
    if reason["Code"] != "ConditionalCheckFailed":
        made = RequestRejected(
            "store-refused",
            f"{request_name(prepared.write)}: {reason['Code']}: {reason.get('Message')}",
            expected="The service rejected the transaction with this message.",
        )
        made.request, made.service_code = prepared.write, reason["Code"]
        return {place: path_missing(prepared.write, made)}
    failed, item = yield from failed_expectation(core, prepared, member, reason.get("Item"))
    if failed is not None and failed.reason == "guard":
        # An item that was stored before its field was unique has no guard, and another one may have it.
        return member.marked.marker.without_release(member)
    return stale_read(prepared, member, failed) or _failures_by_write(prepared, place, member, failed, item)


def _failures_by_write(
    prepared: PreparedWrite,
    position: int,
    action: ItemAction,
    failed: Expectation | None,
    item: WireItem | None,
) -> dict[int, StoreError]:
    """The error of each write that expects something of an item which it does not meet."""
    found: dict[int, StoreError] = {}
    for each in action.shared_by:
        own = first_failed(each.action.expectations, item)
        if own is not None:
            found.setdefault(each.position, failure(each.write, each.action, own, item))
    return found or {position: failure(prepared.write, action, failed, item)}
