"""Makes the typed error of a write that a condition refused, from the item as it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pksk.errors import (
    AlreadyExists,
    ConditionFailed,
    NotFound,
    PkskError,
    ReferenceMissing,
    StaleVersion,
    StoreError,
    TransactionFailed,
    UniqueTaken,
    quote,
)
from pksk.expressions import Compare, Value, describe
from pksk.model.told import owns
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.sending.diagnosis import named
from pksk.store.writes.authored import asks_for_version
from pksk.store.writes.guards import owner_of
from pksk.store.writes.marks import marks_of
from pksk.store.writes.member import Asked, Member
from pksk.values import from_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.values import WireItem

__all__ = ["failure", "shown_key", "stored_entity", "transaction_failed"]


def failure(write: Any, member: Member, asked: Asked | None, item: WireItem | None) -> StoreError:
    """The error for one condition of a member that an item did not meet; None where the item has changed since."""
    if asked is None and len({each.meaning for each in member.asked}) == 1:
        asked = member.asked[0]
    if asked is not None and asked.meaning == "ended" and _is_of_version(write, asked):
        # The same as is told once DynamoDB has deleted it.
        item = None
    made = _made(write, member, asked, item)
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
        f"{named(about)}: nothing was done, because of the members at these places:{lines}",
        fix="look at .failures, which has the error of each.",
    )
    made.request, made.failures = about, failures
    return made


def _made(write: Any, member: Member, asked: Asked | None, item: WireItem | None) -> ConditionFailed:
    key = shown_key(member.request.get("Key") or _key_of(write, member))
    meaning = "check" if asked is None else asked.meaning
    if meaning == "unique":
        return _taken(write, member, item)
    if meaning == "reference":
        return _missing(write, member, key)
    if meaning == "absent":
        return NotFound(
            "store-not-found",
            f"{named(write)}: there is no item {key}.",
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
            f"{named(write)}: an item stands under {key} already.",
            fix="give it another key, or use put, which replaces.",
        )
    if asked is not None and (meaning == "version" or _is_of_version(write, asked)):
        return _stale(write, key, asked, item)
    return _refused(write, key, asked)


def _stale(write: Any, key: str, asked: Asked, item: WireItem | None) -> StaleVersion:
    condition = asked.shown
    if item is None and isinstance(condition, Compare) and isinstance(condition.right, Value):
        field = marks_of(write.declaration).version or ""
        default = quote(write.declaration.fields[field].default)
        return StaleVersion(
            "store-version-of-nothing",
            f"{named(write)}: {field} {condition.right.wire['N']} is asked for, and there is no item {key}.",
            expected="It was deleted since it was read, or never stored.",
            fix="nothing is left to be deleted."
            if write.kind == "delete"
            else f"let an entity that is new have no version: {field}={default}, as its class has it.",
        )
    return StaleVersion(
        "store-stale-version",
        f"{named(write)}: the item {key} was written since it was read.",
        fix="read it again, make the change on that, and write it.",
    )


def _is_of_version(write: Any, asked: Asked) -> bool:
    """Whether an author asks for a version, as those do who update what they have read: F.version == 3."""
    return asked.meaning in ("author", "ended") and asks_for_version(marks_of(write.declaration), asked.shown)


def _refused(write: Any, key: str, asked: Asked | None) -> ConditionFailed:
    if asked is not None and asked.meaning == "kind":
        return ConditionFailed(
            "store-other-kind",
            f"{named(write)}: an item of another class stands under {key}.",
            fix="write it through the class that it is of.",
        )
    what = "the condition" if asked is None else f"the condition {describe(asked.shown)}"
    return ConditionFailed(
        "store-condition-failed",
        f"{named(write)}: {what} does not hold for the item {key}.",
        fix="look at .item, which is what is stored.",
    )


def _taken(write: Any, member: Member, item: WireItem | None) -> UniqueTaken:
    field, value = member.about["field"], member.about["value"]
    owner = owner_of(write.declaration.table, item)
    by = f" by the item {shown_key(owner)}" if owner else ""
    made = UniqueTaken(
        "store-unique-taken",
        f"{named(write)}: {field} = {quote(value)} is unique, and taken{by}.",
        fix="choose another value, or change the item that holds it.",
    )
    made.field, made.value, made.owner = field, value, owner
    made.item = item
    return made


def _missing(write: Any, member: Member, key: str) -> ReferenceMissing:
    about = member.about
    parts = ", ".join(f"{name}={quote(value)}" for name, value in about["parts"].items())
    made = ReferenceMissing(
        "store-reference-missing",
        f"{named(write)}: {about['field']} refers to {about['entity']}({parts}), and there is no item {key}.",
        fix=f"store the {about['entity']} first, or in the same transaction.",
    )
    made.field, made.key = about["field"], member.request["Key"]
    return made


def _key_of(write: Any, member: Member) -> Mapping[str, Any]:
    names = write.declaration.table.key_attributes
    return {name: member.request["Item"][name] for name in names}


def shown_key(key: Mapping[str, Any]) -> str:
    """A key for a message: pk = 'ORDER#7', sk = 'META'."""
    return ", ".join(f"{name} = {quote(from_wire(wire))}" for name, wire in key.items())


def stored_entity(write: Any, item: WireItem | None) -> Any:
    """The item as the entity that it is, or as it is where it is none."""
    if item is None:
        return None
    own: Declaration[Any] = write.declaration
    owner = next((each for each in (own, *own.table.entities) if owns(each, item)), None)
    try:
        return item if owner is None else entity_reader(owner).read(item)
    except PkskError:
        return item
