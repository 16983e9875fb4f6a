"""The writes of a store: put, create, update, delete, and several together."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, Final

from pksk.client import ServiceError
from pksk.errors import ItemUnreadable, OutcomeUnknown, StoreError
from pksk.model import Check, Delete, Get, Put, Update
from pksk.store.expect import expect, expect_flag
from pksk.store.reads.aside import Aside, check_aside, refuse_aside
from pksk.store.reads.transact_get import transact_get
from pksk.store.sending.diagnosis import named
from pksk.store.sending.send import Again
from pksk.store.sending.steps import Call, Steps, Together
from pksk.store.watching.shared_pattern import with_shared_pattern
from pksk.store.writes.before import read_before
from pksk.store.writes.marks import marks_of
from pksk.store.writes.perform import again_while_stale, entity_of, perform
from pksk.store.writes.prepare_delete import deletion, prepare_check, prepare_delete
from pksk.store.writes.prepare_put import prepare_put
from pksk.store.writes.prepare_update import prepare_update, wire_key
from pksk.store.writes.prepared import Prepared
from pksk.store.writes.transact import transact

if TYPE_CHECKING:
    from pksk.expressions import Condition
    from pksk.model import Transaction
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["create", "delete", "put", "transaction", "update"]

# What an update has written is given back, also where it has ended the time of the item.
_BEFORE_ANY_END: Final = -inf


def put(core: Core, thing: Any, when: Condition | None = None) -> Steps[Any]:
    """Store an entity in place of whatever stands under its key; gives it as it is stored."""
    quiet = when is None and not core.meters and not core.hooks
    declaration = vars(type(thing)).get("__pksk__") if quiet else None
    if declaration is not None and marks_of(declaration).plain:
        return (yield from _put_plainly(core, declaration, thing))
    write: Put[Any] = thing if isinstance(thing, Put) else Put(thing)
    return (yield from _stored(core, write if when is None else write.when(when)))


def _put_plainly(core: Core, declaration: Declaration[Any], entity: Any) -> Steps[Any]:
    """The commonest write: nothing is asked of what is stored, no marker has a part in it, and nobody watches."""
    request = {"TableName": declaration.table.name, "Item": declaration.to_item(entity)}
    try:
        yield Call("PutItem", request)
    except ServiceError as error:
        first = error
    else:
        core.quota.give_back()
        return entity
    yield from Again(core, "PutItem", request, Put(entity)).answer(first)
    return entity


def create(core: Core, thing: Any, when: Condition | None = None) -> Steps[Any]:
    """Store an entity where there is none under its key; gives it as it is stored."""
    write: Put[Any] = thing if isinstance(thing, Put) else Put(thing)
    return (yield from _stored(core, (write if when is None else write.when(when)).if_absent()))


def _stored(core: Core, write: Put[Any]) -> Steps[Any]:
    if core.meters:
        core.meters.used(write)

    def attempt() -> Steps[Any]:
        prepared = yield from prepare_put(core, write)
        yield from perform(core, prepared)
        return prepared.result

    return (yield from again_while_stale(core, write, attempt))


def update(core: Core, write: Update[Any], *, upsert: bool = False) -> Steps[Any]:
    """Change an item; gives the entity as it is afterwards."""
    expect("update", write, "update")
    expect_flag("update", upsert=upsert)
    asked = write.upsert() if upsert else write
    if core.meters:
        core.meters.used(asked)

    def attempt() -> Steps[Any]:
        prepared = yield from prepare_update(core, asked)
        answer = yield from perform(core, prepared)
        item = (yield from _read_back(core, asked)) if prepared.extras else answer.get("Attributes")
        found = entity_of(prepared, item, _BEFORE_ANY_END)
        if found is None:
            raise _unread(
                asked, "others have deleted the item since, or put one of another class in its place."
            )
        return found

    return (yield from again_while_stale(core, asked, attempt))


def _read_back(core: Core, update: Update[Any]) -> Steps[WireItem | None]:
    """The item after an update by a transaction, which does not tell what it has made of it."""
    try:
        return (yield from read_before(core, update.declaration, wire_key(update), None, update))
    except StoreError as error:
        # As it stands, the error would say that nothing was done.
        raise _unread(update, f"the item could not be read afterwards: {error.problem}") from error


def _unread(update: Update[Any], why: str) -> OutcomeUnknown:
    """The error for an update that was done, and of which nobody can say what came of it."""
    made = OutcomeUnknown(
        "store-outcome-unknown",
        f"{named(update)}: it was done, and {why}",
        fix="read the item; the update needs not be made again.",
    )
    made.request = update
    return made


def delete(core: Core, thing: Any) -> Steps[Any]:
    """Delete an item, given as a Delete or as the entity that it holds; gives what was there, or None."""
    version: int | None = None
    write: Delete[Any]
    if isinstance(thing, Delete):
        write = thing
    else:
        if not hasattr(type(thing), "__pksk__"):
            expect("delete", thing, "delete")
        write, version = deletion(thing)
    if core.meters:
        core.meters.used(write)

    def attempt() -> Steps[Any]:
        prepared = yield from prepare_delete(core, write, version)
        answer = yield from perform(core, prepared)
        item = prepared.before if prepared.extras else answer.get("Attributes")
        return entity_of(prepared, item, core.clock())

    return (yield from again_while_stale(core, write, attempt))


def transaction(core: Core, request: Transaction[Any], aside: Aside = None) -> Steps[list[Any]]:
    """Do all writes of a transaction, or read all its items; gives an entity for each put and get, else None."""
    check_aside("transaction", aside)
    request = with_shared_pattern(request)
    if core.meters:
        core.meters.used(request)
    if isinstance(request.members[0], Get):
        return (yield from transact_get(core, request, aside))
    refuse_aside("transaction", aside, request)

    def attempt() -> Steps[list[Any]]:
        prepared: list[Prepared] = yield Together(
            tuple(_prepared(core, each, request) for each in request.members)
        )
        yield from transact(core, request, prepared, request.token)
        return [each.result for each in prepared]

    return (yield from again_while_stale(core, request, attempt))


def _prepared(core: Core, write: Any, about: Transaction[Any]) -> Steps[Prepared]:
    """What a member of a transaction takes; where it needs what cannot be read, that is told by its place."""
    try:
        return (yield from _prepared_alone(core, write, about))
    except ItemUnreadable as error:
        error.request = write
        return Prepared(write, (), refused=error)


def _prepared_alone(core: Core, write: Any, about: Transaction[Any]) -> Steps[Prepared]:
    if isinstance(write, Put):
        return (yield from prepare_put(core, write, about))
    if isinstance(write, Update):
        return (yield from prepare_update(core, write, about))
    if isinstance(write, Check):
        return prepare_check(core, write)
    return (yield from prepare_delete(core, write, about=about))
