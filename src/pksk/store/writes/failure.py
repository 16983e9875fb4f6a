"""Finds which condition of a write failed, and makes the typed error for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pksk.errors import (
    AlreadyExists,
    ConditionFailed,
    NotFound,
    PkskError,
    ReferenceMissing,
    StaleVersion,
    StoreError,
    TransactionFailed,
    UniqueViolation,
    quote,
)
from pksk.expressions import Compare, Value, describe
from pksk.model.entity_of_item import is_item_of
from pksk.model.markers.marker_rules import marker_rules
from pksk.model.markers.unique import guard_owner
from pksk.model.writes.prepared_write import Expectation, ItemAction, first_failed, is_version_condition
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.sending.diagnosis import request_name
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps
from pksk.values import from_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.writes.prepared_write import PreparedWrite
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["failed_expectation", "failure", "quoted_key", "stored_entity", "transaction_failed"]

_SENDS_ITEMS: Final = "items of failed conditions"


def failed_expectation(
    core: Core, prepared: PreparedWrite, member: ItemAction, item: WireItem | None
) -> Steps[tuple[Expectation | None, WireItem | None]]:
    """The condition of a member that its item does not meet, and that item; no condition where it now meets all."""
    asked = first_failed(member.asked, item)
    if item is not None:
        core.seen.add(_SENDS_ITEMS)
    elif asked is None or (_SENDS_ITEMS not in core.seen and _is_ambiguous(member)):
        # There was no item, or the service does not send it along: what there is tells which of the two.
        item = yield from _read_item(core, prepared, member)
        asked = first_failed(member.asked, item)
    return asked, item


def _is_ambiguous(member: ItemAction) -> bool:
    """Whether what is said depends on there being an item: several things may have failed, or a version."""
    meanings = {each.meaning for each in member.asked}
    return len(meanings) > 1 or "version" in meanings


def _read_item(core: Core, prepared: PreparedWrite, member: ItemAction) -> Steps[WireItem | None]:
    names = prepared.write.declaration.table.key_attributes
    key: Any = member.request.get("Key") or {name: member.request["Item"][name] for name in names}
    request = {"TableName": member.request["TableName"], "Key": key, "ConsistentRead": True}
    found: WireItem | None = (yield from send(core, "GetItem", request, prepared.write)).get("Item")
    return found


def failure(write: Any, member: ItemAction, asked: Expectation | None, item: WireItem | None) -> StoreError:
    """The error for one condition of a member that an item did not meet; None where the item has changed since."""
    if asked is None and len({each.meaning for each in member.asked}) == 1:
        asked = member.asked[0]
    if asked is not None and asked.meaning == "ended" and _is_version_expectation(write, asked):
        # The same as is told once DynamoDB has deleted it.
        item = None
    made = _error(write, member, asked, item)
    made.request = write
    if made.item is None:
        made.item = stored_entity(write, item)
    return made


def transaction_failed(about: Any, failures: dict[int, StoreError]) -> TransactionFailed:
    """The error of a transaction, with that of each write that is to blame."""
    failures = dict(sorted(failures.items()))
    lines = "".join(f"\n  {place}: {error.problem}" for place, error in failures.items())
    made = TransactionFailed(
        "store-transaction-failed",
        f"{request_name(about)}: nothing was done, because of the members at these places:{lines}",
        fix="look at .failures, which has the error of each.",
    )
    made.request, made.failures = about, failures
    return made


def _error(
    write: Any, member: ItemAction, asked: Expectation | None, item: WireItem | None
) -> ConditionFailed:
    key = quoted_key(member.request.get("Key") or _key_of(write, member))
    meaning = "check" if asked is None else asked.meaning
    if meaning == "unique":
        return _unique_taken(write, member, item)
    if meaning == "reference":
        return _reference_missing(write, member, key)
    if meaning == "absent":
        return NotFound(
            "store-not-found",
            f"{request_name(write)}: there is no item {key}.",
            fix="create it first"
            + (
                ", or make the update an upsert: .upsert(), or upsert=True."
                if write.kind == "update"
                else "."
            ),
        )
    if meaning == "present":
        return AlreadyExists(
            "store-already-exists",
            f"{request_name(write)}: an item stands under {key} already.",
            fix="give it another key, or use put, which replaces.",
        )
    if asked is not None and (meaning == "version" or _is_version_expectation(write, asked)):
        return _stale_version(write, key, asked, item)
    return _condition_failed(write, key, asked)


def _stale_version(write: Any, key: str, asked: Expectation, item: WireItem | None) -> StaleVersion:
    condition = asked.shown
    if item is None and isinstance(condition, Compare) and isinstance(condition.right, Value):
        field = marker_rules(write.declaration).version or ""
        default = quote(write.declaration.fields[field].default)
        return StaleVersion(
            "store-version-of-nothing",
            f"{request_name(write)}: {field} {condition.right.wire['N']} is asked for, and there is no item {key}.",
            expected="It was deleted since it was read, or never stored.",
            fix="nothing is left to be deleted."
            if write.kind == "delete"
            else f"let an entity that is new have no version: {field}={default}, as its class has it.",
        )
    return StaleVersion(
        "store-stale-version",
        f"{request_name(write)}: the item {key} was written since it was read.",
        fix="read it again, make the change on that, and write it.",
    )


def _is_version_expectation(write: Any, asked: Expectation) -> bool:
    """Whether an author asks for a version, as those do who update what they have read: F.version == 3."""
    return asked.meaning in ("author", "ended") and is_version_condition(
        marker_rules(write.declaration), asked.shown
    )


def _condition_failed(write: Any, key: str, asked: Expectation | None) -> ConditionFailed:
    if asked is not None and asked.meaning == "kind":
        return ConditionFailed(
            "store-other-kind",
            f"{request_name(write)}: an item of another class stands under {key}.",
            fix="write it through the class that it is of.",
        )
    what = "the condition" if asked is None else f"the condition {describe(asked.shown)}"
    return ConditionFailed(
        "store-condition-failed",
        f"{request_name(write)}: {what} does not hold for the item {key}.",
        fix="look at .item, which is what is stored.",
    )


def _unique_taken(write: Any, member: ItemAction, item: WireItem | None) -> UniqueViolation:
    field, value = member.about["field"], member.about["value"]
    owner = guard_owner(write.declaration.table, item)
    by = f" by the item {quoted_key(owner)}" if owner else ""
    made = UniqueViolation(
        "store-unique-taken",
        f"{request_name(write)}: {field} = {quote(value)} is unique, and taken{by}.",
        fix="choose another value, or change the item that holds it.",
    )
    made.field, made.value, made.owner = field, value, owner
    made.item = item
    return made


def _reference_missing(write: Any, member: ItemAction, key: str) -> ReferenceMissing:
    about = member.about
    parts = ", ".join(f"{name}={quote(value)}" for name, value in about["parts"].items())
    made = ReferenceMissing(
        "store-reference-missing",
        f"{request_name(write)}: {about['field']} refers to {about['entity']}({parts}), and there is no item {key}.",
        fix=f"store the {about['entity']} first, or in the same transaction.",
    )
    made.field, made.key = about["field"], member.request["Key"]
    return made


def _key_of(write: Any, member: ItemAction) -> Mapping[str, Any]:
    names = write.declaration.table.key_attributes
    return {name: member.request["Item"][name] for name in names}


def quoted_key(key: Mapping[str, Any]) -> str:
    """A key for a message: pk = 'ORDER#7', sk = 'META'."""
    return ", ".join(f"{name} = {quote(from_wire(wire))}" for name, wire in key.items())


def stored_entity(write: Any, item: WireItem | None) -> Any:
    """The item as the entity that it is, or as it is where it is none."""
    if item is None:
        return None
    own: Declaration[Any] = write.declaration
    owner = next((each for each in (own, *own.table.entities) if is_item_of(each, item)), None)
    try:
        return item if owner is None else entity_reader(owner).read(item)
    except PkskError:
        return item
