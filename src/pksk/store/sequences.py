"""Draws numbers from sequences with atomic updates."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

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
from pksk.model import Sequence, Update
from pksk.model.key import BoundKey
from pksk.model.sequences import MAX_NUMBER
from pksk.sending import Answer, Core, Steps, request_name, send
from pksk.store.arguments import check_request_kind


def take(core: Core, sequence: Sequence, count: int, parts: dict[str, Any]) -> Steps[range]:
    """Draw a range of numbers that no other client gets."""
    _check(sequence, "next" if count == 1 else "take")
    update = sequence.take(count, **parts)
    # Repeated after a lost answer: gaps are allowed, duplicates are not.
    try:
        answer = yield from _send(core, update)
    except RequestRejected as rejected:
        raise (
            yield from _rejection_reason(core, sequence, update, parts)
        ) or rejected from rejected.__cause__
    last = _last(update, answer.get("Attributes", {}))
    return range(last - count + 1, last + 1)


def _rejection_reason(
    core: Core, sequence: Sequence, update: Update, parts: dict[str, Any]
) -> Steps[ItemUnreadable | None]:
    """The error if the counter is not a number, or too large to add to; else None."""
    try:
        last = yield from _read_last(core, sequence, update, parts)
    except ItemUnreadable as unreadable:
        return unreadable
    except StoreError:
        return None
    return (
        _unreadable(update, str(last), f"the largest number of a sequence is {MAX_NUMBER:,}")
        if last > MAX_NUMBER
        else None
    )


def reconcile(core: Core, sequence: Sequence, at_least: int, parts: dict[str, Any]) -> Steps[int]:
    """Raise a sequence to at least this number, never lower it; returns the last number drawn."""
    _check(sequence, "reconcile")
    if isinstance(at_least, bool) or not isinstance(at_least, int) or not 0 <= at_least <= MAX_NUMBER:
        raise InvalidValue(
            "sequence-count",
            f"sequence {sequence.template!r}: reconcile({quote(at_least)}); the number must be 0 or more, with at most "
            "37 digits.",
            fix="pass the largest number that is in use.",
        )
    key = BoundKey(sequence.entity, "primary")
    update = key.update(**parts).set(last=at_least).upsert().when(F.last.missing() | (F.last < at_least))
    try:
        return _last(update, (yield from _send(core, update)).get("Attributes", {}))
    except ServiceError as error:
        # The sequence is at this number or above; read it.
        last = yield from _read_last(core, sequence, update, parts)
        if last < at_least:
            raise _counter_changed(update) from error
    except OutcomeUnknown as unknown:
        # Only the current number matters, not which client wrote it.
        try:
            last = yield from _read_last(core, sequence, update, parts)
        except StoreError:
            raise unknown from unknown.__cause__
        if last < at_least:
            raise
    return last


def _read_last(core: Core, sequence: Sequence, update: Update, parts: dict[str, Any]) -> Steps[int]:
    """The last number drawn; -1 if there is no counter yet."""
    item = (yield from send(core, "GetItem", sequence.peek(**parts).request, update)).get("Item", {})
    return _last(update, item) if update.declaration.attribute("last") in item else -1


def _counter_changed(update: Update) -> WriteConflict:
    error = WriteConflict(
        "store-write-conflict",
        f"{request_name(update)}: the counter was deleted or lowered at the same time.",
        fix="reconcile again, and write the counter only through the sequence.",
    )
    error.request = update
    return error


def _check(sequence: object, verb: str) -> None:
    if not isinstance(sequence, Sequence):
        check_request_kind(verb, sequence, "Sequence")


def _send(core: Core, update: Update) -> Steps[Answer]:
    if core.meters:
        core.meters.used(update)
    request = {**update.request, "ReturnValues": "UPDATED_NEW"}
    return (yield from send(core, "UpdateItem", request, update))


def _last(update: Update, item: Answer) -> int:
    value = item[update.declaration.attribute("last")]
    if "N" not in value:
        stored = "NULL" if "NULL" in value else quote(next(iter(value.values())))
        raise _unreadable(update, stored, "it is not a number")
    number = Decimal(value["N"])
    if number != number.to_integral_value():
        raise _unreadable(update, value["N"], "it is not a whole number")
    return int(number)


def _unreadable(update: Update, stored: str, reason: str) -> ItemUnreadable:
    key = update.request["Key"]
    key_text = ", ".join(f"{name} = {quote(next(iter(wire.values())))}" for name, wire in key.items())
    table = update.declaration.table.name
    error = ItemUnreadable(
        "sequence-counter",
        f"{request_name(update)}: the counter {key_text} of table {table!r} holds {stored}: {reason}.",
        fix="store the last number drawn there, and write the counter only through the sequence.",
    )
    error.request, error.key, error.fields = update, key, {"last": f"{reason}; the item holds {stored}"}
    return error
