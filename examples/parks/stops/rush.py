"""The rush: many buyers at once, and the count afterwards."""

from __future__ import annotations

from ...tour import Tour
from ..operations.balance import balance
from ..rush import rush

__all__ = ["ATTEMPTS", "BUYERS", "stop"]

ATTEMPTS = 300
BUYERS = 50


def stop(tour: Tour) -> None:
    """Let fifty buyers loose, then count."""
    tour.section(f"The rush: {ATTEMPTS} attempts by {BUYERS} buyers at a time, and a sweep beside them")
    endings = rush(tour.db, ATTEMPTS, BUYERS)
    found = tour.call(
        "For every pool: capacity less what is left is what is booked",
        balance,
        lambda found: found.wrong == () and found.capacity == found.booked + found.left,
    )
    headers = ("Attempts", "Paid", "Cancelled", "Walked away", "Sold out", "Units", "Booked", "Left", "Lost")
    figures = (
        endings.total(),
        *(endings[ending] for ending in ("paid", "cancelled", "left", "sold out")),
        *(found.capacity, found.booked, found.left, found.capacity - found.booked - found.left),
    )
    tour.table(headers, [figures], right=range(len(headers)))
    lost = found.capacity - found.booked - found.left
    tour.prove(
        f"{ATTEMPTS} attempts by {BUYERS} buyers at a time: of {found.capacity} units {found.booked} are booked, "
        f"{found.left} are left, none is sold twice, and {lost or 'none'} is lost.",
        holds=found.wrong == () and lost == 0,
    )
