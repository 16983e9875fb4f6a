"""Draws numbers from sequences, each by one atomic update."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pksk.client import ServiceError
from pksk.errors import (
    InvalidValue,
    ItemUnreadable,
    OutcomeUnknown,
    RequestRejected,
    StoreError,
    WriteConflict,
    quote,
)
from pksk.expressions import F
from pksk.model import Sequence
from pksk.model.key import BoundKey
from pksk.model.sequences import MAX_NUMBER
from pksk.store.argument_checks import check_request_kind
from pksk.store.sending.diagnosis import request_name
from pksk.store.sending.send import Answer, send
from pksk.store.sending.steps import Steps

if TYPE_CHECKING:
    from pksk.model import Update
    from pksk.store.core import Core

__all__ = ["reconcile", "take"]


def take(core: Core, sequence: Sequence, count: int, parts: dict[str, Any]) -> Steps[range]:
    """Draw a range of numbers that no other client gets."""
    _check(sequence, "next" if count == 1 else "take")
    update = sequence.take(count, **parts)
    # Drawn again where an answer was lost: a gap is allowed, a number twice is not.
    try:
        answer = yield from _send(core, update)
    except RequestRejected as refused:
        raise (yield from _rejection_reason(core, sequence, update, parts)) or refused from refused.__cause__
    last = _last(update, answer.get("Attributes", {}))
    return range(last - count + 1, last + 1)


def _rejection_reason(
    core: Core, sequence: Sequence, update: Update[Any], parts: dict[str, Any]
) -> Steps[ItemUnreadable | None]:
    """What is wrong with a counter to which nothing can be added, if that is it."""
    try:
        last = yield from _read_last(core, sequence, update, parts)
    except ItemUnreadable as unreadable:
        return unreadable
    except StoreError:
        return None
    return (
        _unreadable(update, str(last), f"there is no room above {MAX_NUMBER:,}")
        if last > MAX_NUMBER
        else None
    )


def reconcile(core: Core, sequence: Sequence, at_least: int, parts: dict[str, Any]) -> Steps[int]:
    """Move a sequence forward, so that the next number is above this one; never back. Gives the last number drawn."""
    _check(sequence, "reconcile")
    if isinstance(at_least, bool) or not isinstance(at_least, int) or not 0 <= at_least <= MAX_NUMBER:
        raise InvalidValue(
            "sequence-count",
            f"sequence {sequence.template!r}: reconcile({quote(at_least)}); a number that was drawn is 0 or more, "
            "and has at most 37 digits.",
            fix="give the largest number that is in use.",
        )
    key = BoundKey(sequence.entity, "primary")
    update = key.update(**parts).set(last=at_least).upsert().when(F.last.missing() | (F.last < at_least))
    try:
        return _last(update, (yield from _send(core, update)).get("Attributes", {}))
    except ServiceError as error:
        # It is there already, or further; read as of now.
        last = yield from _read_last(core, sequence, update, parts)
        if last < at_least:
            raise _counter_changed(update) from error
    except OutcomeUnknown as unknown:
        # By this or by others: what counts is where it stands.
        try:
            last = yield from _read_last(core, sequence, update, parts)
        except StoreError:
            raise unknown from unknown.__cause__
        if last < at_least:
            raise
    return last


def _read_last(core: Core, sequence: Sequence, update: Update[Any], parts: dict[str, Any]) -> Steps[int]:
    """The last number that was drawn; below zero where there is no counter."""
    item = (yield from send(core, "GetItem", sequence.peek(**parts).request, update)).get("Item", {})
    return _last(update, item) if update.declaration.attribute("last") in item else -1


def _counter_changed(update: Update[Any]) -> WriteConflict:
    made = WriteConflict(
        "store-contended",
        f"{request_name(update)}: the counter was deleted or set back while it was moved forward.",
        fix="move it forward again, and let no other program write it.",
    )
    made.request = update
    return made


def _check(sequence: Any, verb: str) -> None:
    if not isinstance(sequence, Sequence):
        check_request_kind(verb, sequence, "Sequence")


def _send(core: Core, update: Update[Any]) -> Steps[Answer]:
    if core.meters:
        core.meters.used(update)
    request = {**update.request, "ReturnValues": "UPDATED_NEW"}
    return (yield from send(core, "UpdateItem", request, update))


def _last(update: Update[Any], item: dict[str, Any]) -> int:
    value = item[update.declaration.attribute("last")]
    if "N" not in value:
        held = "NULL" if "NULL" in value else quote(next(iter(value.values())))
        raise _unreadable(update, held, "that is not a number")
    number = Decimal(value["N"])
    if number != number.to_integral_value():
        raise _unreadable(update, value["N"], "that is not a whole number")
    return int(number)


def _unreadable(update: Update[Any], held: str, why: str) -> ItemUnreadable:
    key = update.request["Key"]
    shown = ", ".join(f"{name} = {quote(next(iter(wire.values())))}" for name, wire in key.items())
    made = ItemUnreadable(
        "sequence-counter",
        f"{request_name(update)}: the counter {shown} of table {update.declaration.table.name!r} holds {held}, and {why}.",
        fix="put the last number that was drawn there, and let no other program write it.",
    )
    made.request, made.key, made.fields = update, key, {"last": f"{why}; the item holds {held}"}
    return made
