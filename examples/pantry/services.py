"""Services: what a client was given, when, and what the reports read.

The table has the client as its partition, since the history screen asks for nothing else. Reports ask by time: a
month is a partition of the index, and the category comes first in its sort key, because nearly every report is
about one. A day without a category is therefore a filter over its month. Times are those of the clock on the wall,
to the minute; the id at the end keeps two services of one minute apart.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, NaiveDatetime

from pksk import (
    GSI,
    Attribute,
    Entity,
    F,
    Key,
    Put,
    Query,
    Table,
    Transaction,
    Update,
    access,
    between,
    transaction,
)

from .spans import day_span, month_span, year_span

# What the reports show; one more column is a new projection, and the index must be made again.
REPORTED = [
    "cId", "cGivName", "cFamName", "cStatus", "cZip", "cStreet", "cEthnicGrp", "homeless",
    "adults", "children", "seniors", "individuals",
    "svcName", "svcTypeId", "svcItems", "svcUSDA", "svcFirst", "svcValid",
]  # fmt: skip

svcs = Table(
    "svcs",
    pk="cId",
    sk="svcDTId",
    indexes=[
        GSI("svcMonth-svcCatDTId-index", pk="svcMonth", sk="svcCatDTId", projection=REPORTED),
        # Present from the day that a voucher is given until it is filled: the index holds only those that wait.
        GSI("fillPending-svcDTId-index", pk="fillPending", sk="svcDTId"),
    ],
    discriminator=None,
)

CHRISTMAS = {"first": date(2022, 11, 20), "last": date(2022, 12, 24), "category": "Christmas"}

Category = Literal[
    "Food_Pantry", "Clothes_Closet", "Administration", "Back_To_School", "Thanksgiving", "Christmas"
]


class Household(BaseModel):
    """What is copied from the client, as it was on the day of the service."""

    given_name: Annotated[str, Attribute("cGivName")] = ""
    family_name: Annotated[str, Attribute("cFamName")] = ""
    client_status: Annotated[Literal["Client", "NonClient", "Inactive"], Attribute("cStatus")] = "Client"
    postcode: Annotated[str, Attribute("cZip")] = ""
    street: Annotated[str, Attribute("cStreet")] = ""
    ethnic_group: Annotated[str, Attribute("cEthnicGrp")] = ""
    homeless: bool = False
    adults: int = 0
    children: int = 0
    seniors: int = 0
    individuals: int = 0


class ReportRow(Household):
    """What a report shows of a service: the attributes that the index holds."""

    client_id: str
    name: str = ""
    usda: str = "NA"
    first: bool = False
    valid: bool = True
    items: int = 1


class Service(Entity, Household, table=svcs):
    client_id: Annotated[str, Attribute("cId")]
    at: Annotated[NaiveDatetime, Attribute("svcDT")]
    service_id: Annotated[str, Attribute("svcId")]
    category: Annotated[Category, Attribute("svcCat")]
    type_id: Annotated[str, Attribute("svcTypeId")]
    name: Annotated[str, Attribute("svcName")] = ""
    buttons: Annotated[Literal["Primary", "Secondary"], Attribute("svcBtns")] = "Primary"
    usda: Annotated[Literal["USDA", "NonUSDA", "Emergency", "NA"], Attribute("svcUSDA")] = "NA"
    first: Annotated[bool, Attribute("svcFirst")] = False
    valid: Annotated[bool, Attribute("svcValid")] = True
    items: Annotated[int, Attribute("svcItems")] = 1
    served_by: Annotated[str, Attribute("svcBy")] = ""
    updated_at: Annotated[NaiveDatetime | None, Attribute("svcUpdatedDT")] = None
    fill_pending: Annotated[Literal["PENDING"] | None, Attribute("fillPending")] = None
    fill_voucher: Annotated[str | None, Attribute("fillVoucher")] = None
    filled_at: Annotated[NaiveDatetime | None, Attribute("fillDT")] = None
    filled_by: Annotated[str | None, Attribute("fillBy")] = None
    filled_items: Annotated[int | None, Attribute("fillItems")] = None

    primary = Key("{client_id}", "{at:%Y-%m-%dT%H:%M}|{service_id}")
    by_month = Key(
        "{at:%Y-%m}", "{category}|{at:%Y-%m-%dT%H:%M}|{service_id}", index="svcMonth-svcCatDTId-index"
    )
    waiting = Key("{fill_pending}", index="fillPending-svcDTId-index")

    @access(items=50)
    @classmethod
    def history(cls, client_id: str) -> Query[Service]:
        """All that a client was given, newest first, without what was struck out."""
        return cls.primary(client_id=client_id).reverse().filter(F.valid == True)  # noqa: E712

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
        found = cls.by_month(at=between(*month_span(month)), category="Food_Pantry")
        return found.filter(F.first == True).into(ReportRow)  # noqa: E712

    @access(items=40)
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
        """Another number of items; date and category are in keys, for these see `correct`."""
        return service.change().set(items=items, updated_at=now)

    @access()
    @classmethod
    def strike_out(cls, service: Service, now: NaiveDatetime) -> Update[Service]:
        """A service that was entered by mistake; none is ever deleted."""
        return service.change().set(valid=False, updated_at=now)

    @access()
    @classmethod
    def fill(cls, service: Service, by: str, items: int, now: NaiveDatetime) -> Update[Service]:
        """A voucher filled: it leaves the index of those that wait."""
        filled = service.change().set(filled_at=now, filled_by=by, filled_items=items).remove("fill_pending")
        return filled.when(F.fill_pending.exists())

    def change(self) -> Update[Service]:
        """A change of this service, still to be said."""
        return Service.primary.update(client_id=self.client_id, at=self.at, service_id=self.service_id)


_WRONG = Service(
    client_id="12305",
    at=datetime(2022, 9, 7, 10, 15),
    service_id="cl7r5a1xk0000",
    category="Food_Pantry",
    type_id="food-1",
)


@access(example={"wrong": _WRONG, "right": _WRONG.model_copy(update={"at": datetime(2022, 9, 6, 10, 15)})})
def correct(wrong: Service, right: Service, now: NaiveDatetime) -> Transaction:
    """A service with another date or category stands elsewhere: the new one and the end of the old, together."""
    return transaction(Put(right).if_absent(), Service.strike_out(wrong, now).when(F.valid == True))  # noqa: E712
