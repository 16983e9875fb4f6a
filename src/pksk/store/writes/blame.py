"""Finds which condition of a write has failed: by the item that came with the refusal, or as it is now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps
from pksk.store.writes.member import Asked, Member, failing

if TYPE_CHECKING:
    from pksk.store.core import Core
    from pksk.store.writes.prepared import Prepared
    from pksk.values import WireItem

__all__ = ["blame"]

_SENDS_ITEMS: Final = "items of failed conditions"


def blame(
    core: Core, prepared: Prepared, member: Member, item: WireItem | None
) -> Steps[tuple[Asked | None, WireItem | None]]:
    """The condition of a member that its item does not meet, and that item; no condition where it now meets all."""
    asked = failing(member.asked, item)
    if item is not None:
        core.seen.add(_SENDS_ITEMS)
    elif asked is None or (_SENDS_ITEMS not in core.seen and _leaves_open(member)):
        # There was no item, or the service does not send it along: what there is tells which of the two.
        item = yield from _read(core, prepared, member)
        asked = failing(member.asked, item)
    return asked, item


def _leaves_open(member: Member) -> bool:
    """Whether what is said depends on there being an item: several things may have failed, or a version."""
    meanings = {each.meaning for each in member.asked}
    return len(meanings) > 1 or "version" in meanings


def _read(core: Core, prepared: Prepared, member: Member) -> Steps[WireItem | None]:
    names = prepared.write.declaration.table.key_attributes
    key: Any = member.request.get("Key") or {name: member.request["Item"][name] for name in names}
    request = {"TableName": member.request["TableName"], "Key": key, "ConsistentRead": True}
    found: WireItem | None = (yield from send(core, "GetItem", request, prepared.write)).get("Item")
    return found
