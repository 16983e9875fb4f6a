"""Cells: the counters of one square of the map, at every size from a country to a house.

A cell of length 3 to 8 is stored under all but its last three characters, sorted by these three. So a partition has
at most 32,768 cells, all of one size, and a part of a map is a range in it. Keys are lower case only, since
capitals sort elsewhere. There are no cells of length 2: a view that wide is drawn from cells of length 3.

A report changes six cells, one of each size. All cells of the largest size are in one partition, which limits this
design to 1,000 write units a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Final

from pydantic import Field

from pksk import TTL, Attribute, Batch, Entity, F, GeoQuery, Get, Key, Table, Update, access, batch
from pksk.cells import Box, CellArea, CellLevel, view_of_screen

from .periods import COUNTERS, Period, elapsed, half_year
from .views import LENGTHS, SUFFIX, WORLD

heatmap = Table("heatmap", pk="PK", sk="SK", ttl="TimeToLive", discriminator=None)

# The maximum: after a year, nothing that a cell has counted is shown any more.
YEAR: Final = 366 * 86_400
LIVE: Final = 3600
# A smallest cell with all of its counters.
ITEM_BYTES: Final = 96
# Reports are denser in the middle of a town than around it. If a request counts like two units, the first query of a
# partition reads enough to tell, and the rest is divided only where that saves much.
REQUEST_UNITS: Final = 2.0
_SCREEN: Final = view_of_screen(51.507, -0.128, 15)

_HUNDRED: Final = [f"gcpjfy{first}{last}" for first in "0123456789" for last in "0123456789"]


class Cell(Entity, table=heatmap, items=100_000_000, per_partition=32_768):
    """One cell: the number of days and nights with reports in two half-years.

    `half` is the half-year of the newest count, which shows whether the counters of the other half are from before
    or from a year ago. The smallest cells also have the `period` that they counted last, and they and their parents
    the `last_report` of a reporter who was there.
    """

    cell: Annotated[str, CellLevel(LENGTHS[0], LENGTHS[-1]), Attribute("Cell"), Field(examples=["gcpjfy6d"])]
    first_half_days: Annotated[int, Attribute("H1D")] = 0
    first_half_nights: Annotated[int, Attribute("H1N")] = 0
    second_half_days: Annotated[int, Attribute("H2D")] = 0
    second_half_nights: Annotated[int, Attribute("H2N")] = 0
    half: Annotated[int, Attribute("Half")]
    period: Annotated[int | None, Attribute("Period")] = None
    last_report: Annotated[int | None, Attribute("LastReport")] = None
    expires: Annotated[int, Attribute("TimeToLive"), TTL()]

    primary = Key("ShCe#{cell[:-3]}", "{cell[-3:]}")

    def counts(self, half: int) -> tuple[int, int]:
        """Days and nights with reports in a half-year; 0 for half-years that the counters do not cover."""
        if not self.half - 1 <= half <= self.half:
            return 0, 0
        days, nights = COUNTERS[half % 2]
        return getattr(self, days), getattr(self, nights)

    def intensity(self, at: datetime) -> float:
        """Days and nights of this half-year, plus those of the last one, which fade as this one goes by."""
        now = half_year(at.astimezone(UTC))
        if self.half > now:
            # In the east a half-year begins sooner than in Greenwich.
            return float(sum(self.counts(self.half)) + sum(self.counts(now)))
        return sum(self.counts(now)) + (1 - elapsed(at.astimezone(UTC))) * sum(self.counts(now - 1))

    @access(example={"cell": "gcpjfy6d"})
    @classmethod
    def one(cls, cell: str) -> Get[Cell]:
        """One cell."""
        return cls.primary.get(cell=cell)

    @access(items=200, item_size=ITEM_BYTES, example={"view": _SCREEN, "zoom": 15})
    @classmethod
    def in_view(cls, view: Box, zoom: float | None = None) -> GeoQuery[Cell]:
        """The cells of a view at a zoom of a web map; without one, those of a length that fit a screen."""
        found = cls.primary.inside(view) if zoom is None else cls.primary.view(view, zoom)
        return found.using(request_units=REQUEST_UNITS)

    @access(items=32, item_size=ITEM_BYTES, example={"parent": "gcpjf"})
    @classmethod
    def children(cls, parent: str) -> GeoQuery[Cell]:
        """The cells of one parent, which are one range of one partition."""
        return cls.primary.inside(CellArea(parent), level=len(parent) + 1)

    @access(items=1024, item_size=ITEM_BYTES, example={"area": "gcpjfw"})
    @classmethod
    def block(cls, area: str) -> GeoQuery[Cell]:
        """The cells two sizes down, which have the first character of their sort keys in common: 98 KB, 12 units."""
        return cls.primary.inside(CellArea(area), level=len(area) + 2)

    @access(items=32_768, item_size=ITEM_BYTES, example={"prefix": "gcpj"})
    @classmethod
    def partition(cls, prefix: str) -> GeoQuery[Cell]:
        """A whole partition, for a cache: 3 MB, which is three pages."""
        area = CellArea(prefix) if prefix else WORLD
        return cls.primary.inside(area, level=len(prefix) + SUFFIX)

    @access(items=512, item_size=ITEM_BYTES, example={"prefix": "gcpjf", "now": 1_735_689_600})
    @classmethod
    def live(cls, prefix: str, now: int) -> GeoQuery[Cell]:
        """The cells with a report in the last hour; all others are read too, which is why there are markers."""
        return cls.partition(prefix).filter((F.last_report >= now - LIVE) & (F.expires > now))

    @access(items=100, item_size=ITEM_BYTES, example={"cells": _HUNDRED})
    @classmethod
    def one_by_one(cls, cells: Sequence[str]) -> Batch[Cell]:
        """Cells by name: each is charged separately, whether it exists or not, so a range costs a fraction of this."""
        return batch(*(cls.one(cell) for cell in cells))

    @classmethod
    def at(cls, cell: str) -> Update[Cell]:
        """A change of an existing cell, without changes yet."""
        return cls.primary.update(cell=cell)

    @classmethod
    def counted(cls, cell: str, period: Period, now: int, seen: Cell | None) -> Update[Cell]:
        """Count one more report in a cell, which is created if necessary and then lives another year.

        `seen` is the cell as it was read last. It determines whether counters continue or start again, and the
        update is on condition that this is still so.
        """
        half, counter = period.half, period.counter
        change = cls.at(cell)
        if seen is None or seen.half == half:
            same_half = change.add(**{counter: 1}).set(half=half, expires=now + YEAR)
            return same_half.when(F.half.missing() | (F.half == half)).upsert()
        if seen.half == half + 1:
            # A late report: the counters of the half-year before are still there, and stay.
            return change.add(**{counter: 1}).when(F.half == seen.half)
        # The counters of this half are from a year ago; those of the other half may be older still.
        old = [*COUNTERS[half % 2], *(COUNTERS[(half + 1) % 2] if seen.half < half - 1 else ())]
        first_counts = {**dict.fromkeys(old, 0), counter: 1}
        return change.set(**first_counts, half=half, expires=now + YEAR).when(F.half == seen.half)
