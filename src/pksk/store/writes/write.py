"""Runs the writes of a store: put, create, update, delete, and several together."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pksk.client import ServiceError
from pksk.errors import ItemUnreadable, OutcomeUnknown, RequestRejected, StoreError, WriteConflict
from pksk.model import Check, Delete, Put, Update
from pksk.model.writes.marker_rules import marker_rules
from pksk.model.writes.prepared_write import (
    OPERATIONS,
    ItemAction,
    PreparedWrite,
    StaleRead,
    stale_read,
    wire_key,
)
from pksk.model.writes.stored_states import ItemConditions
from pksk.model.writes.write_conditions import condition_request
from pksk.store.argument_checks import check_flag, check_request_kind
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.sending.diagnosis import request_name
from pksk.store.sending.send import Answer, RetriedRequest, send
from pksk.store.sending.steps import Call, Pause, Steps, Together
from pksk.store.writes.failure import failed_expectation, failure, stored_entity
from pksk.store.writes.prepare_delete import delete_of_entity, prepare_check, prepare_delete
from pksk.store.writes.prepare_put import prepare_put
from pksk.store.writes.prepare_update import prepare_update
from pksk.store.writes.read_current import read_current
from pksk.store.writes.service_rejection import path_missing
from pksk.store.writes.transact import known_failure, send_transaction, transact

if TYPE_CHECKING:
    from pksk.expressions import Condition
    from pksk.model import Transaction
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = [
    "create",
    "delete",
    "perform",
    "put",
    "retry_while_stale",
    "transaction",
    "update",
    "written_entity",
]

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
        fix="let fewer writers share an item, or allow more attempts: Retry(contended=...).",
    )
    made.request = write
    raise made


def _delete_expired(core: Core, old: StaleRead, about: Any) -> Steps[None]:
    """Delete items whose time is over, as DynamoDB will: what an upsert makes must hold nothing of them."""
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
        # The item as it is tells, where nobody else can have written the very same.
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
        return entity_reader(prepared.write.declaration).found(item or None, now)
    except ItemUnreadable as error:
        error.request = prepared.write
        error.problem += f"\n{request_name(prepared.write)} was done all the same."
        error.fix = (
            "look at .item, and mend it or let the model accept it; the write needs not be made again."
        )
        raise


# What an update has written is given back, also where it has ended the time of the item.
_BEFORE_ANY_EXPIRY: Final = -inf


def put(core: Core, thing: Any, when: Condition | None = None) -> Steps[Any]:
    """Store an entity in place of whatever stands under its key; gives it as it is stored."""
    quiet = when is None and not core.meters and not core.hooks
    declaration = vars(type(thing)).get("__pksk__") if quiet else None
    if declaration is not None and marker_rules(declaration).is_empty:
        return (yield from _put_without_markers(core, declaration, thing))
    write: Put[Any] = thing if isinstance(thing, Put) else Put(thing)
    return (yield from _put(core, write if when is None else write.when(when)))


def _put_without_markers(core: Core, declaration: Declaration[Any], entity: Any) -> Steps[Any]:
    """The commonest write: nothing is asked of what is stored, no marker has a part in it, and nobody watches."""
    request = {"TableName": declaration.table.name, "Item": declaration.to_item(entity)}
    try:
        yield Call("PutItem", request)
    except ServiceError as error:
        first = error
    else:
        core.quota.give_back()
        return entity
    yield from RetriedRequest(core, "PutItem", request, Put(entity)).answer(first)
    return entity


def create(core: Core, thing: Any, when: Condition | None = None) -> Steps[Any]:
    """Store an entity where there is none under its key; gives it as it is stored."""
    write: Put[Any] = thing if isinstance(thing, Put) else Put(thing)
    return (yield from _put(core, (write if when is None else write.when(when)).if_absent()))


def _put(core: Core, write: Put[Any]) -> Steps[Any]:
    if core.meters:
        core.meters.used(write)

    def attempt() -> Steps[Any]:
        prepared = yield from prepare_put(core, write)
        yield from perform(core, prepared)
        return prepared.result

    return (yield from retry_while_stale(core, write, attempt))


def update(core: Core, write: Update[Any], *, upsert: bool = False) -> Steps[Any]:
    """Change an item; gives the entity as it is afterwards."""
    check_request_kind("update", write, "Update")
    check_flag("update", upsert=upsert)
    asked = write.upsert() if upsert else write
    if core.meters:
        core.meters.used(asked)

    def attempt() -> Steps[Any]:
        prepared = yield from prepare_update(core, asked)
        answer = yield from perform(core, prepared)
        item = (yield from _read_back(core, asked)) if prepared.marker_actions else answer.get("Attributes")
        found = written_entity(prepared, item, _BEFORE_ANY_EXPIRY)
        if found is None:
            raise _unknown_result(
                asked, "others have deleted the item since, or put one of another class in its place."
            )
        return found

    return (yield from retry_while_stale(core, asked, attempt))


def _read_back(core: Core, update: Update[Any]) -> Steps[WireItem | None]:
    """The item after an update by a transaction, which does not tell what it has made of it."""
    try:
        return (yield from read_current(core, update.declaration, wire_key(update.item_key), None, update))
    except StoreError as error:
        # As it stands, the error would say that nothing was done.
        raise _unknown_result(update, f"the item could not be read afterwards: {error.problem}") from error


def _unknown_result(update: Update[Any], why: str) -> OutcomeUnknown:
    """The error for an update that was done, and of which nobody can say what came of it."""
    made = OutcomeUnknown(
        "store-outcome-unknown",
        f"{request_name(update)}: it was done, and {why}",
        fix="read the item; the update needs not be made again.",
    )
    made.request = update
    return made


def delete(core: Core, thing: Any) -> Steps[Any]:
    """Delete an item, given as a Delete or as the entity that it holds; gives what was there, or None."""
    is_request = isinstance(thing, Delete)
    if not is_request and not hasattr(type(thing), "__pksk__"):
        check_request_kind("delete", thing, "Delete")
    write: Delete[Any] = thing if is_request else delete_of_entity(thing)
    if core.meters:
        core.meters.used(write)

    def attempt() -> Steps[Any]:
        prepared = yield from prepare_delete(core, write, None if is_request else thing)
        answer = yield from perform(core, prepared)
        item = prepared.current if prepared.marker_actions else answer.get("Attributes")
        return written_entity(prepared, item, core.clock())

    return (yield from retry_while_stale(core, write, attempt))


def transaction(core: Core, request: Transaction[Any]) -> Steps[list[Any]]:
    """Do all writes of a transaction; gives the entity of each put, else None."""
    request = request.with_shared_pattern()
    if core.meters:
        core.meters.used(request)

    def attempt() -> Steps[list[Any]]:
        prepared: list[PreparedWrite] = yield Together(
            tuple(_prepare_member(core, each, request) for each in request.members)
        )
        yield from transact(core, request, prepared, request.token)
        return [each.result for each in prepared]

    return (yield from retry_while_stale(core, request, attempt))


def _prepare_member(core: Core, write: Any, about: Transaction[Any]) -> Steps[PreparedWrite]:
    """What a member of a transaction takes; where it needs what cannot be read, that is told by its place."""
    try:
        return (yield from _prepare(core, write, about))
    except ItemUnreadable as error:
        error.request = write
        return PreparedWrite(write, (), known_error=error)


def _prepare(core: Core, write: Any, about: Transaction[Any]) -> Steps[PreparedWrite]:
    if isinstance(write, Put):
        return (yield from prepare_put(core, write, about))
    if isinstance(write, Update):
        return (yield from prepare_update(core, write, about))
    if isinstance(write, Check):
        return prepare_check(core, write)
    return (yield from prepare_delete(core, write, about=about))
