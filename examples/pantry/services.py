"""Services: what a client was given, when, and what the reports read.

The table has the client as its partition, since the history screen asks for nothing else. Reports ask by time: a
month is a partition of the index, and the category comes first in its sort key, because nearly every report is
about one. A day of all categories is therefore a range for each of them. Times are those of the clock on the wall,
to the minute; the id at the end keeps two services of one minute apart.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Final

from pydantic import NaiveDatetime

from pksk import GSI, Entity, F, Get, Key, Put, Query, Table, Update, access, between

from .given import FOOD, REPORTED, Category, Given, ReportRow
from .spans import day_span, month_span, year_span

__all__ = ["CLOTHES", "Service", "svcs"]

svcs = Table(
    "svcs",
    pk="cId",
    sk="svcDTId",
    indexes=[
        GSI("svcMonth-svcCatDTId-index", pk="svcMonth", sk="svcCatDTId", projection=REPORTED),
        # Sparse: it holds only the vouchers that wait.
        GSI("fillPending-svcDTId-index", pk="fillPending", sk="svcDTId"),
    ],
    discriminator=None,
)

CHRISTMAS: Final = {"first": date(2022, 11, 20), "last": date(2022, 12, 24), "category": "Christmas"}


class Service(Entity, Given, table=svcs):
    primary = Key("{client_id}", "{at:%Y-%m-%dT%H:%M}|{service_id}")
    by_month = Key(
        "{at:%Y-%m}", "{category}|{at:%Y-%m-%dT%H:%M}|{service_id}", index="svcMonth-svcCatDTId-index"
    )
    waiting = Key("{fill_pending}", index="fillPending-svcDTId-index")

    @access(items=50, item_size=500)
    @classmethod
    def history(cls, client_id: str) -> Query[Service]:
        """All that a client was given, newest first, without what was struck out."""
        return cls.primary(client_id=client_id).reverse().filter(F.valid == True)  # noqa: E712

    @access()
    @classmethod
    def one(cls, client_id: str, at: NaiveDatetime, service_id: str) -> Get[Service]:
        """A service, as it is now."""
        return cls.primary.get(client_id=client_id, at=at, service_id=service_id).consistently()

    @access(items=150)
    @classmethod
    def of_day(cls, day: date, category: Category) -> Query[ReportRow]:
        """The daily report of a category."""
        return cls.by_month(at=between(*day_span(day)), category=category).into(ReportRow)

    @access(items=3000)
    @classmethod
    def of_month(cls, month: date, category: Category) -> Query[ReportRow]:
        """The monthly report of a category."""
        return cls.by_month(at=between(*month_span(month)), category=category).into(ReportRow)

    @access(items=5000)
    @classmethod
    def all_of_month(cls, month: date) -> Query[ReportRow]:
        """Everything of a month, whatever its category."""
        return cls.by_month(at=between(*month_span(month))).into(ReportRow)

    @access(items=36_000, example={"year": 2022})
    @classmethod
    def of_year(cls, year: int, category: Category) -> Query[ReportRow]:
        """The annual report of a category: a partition for each month, so twelve requests side by side."""
        return cls.by_month(at=between(*year_span(year)), category=category).into(ReportRow)

    @access(items=60_000, example={"year": 2022})
    @classmethod
    def all_of_year(cls, year: int) -> Query[ReportRow]:
        """Everything of a year, whatever its category."""
        return cls.by_month(at=between(*year_span(year))).into(ReportRow)

    @access(items=800, example=CHRISTMAS)
    @classmethod
    def of_season(cls, first: date, last: date, category: Category) -> Query[ReportRow]:
        """The report of a season, over its months; the clients are read after it, in batches."""
        span = (day_span(first)[0], day_span(last)[1])
        return cls.by_month(at=between(*span), category=category).into(ReportRow)

    @access(items=3000)
    @classmethod
    def new_clients(cls, month: date) -> Query[ReportRow]:
        """The first services of a month, by which new clients are found; the rest is read and left out."""
        found = cls.by_month(at=between(*month_span(month)), category=FOOD)
        return found.filter(F.first == True).into(ReportRow)  # noqa: E712

    @access(items=40, item_size=500)
    @classmethod
    def unfilled(cls) -> Query[Service]:
        """The vouchers that wait to be filled, oldest first."""
        return cls.waiting(fill_pending="PENDING")

    @access()
    @classmethod
    def add(cls, service: Service) -> Put[Service]:
        """A new service."""
        return Put(service).if_absent()

    @access()
    @classmethod
    def edit(cls, service: Service, items: int, now: NaiveDatetime) -> Update[Service]:
        """Another number of items, which is in no key."""
        return service.change().set(items=items, updated_at=now)

    @access()
    @classmethod
    def strike_out(cls, service: Service, now: NaiveDatetime) -> Update[Service]:
        """A service that was entered by mistake; none is ever deleted, and a voucher no longer waits.

        Unless it has become the first of its client since it was read, or is no longer it.
        """
        struck = service.change().set(valid=False, updated_at=now).remove("fill_pending")
        return struck.when((F.valid == True) & (F.first == service.first))  # noqa: E712

    @access()
    @classmethod
    def fill(cls, service: Service, by: str, items: int, now: NaiveDatetime) -> Update[Service]:
        """A voucher filled: it leaves the index of those that wait."""
        filled = service.change().set(filled_at=now, filled_by=by, filled_items=items).remove("fill_pending")
        return filled.when(F.fill_pending.exists() & (F.valid == True))  # noqa: E712

    def change(self) -> Update[Service]:
        """A change of this service, still to be said."""
        return Service.primary.update(client_id=self.client_id, at=self.at, service_id=self.service_id)


# What access patterns that take a service are shown with.
CLOTHES: Final = Service(
    client_id="12305",
    at=datetime(2022, 9, 7, 10, 15),
    service_id="cl7r5a1xk0003",
    category="Clothes_Closet",
    type_id="clothes",
)
