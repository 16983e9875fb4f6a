"""Puts all members of a transaction together: each item once, whoever writes, guards or refers to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pksk.errors import DesignError, StoreError, quote
from pksk.limits import TRANSACTION_ITEMS
from pksk.store.sending.diagnosis import named
from pksk.store.writes.failure import failure, transaction_failed
from pksk.store.writes.guards import merged
from pksk.store.writes.member import Member, Sharer, failing, with_asked
from pksk.store.writes.prepared import Prepared
from pksk.values.boto3_form import from_boto3

if TYPE_CHECKING:
    from pksk.values import WireItem

__all__ = ["gathered", "item_key"]


def gathered(about: Any, prepared: Sequence[Prepared]) -> list[tuple[int, Member]]:
    """All members with the place of the write that each belongs to: guards and checks behind the writes themselves."""
    found = [(place, member) for place, each in enumerate(prepared) for member in each.members]
    own = len(found)
    taken = {_address(member, prepared[place]): number for number, (place, member) in enumerate(found)}
    wrong: dict[int, StoreError] = {}
    for place, each in enumerate(prepared):
        for member in each.extras:
            number = taken.setdefault(_address(member, each), len(found))
            if number == len(found):
                found.append((place, member))
                continue
            holder, known = found[number]
            if member.action == "ConditionCheck":
                if (error := _contradiction(about, each, known, member)) is not None:
                    wrong.setdefault(place, error)
                found[number] = holder, _shared(known, prepared[holder], holder, member, each, place)
                continue
            one = merged(known, member) if number >= own else None
            if one is None:
                raise _clash(about, each, member)
            found[number] = place if member.action == "Put" else holder, one
    if wrong:
        raise transaction_failed(about, wrong)
    _check_size(about, found)
    return found


def item_key(member: Member, prepared: Prepared) -> WireItem:
    """The key of the item that a member is about."""
    item = member.request.get("Key") or member.request["Item"]
    names = prepared.write.declaration.table.key_attributes if "Item" in member.request else item
    return {name: from_boto3(item[name]) for name in names}


def _contradiction(about: Any, prepared: Prepared, known: Member, check: Member) -> StoreError | None:
    """Why what is referred to will not be there: another one is put there, which is told before anything is sent."""
    if known.action == "Delete":
        raise _clash(about, prepared, check)
    if known.action != "Put":
        return None
    item = known.request["Item"]
    asked = failing(check.asked, item)
    return None if asked is None else failure(prepared.write, check, asked, item)


def _shared(
    known: Member, holder: Prepared, at: int, check: Member, prepared: Prepared, place: int
) -> Member:
    """A write or a check of an item that is referred to, which asks for what the reference asks, too."""
    if known.action == "Put":
        return known
    if known.action == "Update" and holder.write.declaration.is_kind_of(check.about["declaration"]):
        # It finds such an item, or makes one.
        return known
    sharers = known.sharers or (Sharer(at, holder.write, known),)
    return with_asked(known, check.asked, (*sharers, Sharer(place, prepared.write, check)))


def _address(member: Member, prepared: Prepared) -> tuple[str, str]:
    return member.request["TableName"], repr(sorted(item_key(member, prepared).items()))


def _check_size(about: Any, members: Sequence[object]) -> None:
    if len(members) > TRANSACTION_ITEMS:
        raise DesignError(
            "store-transaction-size",
            f"{named(about)}: {len(members)} items with guards and checks; DynamoDB takes {TRANSACTION_ITEMS}, and two "
            "halves would not be all or nothing.",
            fix="write fewer items that must agree at once.",
        )


def _clash(about: Any, prepared: Prepared, member: Member) -> DesignError:
    field = member.about.get("field", "")
    what = "refers to an item that the same transaction deletes"
    if member.action != "ConditionCheck":
        value = quote(member.about["value"])
        return DesignError(
            "store-transaction-clash",
            f"{named(about)}: {prepared.write.declaration.name}.{field} is unique, and two writes of the same "
            f"transaction take {value}.",
            expected="One item can hold a value; it may change hands in a transaction.",
            fix="give them values of their own.",
        )
    return DesignError(
        "store-transaction-clash",
        f"{named(about)}: {prepared.write.declaration.name}.{field} {what}.",
        expected="DynamoDB takes one action on each item.",
        fix="make two transactions of it, one after the other.",
    )
