"""Sends several writes as one transaction, and tells of each why it failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pksk.client import ServiceError
from pksk.errors import (
    DesignError,
    ReferenceMissing,
    Refused,
    StoreError,
    TransactionFailed,
    UniqueTaken,
    quote,
)
from pksk.limits import TRANSACTION_ITEMS
from pksk.store.sending.diagnosis import named
from pksk.store.sending.retry import is_passing, reasons_of
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps
from pksk.store.writes.blame import blame
from pksk.store.writes.failure import failure
from pksk.store.writes.guards import left_alone, merged
from pksk.store.writes.member import Member, conditions, failing
from pksk.store.writes.path_missing import path_missing
from pksk.store.writes.prepared import Prepared, Stale, stale
from pksk.store.writes.token_used import token_used

if TYPE_CHECKING:
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["hopeless_before_sent", "send_together", "transact"]


def transact(core: Core, about: Any, prepared: Sequence[Prepared], token: str | None) -> Steps[None]:
    """Do several writes as one transaction; raises `TransactionFailed` with the error of each that failed."""
    found = {place: hopeless_before_sent(each) for place, each in enumerate(prepared)}
    errors = {place: error for place, error in found.items() if error is not None}
    if errors:
        raise _failed(about, errors)
    yield from send_together(core, about, prepared, token)


def hopeless_before_sent(prepared: Prepared) -> StoreError | None:
    """Why a write need not be sent: what was read for it is not there, or does not take it."""
    if prepared.gone:
        return failure(prepared.write, prepared.members[0], prepared.members[0].asked[0], None)
    return prepared.refused


def send_together(core: Core, about: Any, prepared: Sequence[Prepared], token: str | None) -> Steps[None]:
    """Send prepared writes with their guards and checks; raises the error of a single write as it is."""
    members = _members(about, prepared)
    while True:
        request = {
            "TransactItems": [member.transact_item for _, member in members],
            "ClientRequestToken": token or str(uuid4()),
        }
        try:
            yield from send(core, "TransactWriteItems", request, about)
        except ServiceError as error:
            found = yield from _cancelled(core, about, prepared, members, error)
            if isinstance(found, Exception):
                raise found from error
            # Each time with fewer guards to give back, so that it comes to an end.
            members = found
        except Refused as refused:
            raise token_used(about, prepared, token, refused) from refused.__cause__
        else:
            return


def _members(about: Any, prepared: Sequence[Prepared]) -> list[tuple[int, Member]]:
    """All members with the place of the write that each belongs to: guards and checks behind the writes themselves."""
    found = [(place, member) for place, each in enumerate(prepared) for member in each.members]
    own = len(found)
    taken = {_address(member, prepared[place]): number for number, (place, member) in enumerate(found)}
    for place, each in enumerate(prepared):
        for member in each.extras:
            number = taken.setdefault(_address(member, each), len(found))
            if number == len(found):
                found.append((place, member))
                continue
            known = found[number][1]
            if member.action != "ConditionCheck":
                one = merged(known, member) if number >= own else None
                if one is None:
                    raise _clash(about, each, member)
                found[number] = place if member.action == "Put" else found[number][0], one
            elif known.action == "Delete":
                raise _clash(about, each, member)
            elif known.action == "ConditionCheck":
                found[number] = found[number][0], _joined(known, member, place, each.write)
            elif known.action == "Put" and (asked := failing(member.asked, known.request["Item"])):
                # What is put there is not what is referred to.
                raise _failed(about, {place: failure(each.write, member, asked, known.request["Item"])})
    if len(found) > TRANSACTION_ITEMS:
        raise DesignError(
            "store-transaction-size",
            f"{named(about)}: {len(found)} items with guards and checks; DynamoDB takes {TRANSACTION_ITEMS}, and two "
            "halves would not be all or nothing.",
            fix="write fewer items that must agree at once.",
        )
    return found


def _joined(known: Member, member: Member, place: int, write: Any) -> Member:
    """Two checks of one item as one, which tells whose reference it is where that fails."""
    asked = (*known.asked, *(each for each in member.asked if each not in known.asked))
    request = {name: known.request[name] for name in ("TableName", "Key")}
    about = known.about or {**member.about, "place": place, "write": write}
    return Member("ConditionCheck", {**request, **conditions(asked)}, asked, about)


def _address(member: Member, prepared: Prepared) -> tuple[str, str]:
    return member.request["TableName"], repr(sorted(_key(member, prepared).items()))


def _key(member: Member, prepared: Prepared) -> WireItem:
    item = member.request.get("Key") or member.request["Item"]
    names = prepared.write.declaration.table.key_attributes if "Item" in member.request else item
    return {name: item[name] for name in names}


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


def _cancelled(
    core: Core,
    about: Any,
    prepared: Sequence[Prepared],
    members: Sequence[tuple[int, Member]],
    error: ServiceError,
) -> Steps[StoreError | Stale | list[tuple[int, Member]]]:
    """What a cancelled transaction means: stale reads, or the first failure of each write.

    Where nothing but guards is in the way that belong to other items, all members with those left alone.
    """
    failures: dict[int, StoreError] = {}
    stales: dict[int, Stale] = {}
    left = list(members)
    for number, ((place, member), reason) in enumerate(zip(members, reasons_of(error), strict=False)):
        code = reason.get("Code", "None")
        if code == "None" or place in stales:
            continue
        # Others at work on one item, and another one stale: all of it may be well the next time.
        found = Stale() if is_passing(code) else (yield from _reason(core, prepared[place], member, reason))
        if isinstance(found, Stale):
            stales[place] = found
        elif isinstance(found, Member):
            left[number] = place, found
        else:
            own = isinstance(found, ReferenceMissing)
            failures.setdefault(member.about.get("place", place) if own else place, found)
    # Guards and checks of a write follow from what it has read: where that is old, they say nothing; nor do values
    # of such an item, which it may give away.
    olds = [_key(prepared[place].members[0], prepared[place]) for place in stales]
    failures = {
        place: each
        for place, each in failures.items()
        if place not in stales and not (isinstance(each, UniqueTaken) and each.owner in olds)
    }
    if not failures and stales:
        return Stale(*(each for one in stales.values() for each in one.over))
    if not failures and left != list(members):
        return left
    if about is prepared[0].write and 0 in failures:
        return failures[0]
    return _failed(about, failures)


def _reason(
    core: Core, prepared: Prepared, member: Member, reason: Any
) -> Steps[StoreError | Stale | Member]:
    """Why one member was refused, or what is to take its place."""
    if reason["Code"] != "ConditionalCheckFailed":
        made = Refused(
            "store-refused",
            f"{named(prepared.write)}: {reason['Code']}: {reason.get('Message')}",
            expected="A transaction was refused by the service, in its own words.",
        )
        made.request, made.service_code = prepared.write, reason["Code"]
        return path_missing(prepared.write, made)
    asked, item = yield from blame(core, prepared, member, reason.get("Item"))
    if asked is not None and asked.meaning == "guard":
        # An item that was stored before its field was unique has no guard, and another one may have it.
        return left_alone(member)
    return stale(prepared, member, asked) or failure(prepared.write, member, asked, item)


def _failed(about: Any, failures: dict[int, StoreError]) -> TransactionFailed:
    lines = "".join(f"\n  {place}: {error.problem}" for place, error in sorted(failures.items()))
    made = TransactionFailed(
        "store-transaction-failed",
        f"{named(about)}: nothing was done, because of the members at these places:{lines}",
        fix="look at .failures, which has the error of each.",
    )
    made.request, made.failures = about, failures
    return made
