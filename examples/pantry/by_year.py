"""The other way to keep reports apart: a year is a partition, the date and the id are the sort key.

A month and a day are then ranges within one partition, and a category is a filter that saves nothing. `services.py`
has a month and the category instead; `layouts.py` compares the two.
"""

from __future__ import annotations

from datetime import date

from pksk import GSI, Entity, F, Key, Query, Table, access, between

from .given import REPORTED, Category, Given, ReportRow
from .spans import day_span, month_span, year_span

__all__ = ["ServiceByYear", "services_by_year"]

services_by_year = Table(
    "services-by-year",
    pk="cId",
    sk="svcDTId",
    # The category is in no key here, so that it must be projected to be filtered by.
    indexes=[GSI("svcYear-svcDTId-index", pk="svcYear", sk="svcDTId", projection=[*REPORTED, "svcCat"])],
    discriminator=None,
)


class ServiceByYear(Entity, Given, table=services_by_year):
    primary = Key("{client_id}", "{at:%Y-%m-%dT%H:%M}#{service_id}")
    by_year = Key("{at:%Y}", index="svcYear-svcDTId-index")

    @access(items=50, item_size=450)
    @classmethod
    def history(cls, client_id: str) -> Query[ServiceByYear]:
        """By year: all that a client was given, newest first, without what was struck out."""
        return cls.primary(client_id=client_id).reverse().filter(F.valid == True)  # noqa: E712

    @access(items=200)
    @classmethod
    def of_day(cls, day: date, category: Category) -> Query[ReportRow]:
        """By year: the daily report; the day is a range, other categories are read and left out."""
        return cls.by_year(at=between(*day_span(day))).filter(F.category == category).into(ReportRow)

    @access(items=200)
    @classmethod
    def all_of_day(cls, day: date) -> Query[ReportRow]:
        """By year: everything of a day, in one range."""
        return cls.by_year(at=between(*day_span(day))).into(ReportRow)

    @access(items=5000)
    @classmethod
    def of_month(cls, month: date, category: Category) -> Query[ReportRow]:
        """By year: the monthly report; the month is a range, other categories are read and left out."""
        return cls.by_year(at=between(*month_span(month))).filter(F.category == category).into(ReportRow)

    @access(items=5000)
    @classmethod
    def all_of_month(cls, month: date) -> Query[ReportRow]:
        """By year: everything of a month, in one range."""
        return cls.by_year(at=between(*month_span(month))).into(ReportRow)

    @access(items=60_000, example={"year": 2022})
    @classmethod
    def of_year(cls, year: int, category: Category) -> Query[ReportRow]:
        """By year: the annual report; one partition, other categories are read and left out."""
        return cls.by_year(at=between(*year_span(year))).filter(F.category == category).into(ReportRow)

    @access(items=60_000, example={"year": 2022})
    @classmethod
    def all_of_year(cls, year: int) -> Query[ReportRow]:
        """By year: everything of a year, which is one partition."""
        return cls.by_year(at=between(*year_span(year))).into(ReportRow)
