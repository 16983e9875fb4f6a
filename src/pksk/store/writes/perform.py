"""Performs prepared writes: one request or a transaction, again if what it read is stale."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from pksk.client import ServiceError
from pksk.errors import ItemUnreadable, OutcomeUnknown, RequestRejected, StoreError, WriteConflict
from pksk.model.writes.marker_rules import marker_rules
from pksk.model.writes.prepared_write import (
    OPERATIONS,
    ItemAction,
    PreparedWrite,
    StaleRead,
    stale_read,
)
from pksk.model.writes.stored_states import ItemConditions
from pksk.model.writes.write_conditions import condition_request
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.sending.diagnosis import request_name
from pksk.store.sending.send import Answer, send
from pksk.store.sending.steps import Pause, Steps
from pksk.store.writes.failure import failed_expectation, failure, stored_entity
from pksk.store.writes.service_rejection import path_missing
from pksk.store.writes.transact import known_failure, send_transaction

if TYPE_CHECKING:
    from pksk.store.core import Core
    from pksk.values import WireItem

T = TypeVar("T")


def retry_while_stale(core: Core, write: Any, attempt: Callable[[], Steps[T]]) -> Steps[T]:
    """What an attempt gives, made again as long as others change what it has read."""
    for number in range(1, core.retry.contended + 1):
        try:
            return (yield from attempt())
        except StaleRead as old:
            if old.expired:
                yield from _delete_expired(core, old, write)
            else:
                yield Pause(core.retry.pause(number, "conflict", core.chance()))
    made = WriteConflict(
        "store-contended",
        f"{request_name(write)}: what it depends on was changed by others, tried {core.retry.contended} times.",
        fix="let fewer clients write the same item, or allow more attempts: Retry(contended=...).",
    )
    made.request = write
    raise made


def _delete_expired(core: Core, old: StaleRead, about: Any) -> Steps[None]:
    """Delete expired items, as DynamoDB will: an upsert must not keep any of their attributes."""
    for declaration, key in old.expired:
        expired = ItemConditions(marker_rules(declaration), core.clock()).expired
        request = {"TableName": declaration.table.name, "Key": key, **condition_request([expired])}
        # Somebody else may have been quicker; the next attempt will tell.
        with suppress(ServiceError, OutcomeUnknown):
            yield from send(core, "DeleteItem", request, about)


def perform(core: Core, prepared: PreparedWrite) -> Steps[Answer]:
    """Do one write: by itself, or in a transaction where it has guards or checks."""
    hopeless = known_failure(prepared)
    if hopeless is not None:
        raise hopeless
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
    except RequestRejected as refused:
        raise path_missing(prepared.write, refused) from refused.__cause__
    except ServiceError as error:
        raise (yield from _cause(core, prepared, member, error.fields.get("Item"))) from error
    except OutcomeUnknown as unknown:
        # If no other write can have stored this very item, it was done.
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


def written_entity(prepared: PreparedWrite, item: WireItem | None, now: float) -> Any:
    """The entity that an item holds which a write has left or deleted, or None."""
    try:
        return entity_reader(prepared.write.declaration).live_entity(item or None, now)
    except ItemUnreadable as error:
        error.request = prepared.write
        error.problem += f"\n{request_name(prepared.write)} was done all the same."
        error.fix = "look at .item, and correct it or let the model accept it; do not repeat the write."
        raise
