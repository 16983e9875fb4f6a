"""Names and words of the generated parks."""

from __future__ import annotations

__all__ = ["FIRST", "PARKS", "POLICIES", "SECOND", "ZONES", "park_name"]

FIRST = (
    "Cedar", "Granite", "Heron", "Kettle", "Larch", "Marble", "Otter", "Raven", "Salmon", "Tamarack", "Willow", "Wolf",
)  # fmt: skip
SECOND = ("Bay", "Canyon", "Falls", "Island", "Lake", "Meadows", "Pass", "Point", "Ridge", "River", "Valley")

# Every pair of them; then they come again, with a number.
PARKS = [f"{first} {second}" for second in SECOND for first in FIRST]

ZONES = ("North Shore", "South Shore", "Upper Basin", "Old Forest")

POLICIES = {
    "booking": {"nights": "at most 14", "window": "4 months before"},
    "party": {"size": "at most 8"},
    "change": {"until": "2 days before"},
    "fee": {"adult": "10.00", "child": "5.00"},
}


def park_name(number: int) -> str:
    """The name of a park, by its number from 1 on."""
    again, place = divmod(number - 1, len(PARKS))
    return PARKS[place] + (f" {again + 1}" if again else "")
