"""Sends several writes as one transaction, and tells of each why it failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pksk.client import ServiceError
from pksk.errors import DesignError, ReferenceMissing, Refused, StoreError, TransactionFailed
from pksk.limits import TRANSACTION_ITEMS
from pksk.store.sending.diagnosis import named
from pksk.store.sending.retry import is_passing, reasons_of
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps
from pksk.store.writes.blame import blame
from pksk.store.writes.failure import failure
from pksk.store.writes.member import Member, conditions, failing
from pksk.store.writes.prepared import Prepared, Stale, stale

if TYPE_CHECKING:
    from pksk.store.core import Core

__all__ = ["send_together", "transact"]


def transact(core: Core, about: Any, prepared: Sequence[Prepared], token: str | None) -> Steps[None]:
    """Do several writes as one transaction; raises `TransactionFailed` with the error of each that failed."""
    lacking = {place: each for place, each in enumerate(prepared) if each.gone}
    if lacking:
        errors = {
            place: failure(each.write, each.members[0], each.members[0].asked[0], None)
            for place, each in lacking.items()
        }
        raise _failed(about, errors)
    yield from send_together(core, about, prepared, token)


def send_together(core: Core, about: Any, prepared: Sequence[Prepared], token: str | None) -> Steps[None]:
    """Send prepared writes with their guards and checks; raises the error of a single write as it is."""
    members = _members(about, prepared)
    request = {
        "TransactItems": [member.transact_item for _, member in members],
        "ClientRequestToken": token or str(uuid4()),
    }
    try:
        yield from send(core, "TransactWriteItems", request, about)
    except ServiceError as error:
        raise (yield from _cancelled(core, about, prepared, members, error)) from error


def _members(about: Any, prepared: Sequence[Prepared]) -> list[tuple[int, Member]]:
    """All members with the place of the write that each belongs to: guards and checks behind the writes themselves."""
    found = [(place, member) for place, each in enumerate(prepared) for member in each.members]
    taken = {_address(member, prepared[place]): number for number, (place, member) in enumerate(found)}
    for place, each in enumerate(prepared):
        for member in each.extras:
            number = taken.setdefault(_address(member, each), len(found))
            if number == len(found):
                found.append((place, member))
                continue
            known = found[number][1]
            if member.action != "ConditionCheck" or known.action == "Delete":
                raise _clash(about, each, member)
            if known.action == "ConditionCheck":
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
    table = member.request["TableName"]
    item = member.request.get("Key") or member.request["Item"]
    names = prepared.write.declaration.table.key_attributes if "Item" in member.request else item
    return table, repr(sorted((name, item[name]) for name in names))


def _clash(about: Any, prepared: Prepared, member: Member) -> DesignError:
    field = member.about.get("field", "")
    what = "refers to an item that the same transaction deletes"
    if member.action != "ConditionCheck":
        what = "is unique, and another write of the same transaction takes or gives back the same value"
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
) -> Steps[StoreError | Stale]:
    """What a cancelled transaction means: stale reads, or the first failure of each write."""
    failures: dict[int, StoreError] = {}
    stales: dict[int, Stale] = {}
    for (place, member), reason in zip(members, reasons_of(error), strict=False):
        code = reason.get("Code", "None")
        if code == "None" or place in stales:
            continue
        # Others at work on one item, and another one stale: all of it may be well the next time.
        found = Stale() if is_passing(code) else (yield from _reason(core, prepared[place], member, reason))
        if isinstance(found, Stale):
            stales[place] = found
        else:
            own = isinstance(found, ReferenceMissing)
            failures.setdefault(member.about.get("place", place) if own else place, found)
    # Guards and checks of a write follow from what it has read: where that is old, they say nothing.
    failures = {place: each for place, each in failures.items() if place not in stales}
    if not failures and stales:
        return Stale(*(each for one in stales.values() for each in one.over))
    if about is prepared[0].write and 0 in failures:
        return failures[0]
    return _failed(about, failures)


def _reason(core: Core, prepared: Prepared, member: Member, reason: Any) -> Steps[StoreError | Stale]:
    if reason["Code"] != "ConditionalCheckFailed":
        made = Refused(
            "store-refused",
            f"{named(prepared.write)}: {reason['Code']}: {reason.get('Message')}",
            expected="A transaction was refused by the service, in its own words.",
        )
        made.request, made.service_code = prepared.write, reason["Code"]
        return made
    asked, item = yield from blame(core, prepared, member, reason.get("Item"))
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
