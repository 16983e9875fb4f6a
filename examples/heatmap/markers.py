"""Markers: the reports of the last hour, with their own purpose code, next to the cells.

A marker is in the partition of the cells of length 7 around it, under their sort key and its own time. So the live
reports in a view are a few ranges again, which contain only markers, however many cells there are.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final

from annotated_types import Len
from pydantic import Field, computed_field

from pksk import TTL, Attribute, Entity, F, GeoQuery, Key, Store, access
from pksk.cells import Box, CellLevel, Region

from .cells import LIVE, heatmap
from .periods import seconds
from .views import cells_of

LENGTH: Final = 7
STRONG: Final = 900
_CELL: Final = "^[0-9b-hjkmnp-z]*$"
_TOWN: Final = Box(51.6, -1.4, 51.7, -1.2)


class Marker(Entity, table=heatmap):
    """A report by a person who was there; it lasts an hour."""

    square: Annotated[str, CellLevel(LENGTH), Field(examples=["gcpjfy6"])]
    rest: Annotated[str, Len(1, 1), Field(pattern=_CELL, examples=["d"])]
    at: Annotated[int, Field(ge=0, examples=[1_735_689_600])]
    expires: Annotated[int, Attribute("TimeToLive"), TTL()]

    primary = Key("ShMa#{square[:-3]}", "{square[-3:]}#{at:010d}#{rest}")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def cell(self) -> str:
        """The smallest cell that it is in."""
        return self.square + self.rest

    @classmethod
    def of(cls, cell: str, at: int) -> Marker:
        """The marker of a report in a smallest cell."""
        return cls(square=cell[:LENGTH], rest=cell[LENGTH:], at=at, expires=at + LIVE)

    def strong(self, at: datetime) -> bool:
        """Whether it is of the last quarter of an hour; older ones are shown weakly."""
        return seconds(at) - self.at <= STRONG

    @access(items=10, item_size=90, example={"region": _TOWN, "now": 1_735_689_600})
    @classmethod
    def within(cls, region: Region, now: int) -> GeoQuery[Marker]:
        """The live markers in a view or any other region; expired ones are left out, though they may exist for days."""
        return cls.primary.inside(region).filter((F.expires > now) & (F.at <= now))


def live(db: Store, view: Box, at: datetime) -> list[Marker]:
    """The markers in a view at a moment, the newest first."""
    cells_of(view, LENGTH, or_larger=False)
    return sorted(db.run(Marker.within(view, seconds(at))), key=lambda each: (-each.at, each.cell))
