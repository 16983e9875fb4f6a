"""Heat: the points that a map is drawn with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pksk import Store

from .cells import Cell
from .cover import GAP, cover
from .geohash import area
from .periods import seconds
from .views import View, length_of

__all__ = ["Point", "heat"]


@dataclass(frozen=True)
class Point:
    """The middle of a cell, how much was reported in it, and how long ago the last time, if that is known."""

    lat: float
    lng: float
    intensity: float
    age_seconds: int | None = None

    @classmethod
    def of(cls, cell: Cell, at: datetime) -> Point:
        """The point of a cell at a moment."""
        lat, lng = area(cell.cell).middle
        age = None if cell.last_report is None else max(0, seconds(at) - cell.last_report)
        return cls(lat, lng, cell.intensity(at), age)


def heat(db: Store, view: View, at: datetime, length: int | None = None, *, gap: int = GAP) -> list[Point]:
    """The points of a view, the hottest first; from the smallest cells that are not too many, unless told.

    Clients are told places, not cells: how these are stored stays with the server. `gap` is that of
    `worthwhile_gap`, for those who know how much of the map is taken.
    """
    found = cover(view, length_of(view) if length is None else length)
    read = (each for run in found.runs(gap) for each in db.iter(Cell.within(*run)))
    points = (Point.of(each, at) for each in read if each.cell in found)
    return sorted((each for each in points if each.intensity), key=lambda each: -each.intensity)
