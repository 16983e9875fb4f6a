"""Sends several writes as one transaction, and tells of each why it failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pksk.client import ServiceError
from pksk.errors import Refused, StoreError, UniqueTaken
from pksk.store.sending.diagnosis import named
from pksk.store.sending.retry import is_passing, reasons_of
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps
from pksk.store.writes.blame import blame
from pksk.store.writes.failure import failure, transaction_failed
from pksk.store.writes.gathered import gathered, item_key
from pksk.store.writes.guards import left_alone
from pksk.store.writes.member import Asked, Member, failing
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
        raise transaction_failed(about, errors)
    yield from send_together(core, about, prepared, token)


def hopeless_before_sent(prepared: Prepared) -> StoreError | None:
    """Why a write need not be sent: what was read for it is not there, or does not take it."""
    if prepared.gone:
        return failure(prepared.write, prepared.members[0], prepared.members[0].asked[0], None)
    return prepared.refused


def send_together(core: Core, about: Any, prepared: Sequence[Prepared], token: str | None) -> Steps[None]:
    """Send prepared writes with their guards and checks; raises the error of a single write as it is."""
    members = gathered(about, prepared)
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
        passing = is_passing(code)
        found = Stale() if passing else (yield from _reason(core, prepared[place], place, member, reason))
        if isinstance(found, Stale):
            stales[place] = found
        elif isinstance(found, Member):
            left[number] = place, found
        else:
            failures = {**found, **failures}
    # Guards and checks of a write follow from what it has read: where that is old, they say nothing; nor do values
    # of such an item, which it may give away.
    olds = [item_key(prepared[place].members[0], prepared[place]) for place in stales]
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
    return transaction_failed(about, failures)


def _reason(
    core: Core, prepared: Prepared, place: int, member: Member, reason: Any
) -> Steps[dict[int, StoreError] | Stale | Member]:
    """Why one member was refused, by the places of the writes to blame, or what is to take its place."""
    if reason["Code"] != "ConditionalCheckFailed":
        made = Refused(
            "store-refused",
            f"{named(prepared.write)}: {reason['Code']}: {reason.get('Message')}",
            expected="A transaction was refused by the service, in its own words.",
        )
        made.request, made.service_code = prepared.write, reason["Code"]
        return {place: path_missing(prepared.write, made)}
    asked, item = yield from blame(core, prepared, member, reason.get("Item"))
    if asked is not None and asked.meaning == "guard":
        # An item that was stored before its field was unique has no guard, and another one may have it.
        return left_alone(member)
    return stale(prepared, member, asked) or _blamed(prepared, place, member, asked, item)


def _blamed(
    prepared: Prepared, place: int, member: Member, asked: Asked | None, item: WireItem | None
) -> dict[int, StoreError]:
    """The error of each write that has asked something of an item which it does not meet."""
    found: dict[int, StoreError] = {}
    for each in member.sharers:
        own = failing(each.member.asked, item)
        if own is not None:
            found.setdefault(each.place, failure(each.write, each.member, own, item))
    return found or {place: failure(prepared.write, member, asked, item)}
