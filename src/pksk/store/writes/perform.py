"""Sends one prepared write, and prepares it anew where what it has read is old."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from pksk.client import ServiceError
from pksk.errors import Contended, ItemUnreadable, OutcomeUnknown, Refused, StoreError
from pksk.model.writes.conditions import condition_request
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.sending.diagnosis import named
from pksk.store.sending.send import Answer, send
from pksk.store.sending.steps import Pause, Steps
from pksk.store.writes.blame import blame
from pksk.store.writes.failure import failure, stored_entity
from pksk.store.writes.marks import marks_of
from pksk.store.writes.member import OPERATIONS, Member
from pksk.store.writes.path_missing import path_missing
from pksk.store.writes.prepared import Prepared, Stale, stale
from pksk.store.writes.transact import hopeless_before_sent, send_together

if TYPE_CHECKING:
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["again_while_stale", "entity_of", "perform"]

T = TypeVar("T")


def again_while_stale(core: Core, write: Any, attempt: Callable[[], Steps[T]]) -> Steps[T]:
    """What an attempt gives, made again as long as others change what it has read."""
    for number in range(1, core.retry.contended + 1):
        try:
            return (yield from attempt())
        except Stale as old:
            if old.over:
                yield from _swept(core, old, write)
            else:
                yield Pause(core.retry.pause(number, "conflict", core.chance()))
    made = Contended(
        "store-contended",
        f"{named(write)}: what it depends on was changed by others, tried {core.retry.contended} times.",
        fix="let fewer writers share an item, or allow more attempts: Retry(contended=...).",
    )
    made.request = write
    raise made


def _swept(core: Core, old: Stale, about: Any) -> Steps[None]:
    """Delete items whose time is over, as DynamoDB will: what an upsert makes must hold nothing of them."""
    for declaration, key in old.over:
        ended = marks_of(declaration).expired(core.clock())
        request = {"TableName": declaration.table.name, "Key": key, **condition_request([ended])}
        # Somebody else may have been quicker; the next attempt will tell.
        with suppress(ServiceError, OutcomeUnknown):
            yield from send(core, "DeleteItem", request, about)


def perform(core: Core, prepared: Prepared) -> Steps[Answer]:
    """Do one write: by itself, or in a transaction where it has guards or checks."""
    hopeless = hopeless_before_sent(prepared)
    if hopeless is not None:
        raise hopeless
    if len(prepared.members) + len(prepared.extras) > 1 or prepared.members[0].action == "ConditionCheck":
        yield from send_together(core, prepared.write, [prepared], None)
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
    except Refused as refused:
        raise path_missing(prepared.write, refused) from refused.__cause__
    except ServiceError as error:
        raise (yield from _cause(core, prepared, member, error.fields.get("Item"))) from error
    except OutcomeUnknown as unknown:
        # The item as it is tells, where nobody else can have written the very same.
        if prepared.stamped and unknown.item == member.request["Item"]:
            return {}
        unknown.item = stored_entity(prepared.write, unknown.item)
        raise


def _cause(
    core: Core, prepared: Prepared, member: Member, item: WireItem | None
) -> Steps[StoreError | Stale]:
    """Why a condition failed; raised by the caller."""
    asked, item = yield from blame(core, prepared, member, item)
    return stale(prepared, member, asked) or failure(prepared.write, member, asked, item)


def entity_of(prepared: Prepared, item: WireItem | None, now: float) -> Any:
    """The entity that an item holds which a write has left or deleted, or None."""
    try:
        return entity_reader(prepared.write.declaration).found(item or None, now)
    except ItemUnreadable as error:
        error.request = prepared.write
        error.problem += f"\n{named(prepared.write)} was done all the same."
        error.fix = (
            "look at .item, and mend it or let the model accept it; the write needs not be made again."
        )
        raise
