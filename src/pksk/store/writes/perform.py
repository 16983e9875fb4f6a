"""Performs prepared writes: one request or a transaction, again if what it read is stale."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar
from uuid import uuid4

from pksk.client import ServiceError
from pksk.errors import (
    DesignError,
    ItemUnreadable,
    OutcomeUnknown,
    RequestRejected,
    StoreError,
    UniqueViolation,
    WriteConflict,
)
from pksk.limits import TRANSACTION_ITEMS
from pksk.model import Entity
from pksk.model.item_key import wire_key
from pksk.model.requests.request import Request
from pksk.model.write_rules.prepared_write import (
    OPERATIONS,
    Expectation,
    ItemAction,
    PreparedWrite,
    SharedAction,
    StaleRead,
    add_expectations,
    first_failed,
    stale_read,
)
from pksk.model.write_rules.rules import marker_rules
from pksk.model.write_rules.stored_states import ItemConditions
from pksk.model.writes.write_conditions import condition_request
from pksk.sending import Answer, Core, Pause, Steps, is_transient, reasons_of, request_name, send
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.writes.failure import (
    failed_expectation,
    failure,
    path_missing,
    stored_entity,
    token_used,
    transaction_failed,
)
from pksk.values import WireItem

T = TypeVar("T")


def retry_while_stale(core: Core, write: Request, attempt: Callable[[], Steps[T]]) -> Steps[T]:
    """The result of an attempt, repeated while other clients change what it has read."""
    for number in range(1, core.retry.conflict_attempts + 1):
        try:
            return (yield from attempt())
        except StaleRead as stale:
            if stale.expired:
                yield from _delete_expired(core, stale, write)
            else:
                yield Pause(core.retry.pause(number, "conflict", core.chance()))
    raise WriteConflict(
        "store-write-conflict",
        f"{request_name(write)}: other clients changed what it depends on, tried {core.retry.conflict_attempts} times.",
        fix="let fewer clients write the same item, or allow more attempts: Retry(conflict_attempts=...).",
        request=write,
    )


def _delete_expired(core: Core, stale: StaleRead, request: Request | None) -> Steps[None]:
    """Delete expired items, as DynamoDB will: an upsert must not keep any of their attributes."""
    for declaration, key in stale.expired:
        expired = ItemConditions(marker_rules(declaration), core.clock()).expired
        parameters = {"TableName": declaration.table.name, "Key": key, **condition_request([expired])}
        # Another client may have been faster; the next attempt shows it.
        with suppress(ServiceError, OutcomeUnknown):
            yield from send(core, "DeleteItem", parameters, request)


def perform(core: Core, prepared: PreparedWrite) -> Steps[Answer]:
    """Send one write: by itself, or in a transaction if it has guards or checks."""
    error = known_failure(prepared)
    if error is not None:
        raise error
    if (
        len(prepared.members) + len(prepared.marker_actions) > 1
        or prepared.members[0].action == "ConditionCheck"
    ):
        yield from send_transaction(core, prepared.write, [prepared], None)
        return {}
    (member,) = prepared.members
    request = {**member.request, **prepared.returned}
    if member.conditional:
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    try:
        return (
            yield from send(
                core, OPERATIONS[member.action], request, prepared.write, repeatable=prepared.repeatable
            )
        )
    except RequestRejected as rejected:
        raise path_missing(prepared.write, rejected) from rejected.__cause__
    except ServiceError as failed:
        raise (yield from _cause(core, prepared, member, failed.fields.get("Item"))) from failed
    except OutcomeUnknown as unknown:
        # If no other write can have stored exactly this item, it was done.
        if prepared.is_distinguishable and unknown.item == member.request["Item"]:
            return {}
        unknown.item = stored_entity(prepared.write, unknown.item)
        raise


def _cause(
    core: Core, prepared: PreparedWrite, member: ItemAction, item: WireItem | None
) -> Steps[StoreError | StaleRead]:
    """Why a condition failed; raised by the caller."""
    failed, item = yield from failed_expectation(core, prepared, member, item)
    return stale_read(prepared, member, failed) or failure(prepared.write, member, failed, item)


def written_entity(prepared: PreparedWrite, item: WireItem | None, now: float) -> Entity | None:
    """The entity in the item that a write has stored or deleted, or None."""
    try:
        return entity_reader(prepared.write.declaration).live_entity(item or None, now)
    except ItemUnreadable as error:
        error.request = prepared.write
        error.problem += f"\n{request_name(prepared.write)} was done nevertheless."
        error.fix = "look at .item, and correct it or let the model accept it; do not repeat the write."
        raise


def transaction_items(
    request: Request | None, prepared: Sequence[PreparedWrite]
) -> list[tuple[int, ItemAction]]:
    """All actions, each with the position of its write: first those of the writes, then those of markers."""
    actions = [(position, action) for position, each in enumerate(prepared) for action in each.members]
    own = len(actions)
    numbers = {
        _address(action, prepared[position]): number for number, (position, action) in enumerate(actions)
    }
    wrong: dict[int, StoreError] = {}
    for position, each in enumerate(prepared):
        for action in each.marker_actions:
            number = numbers.setdefault(_address(action, each), len(actions))
            if number == len(actions):
                actions.append((position, action))
                continue
            holder, existing_action = actions[number]
            if action.action == "ConditionCheck":
                if (error := _contradiction(request, each, existing_action, action)) is not None:
                    wrong.setdefault(position, error)
                actions[number] = (
                    holder,
                    _shared_action(existing_action, prepared[holder], holder, action, each, position),
                )
                continue
            one = action.marked.marker.merge(existing_action, action) if number >= own else None
            if one is None:
                raise _clash(request, each, action)
            actions[number] = position if action.action == "Put" else holder, one
    if wrong:
        raise transaction_failed(request, wrong)
    _check_size(request, actions)
    return actions


def item_key(action: ItemAction, prepared: PreparedWrite) -> WireItem:
    """The key of the item that an action touches."""
    item = action.request.get("Key") or action.request["Item"]
    names = prepared.write.declaration.table.key_attributes if "Item" in action.request else item
    return wire_key({name: item[name] for name in names})


def _contradiction(
    request: Request | None, prepared: PreparedWrite, existing_action: ItemAction, check: ItemAction
) -> StoreError | None:
    """The error of a check that must fail, because another write of the transaction replaces the item."""
    if existing_action.action == "Delete":
        raise _clash(request, prepared, check)
    if existing_action.action != "Put":
        return None
    item = existing_action.request["Item"]
    failed = first_failed(check.expectations, item)
    return None if failed is None else failure(prepared.write, check, failed, item)


def _shared_action(
    existing_action: ItemAction,
    holder: PreparedWrite,
    at: int,
    check: ItemAction,
    prepared: PreparedWrite,
    position: int,
) -> ItemAction:
    """A write or a check that also expects what another write checks of the same item."""
    if existing_action.action == "Put":
        return existing_action
    if existing_action.action == "Update" and check.marked.marker.is_met_by(check, holder.write.declaration):
        return existing_action
    shared_by = existing_action.shared_by or (SharedAction(at, holder.write, existing_action),)
    return add_expectations(
        existing_action, check.expectations, (*shared_by, SharedAction(position, prepared.write, check))
    )


def _address(action: ItemAction, prepared: PreparedWrite) -> tuple[str, str]:
    return action.request["TableName"], repr(sorted(item_key(action, prepared).items()))


def _check_size(request: Request | None, members: Sequence[object]) -> None:
    if len(members) > TRANSACTION_ITEMS:
        raise DesignError(
            "store-transaction-size",
            f"{request_name(request)}: {len(members)} items with guards and checks; DynamoDB allows "
            f"{TRANSACTION_ITEMS}, and two halves would not be all or nothing.",
            fix="write fewer items in one transaction.",
        )


def _clash(request: Request | None, prepared: PreparedWrite, action: ItemAction) -> DesignError:
    return action.marked.marker.clash(request_name(request), prepared.write.declaration.name, action)


def transact(
    core: Core, request: Request | None, prepared: Sequence[PreparedWrite], token: str | None
) -> Steps[None]:
    """Send several writes as one transaction; raises `TransactionFailed` with the error of each that failed."""
    failures = {position: known_failure(each) for position, each in enumerate(prepared)}
    errors = {position: error for position, error in failures.items() if error is not None}
    if errors:
        raise transaction_failed(request, errors)
    yield from send_transaction(core, request, prepared, token)


def known_failure(prepared: PreparedWrite) -> StoreError | None:
    """The error of a write that must fail: the item that was read for it is missing, or does not allow it."""
    if prepared.is_missing:
        action = prepared.members[0]
        return failure(prepared.write, action, action.expectations[0], None)
    return prepared.known_error


def send_transaction(
    core: Core, request: Request | None, prepared: Sequence[PreparedWrite], token: str | None
) -> Steps[None]:
    """Send prepared writes with their guards and checks; raises the error of a single write as it is."""
    members = transaction_items(request, prepared)
    while True:
        parameters = {
            "TransactItems": [member.transact_item for _, member in members],
            "ClientRequestToken": token or str(uuid4()),
        }
        try:
            yield from send(core, "TransactWriteItems", parameters, request)
        except ServiceError as error:
            outcome = yield from _cancellation(core, request, prepared, members, error)
            if isinstance(outcome, Exception):
                raise outcome from error
            # This ends: each attempt releases fewer guards.
            members = outcome
        except RequestRejected as rejected:
            raise token_used(request, prepared, token, rejected) from rejected.__cause__
        else:
            return


def _cancellation(
    core: Core,
    request: Request | None,
    prepared: Sequence[PreparedWrite],
    members: Sequence[tuple[int, ItemAction]],
    error: ServiceError,
) -> Steps[StoreError | StaleRead | list[tuple[int, ItemAction]]]:
    """The outcome of a cancelled transaction: a retry for stale reads, or the first failure of each write.

    If it failed only because guards belong to other items, the members without the release of these guards.
    """
    failures: dict[int, StoreError] = {}
    stales: dict[int, StaleRead] = {}
    retried = list(members)
    for number, ((position, member), reason) in enumerate(zip(members, reasons_of(error), strict=False)):
        code = reason.get("Code", "None")
        if code == "None" or position in stales:
            continue
        # A conflict or throttling may be gone at the next attempt.
        outcome = (
            StaleRead()
            if is_transient(code)
            else (yield from _cancellation_reason(core, prepared[position], position, member, reason))
        )
        if isinstance(outcome, StaleRead):
            stales[position] = outcome
        elif isinstance(outcome, ItemAction):
            retried[number] = position, outcome
        else:
            failures = {**outcome, **failures}
    # Guards and checks of a write depend on what it has read: if that is stale, their failures mean nothing. Nor do
    # conflicts with unique values of such an item, which it may release.
    stale_keys = [item_key(prepared[position].members[0], prepared[position]) for position in stales]
    failures = {
        position: each
        for position, each in failures.items()
        if position not in stales and not (isinstance(each, UniqueViolation) and each.owner in stale_keys)
    }
    if not failures and stales:
        return StaleRead(*(each for one in stales.values() for each in one.expired))
    if not failures and retried != list(members):
        return retried
    if request is prepared[0].write and 0 in failures:
        return failures[0]
    return transaction_failed(request, failures)


def _cancellation_reason(
    core: Core, prepared: PreparedWrite, position: int, member: ItemAction, reason: Mapping[str, Any]
) -> Steps[dict[int, StoreError] | StaleRead | ItemAction]:
    """The errors of one cancelled member, by the positions of their writes, or the action that replaces it."""
    if reason["Code"] != "ConditionalCheckFailed":
        rejected = RequestRejected(
            "store-request-rejected",
            f"{request_name(prepared.write)}: {reason['Code']}: {reason.get('Message')}",
            expected="The service rejected the transaction with this message.",
            request=prepared.write,
        )
        rejected.service_code = reason["Code"]
        return {position: path_missing(prepared.write, rejected)}
    failed, item = yield from failed_expectation(core, prepared, member, reason.get("Item"))
    if failed is not None and failed.reason == "guard":
        # An item that was stored before its field was unique has no guard, and another one may have it.
        return member.marked.marker.without_release(member)
    return stale_read(prepared, member, failed) or _failures_by_write(
        prepared, position, member, failed, item
    )


def _failures_by_write(
    prepared: PreparedWrite,
    position: int,
    action: ItemAction,
    failed: Expectation | None,
    item: WireItem | None,
) -> dict[int, StoreError]:
    """The error of each write that has an expectation which the item does not meet."""
    failures: dict[int, StoreError] = {}
    for each in action.shared_by:
        own = first_failed(each.action.expectations, item)
        if own is not None:
            failures.setdefault(each.position, failure(each.write, each.action, own, item))
    return failures or {position: failure(prepared.write, action, failed, item)}
