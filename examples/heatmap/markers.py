"""Markers: the reports of the last hour, with their own purpose code, next to the cells.

A marker is in the partition of the cells of length 7 around it, under their sort key and its own time. So the live
reports in a view are a few ranges again, which contain only markers, however many cells there are.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final

from annotated_types import Len
from pydantic import Field, computed_field

from pksk import TTL, Attribute, Entity, F, Key, Query, Store, access, between
from pksk.cells import Box, CellStatistics, plan_queries

from .cells import LIVE, heatmap
from .periods import seconds
from .views import SUFFIX, cells_of

LENGTH: Final = 7
STRONG: Final = 900
# A hundred million reports a year are ten thousand in an hour, most of them in some hundred towns of 32,768 cells.
FEW: Final = CellStatistics(items_per_cell=0.005, item_bytes=90, source="declared")
_CELL: Final = "^[0-9b-hjkmnp-z]*$"


class Marker(Entity, table=heatmap):
    """A report by a person who was there; it lasts an hour."""

    prefix: Annotated[str, Len(4, 4), Field(pattern=_CELL, examples=["gcpj"])]
    suffix: Annotated[str, Len(3, 3), Field(pattern=_CELL, examples=["fy6"])]
    rest: Annotated[str, Len(1, 1), Field(pattern=_CELL, examples=["d"])]
    at: Annotated[int, Field(ge=0, examples=[1_735_689_600])]
    expires: Annotated[int, Attribute("TimeToLive"), TTL()]

    primary = Key("ShMa#{prefix:*}", "{suffix}#{at:010d}#{rest}", codec="raw")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def cell(self) -> str:
        """The smallest cell that it is in."""
        return self.prefix + self.suffix + self.rest

    @classmethod
    def of(cls, cell: str, at: int) -> Marker:
        """The marker of a report in a smallest cell."""
        prefix, suffix, rest = cell[: LENGTH - SUFFIX], cell[LENGTH - SUFFIX : LENGTH], cell[LENGTH:]
        return cls(prefix=prefix, suffix=suffix, rest=rest, at=at, expires=at + LIVE)

    def strong(self, at: datetime) -> bool:
        """Whether it is of the last quarter of an hour; older ones are shown weakly."""
        return seconds(at) - self.at <= STRONG

    @access(
        items=10,
        item_size=90,
        example={"prefix": "gcpj", "first": "fy0", "last": "fyz", "now": 1_735_689_600},
    )
    @classmethod
    def within(cls, prefix: str, first: str, last: str, now: int) -> Query[Marker]:
        """The live markers in one range of a view; expired ones are left out, though they may exist for days."""
        query = cls.primary(prefix=prefix, suffix=between(first, last))
        return query.filter((F.expires > now) & (F.at <= now))


def live(db: Store, view: Box, at: datetime) -> list[Marker]:
    """The markers in a view at a moment, the newest first."""
    ranges = cells_of(view, LENGTH, or_larger=False)
    plan = plan_queries(ranges, FEW)
    queries = (Marker.within(each.prefix, each.first, each.last, seconds(at)) for each in plan.queries)
    markers = [each for query in queries for each in db.iter(query) if each.cell[:LENGTH] in ranges]
    return sorted(markers, key=lambda each: (-each.at, each.cell))
