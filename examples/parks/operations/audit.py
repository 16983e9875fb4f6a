"""Writes audit rows for the changes of both tables."""

from __future__ import annotations

from typing import Any

import pksk
from pksk import Store

from ..audit import Change
from ..bookings import Booking
from ..tables import SYSTEM, ItemKey, reference, transactional


def write_audit_rows(db: Store, consumer: str = "audit") -> list[Change]:
    """Write a row for each change since the last call, and return the rows.

    A change that is delivered twice, after a crash, makes the same row again.
    """
    rows: list[Change] = []

    def write(changes: list[pksk.Change[Any]]) -> None:
        batch = [audit_row(each) for each in changes]
        db.run(Change.write_all(batch))
        rows.extend(batch)

    for table in (reference, transactional):
        db.changes(table, consumer=consumer).run(write, follow=False)
    return rows


def skip_changes(db: Store, consumer: str = "audit") -> None:
    """Begin the audit now: the changes so far get no rows."""
    for table in (reference, transactional):
        db.changes(table, consumer=consumer).run(lambda _: None, batch_size=1000, follow=False)


def audit_row(change: pksk.Change[Any]) -> Change:
    """The audit row of a change, with the user who made it if that is known."""
    assert change.at is not None
    return Change(
        user=_user_of(change.new),
        at=change.at,
        sequence_number=change.sequence_number,
        event_id=change.event_id,
        key=ItemKey(pk=change.key["pk"]["S"], sk=change.key["sk"]["S"]),
        schema_name=change.entity.__name__,
        action=change.kind,
        fields=list(change.changed_fields) if change.kind == "modify" else [],
    )


def _user_of(image: Any) -> str:
    """The user named in the new image; removals have none.

    The old image of a removal names who wrote the item last, not who removed it.
    """
    if isinstance(image, Booking) and image.status == "expired":
        return SYSTEM  # only the sweep ends bookings so
    return getattr(image, "changed_by", None) or getattr(image, "user_id", None) or SYSTEM
