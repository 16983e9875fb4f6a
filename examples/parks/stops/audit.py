"""The audit: who changed what, from the streams."""

from __future__ import annotations

from datetime import UTC, datetime

from ...tour import Tour
from ..changes import Change
from ..operations.trail import Trail, audit

__all__ = ["stop"]


def stop(tour: Tour, watched: list[Trail]) -> None:
    """Write the rows of all that this tour has changed, twice over, and read those of a person."""
    tour.section("The audit: a row for each change, whose key cannot be another's")
    written: list[Change] = tour.call(
        "The changes of this tour, from both streams",
        lambda db: audit(db, watched),
        lambda rows: len(rows) > 50,
    )
    tour.run(Change.write_all(written), lambda _: True, title="The same once more: rows replace themselves")
    ann = sorted((row for row in written if row.user == "ann"), key=_order)
    tour.run(Change.by_user("ann", datetime(2025, 1, 1, tzinfo=UTC)), ann)
    seconds = {(row.user, row.at) for row in written}
    keys = {(row.user, _order(row)) for row in written}
    tour.table(
        ("audit rows", "keys by person and second", "keys by person, time, number and event"),
        [(len(written), len(seconds), len(keys))],
        right=(0, 1, 2),
    )


def _order(row: Change) -> tuple[datetime, str, str]:
    return row.at, row.sequence_number, row.event_id
