"""Cells: the counters of one square of the map, at every size from a country to a house.

A cell of length 3 to 8 stands under all but its last three characters, sorted by these three; so a partition holds
at most 32,768 cells, all of one size, and a part of a map is a range in it. Its keys are lower case only: capitals
sort elsewhere. The length 2 has no place here, a view that wide is drawn from cells of length 3.

A report changes six cells, one of each size. All of the largest stand in one partition, whatever the part of the
world: at 1,000 writes a second that partition is the end of this design.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from annotated_types import Len
from pydantic import Field, computed_field

from pksk import (
    TTL,
    Attribute,
    Batch,
    Entity,
    F,
    Get,
    Key,
    Query,
    Table,
    Update,
    access,
    batch,
    between,
)

heatmap = Table("heatmap", pk="PK", sk="SK", ttl="TimeToLive", discriminator=None)

LENGTHS = range(3, 9)
YEAR = 365 * 86_400

Counter = Literal["first_half_days", "first_half_nights", "second_half_days", "second_half_nights"]

# The four ranges that a view over the corner of four cells of length 1 needs, at length 3.
FOUR_CORNERS = [("", "g00", "ggz"), ("", "u00", "ugz"), ("", "eh0", "ezz"), ("", "sh0", "szz")]

HUNDRED = [f"gcpjfy{first}{last}" for first in "0123456789" for last in "0123456789"]


class Cell(Entity, table=heatmap, items=100_000_000, per_partition=32_768):
    """One cell: on how many days and nights of each half-year something was reported."""

    prefix: Annotated[str, Field(max_length=5, pattern="^[0-9b-hjkmnp-z]*$", examples=["gcpjf"])]
    suffix: Annotated[str, Len(3, 3), Attribute("SK"), Field(pattern="^[0-9b-hjkmnp-z]*$", examples=["y6d"])]
    first_half_days: Annotated[int, Attribute("H1D")] = 0
    first_half_nights: Annotated[int, Attribute("H1N")] = 0
    second_half_days: Annotated[int, Attribute("H2D")] = 0
    second_half_nights: Annotated[int, Attribute("H2N")] = 0
    last_report: Annotated[int | None, Attribute("LastReport")] = None
    expires: Annotated[int, Attribute("TimeToLive"), TTL()]

    primary = Key("ShCe#{prefix:*}", "{suffix}", codec="raw")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def cell(self) -> str:
        return self.prefix + self.suffix

    @access(example={"prefix": "gcpjf", "suffix": "y6d"})
    @classmethod
    def one(cls, prefix: str, suffix: str) -> Get[Cell]:
        """One cell."""
        return cls.primary.get(prefix=prefix, suffix=suffix)

    @access(items=8192, item_size=64, example={"prefix": "gcpjf", "first": "800", "last": "gzz"})
    @classmethod
    def small(cls, prefix: str, first: str, last: str) -> Query[Cell]:
        """Many small cells of a partition, for a near view: 512 KB, and not one read but 64 units."""
        return cls.primary(prefix=prefix, suffix=between(first, last))

    @access(items=512, item_size=64, example={"prefix": "gcpjf", "first": "w00", "last": "wgz"})
    @classmethod
    def medium(cls, prefix: str, first: str, last: str) -> Query[Cell]:
        """Some cells of a partition."""
        return cls.primary(prefix=prefix, suffix=between(first, last))

    @access(items=32, item_size=64, example={"prefix": "gcp", "first": "jf0", "last": "jfz"})
    @classmethod
    def large(cls, prefix: str, first: str, last: str) -> Query[Cell]:
        """The cells of one parent, for a far view."""
        return cls.primary(prefix=prefix, suffix=between(first, last))

    @access(items=32_768, item_size=64, example={"prefix": "gcpj"})
    @classmethod
    def partition(cls, prefix: str) -> Query[Cell]:
        """A whole partition, to be kept in a cache: 2 MB, so three pages."""
        return cls.primary(prefix=prefix)

    @access(items=2048, item_size=64, example={"ranges": FOUR_CORNERS})
    @classmethod
    def view(cls, ranges: Sequence[tuple[str, str, str]]) -> list[Query[Cell]]:
        """What a screen shows: a query for each range, which may be of several partitions."""
        return [cls.primary(prefix=prefix, suffix=between(first, last)) for prefix, first, last in ranges]

    @access(
        items=512,
        item_size=64,
        example={"prefix": "gcpjf", "first": "w00", "last": "wzz", "now": 1_735_689_600},
    )
    @classmethod
    def live(cls, prefix: str, first: str, last: str, now: int) -> Query[Cell]:
        """The cells with a report in the last hour, which are shown as markers; the others are read too."""
        found = cls.primary(prefix=prefix, suffix=between(first, last))
        return found.filter((F.last_report >= now - 3600) & (F.expires > now))

    @access(items=100, item_size=64, example={"cells": HUNDRED})
    @classmethod
    def one_by_one(cls, cells: Sequence[str]) -> Batch[Cell]:
        """Cells by name: each is charged for itself, so a range costs a small part of this."""
        return batch(*(cls.primary.get(prefix=cell[:-3], suffix=cell[-3:]) for cell in cells))

    @access(example={"cell": "gcpjfy6d", "now": 1_735_689_600})
    @classmethod
    def touch(cls, cell: str, now: int) -> Update[Cell]:
        """A later report of the same day: only the time of the last one changes, and only if it is newer."""
        change = cls.primary.update(prefix=cell[:-3], suffix=cell[-3:]).set(last_report=now)
        return change.when(F.last_report < now)

    @classmethod
    def counted(cls, cell: str, counter: Counter, now: int) -> Update[Cell]:
        """One more report in a cell, which begins with it if need be; it then lives another year."""
        change = cls.primary.update(prefix=cell[:-3], suffix=cell[-3:]).add(**{counter: 1})
        return change.set(expires=now + YEAR).upsert()
