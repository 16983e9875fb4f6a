"""Services: what a client received, when, and what the reports read.

The partition key of the table is the client, since the history screen reads nothing else. Reports read by time: a
year is a partition of the index, and its sort key is the date and the id, so a month or a day is one range. A report
on one category reads the others too and filters them out; `other_layouts.py` has the index that does not. Times are
local, to the minute; the id at the end keeps two services of one minute apart.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime, time
from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import BaseModel, Field, NaiveDatetime

from pksk import GSI, Attribute, Entity, F, Get, Key, Put, Query, Table, Update, access, between

Category: TypeAlias = Literal[
    "Food_Pantry", "Clothes_Closet", "Administration", "Back_To_School", "Thanksgiving", "Christmas"
]
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
FOOD: Final[Category] = "Food_Pantry"
Status: TypeAlias = Literal["Client", "NonClient", "Inactive"]
Usda: TypeAlias = Literal["USDA", "NonUSDA", "Emergency", "NA"]

# The columns of reports; one more column means a new projection, and a new index.
_COLUMNS: Final = (
    "cId cGivName cFamName cStatus cZip cStreet cEthnicGrp homeless adults children seniors individuals "
    "svcName svcTypeId svcItems svcUSDA svcFirst svcValid"
)
REPORT_COLUMNS: Final = _COLUMNS.split()


class Household(BaseModel):
    """The fields copied from the client, as they were on the day of the service."""

    given_name: Annotated[str, Attribute("cGivName")] = ""
    family_name: Annotated[str, Attribute("cFamName")] = ""
    client_status: Annotated[Status, Attribute("cStatus")] = "Client"
    postcode: Annotated[str, Attribute("cZip")] = ""
    street: Annotated[str, Attribute("cStreet")] = ""
    ethnic_group: Annotated[str, Attribute("cEthnicGrp")] = ""
    homeless: bool = False
    adults: int = 0
    children: int = 0
    seniors: int = 0
    individuals: int = 0


class ServiceFields(Household):
    """The fields of a service in every layout. Attribute names are short, since every item has all of them."""

    client_id: Annotated[str, Attribute("cId")]
    at: Annotated[NaiveDatetime, Attribute("svcDT")]
    service_id: Annotated[str, Attribute("svcId")]
    category: Annotated[Category, Attribute("svcCat")]
    type_id: Annotated[str, Attribute("svcTypeId")]
    name: Annotated[str, Attribute("svcName")] = ""
    buttons: Annotated[Literal["Primary", "Secondary"], Attribute("svcBtns")] = "Primary"
    usda: Annotated[Usda, Attribute("svcUSDA")] = "NA"
    first: Annotated[bool, Attribute("svcFirst")] = False
    valid: Annotated[bool, Attribute("svcValid")] = True
    items: Annotated[int, Attribute("svcItems"), Field(ge=1)] = 1
    served_by: Annotated[str, Attribute("svcBy")] = ""
    updated_at: Annotated[NaiveDatetime | None, Attribute("svcUpdatedDT")] = None
    # Present from the day a voucher is issued until it is filled. A flag with true and false would keep every
    # service in the index, and DynamoDB does not accept BOOL as a key.
    fill_pending: Annotated[Literal["PENDING"] | None, Attribute("fillPending")] = None
    fill_voucher: Annotated[str | None, Attribute("fillVoucher")] = None
    filled_at: Annotated[NaiveDatetime | None, Attribute("fillDT")] = None
    filled_by: Annotated[str | None, Attribute("fillBy")] = None
    filled_items: Annotated[int | None, Attribute("fillItems"), Field(ge=1)] = None


class ReportRow(Household):
    """A row of a report: the attributes that the index has."""

    client_id: str
    type_id: str
    name: str = ""
    usda: str = "NA"
    first: bool = False
    valid: bool = True
    items: int = 1


Span = tuple[datetime, datetime]


def day_span(day: date) -> Span:
    return datetime.combine(day, time.min), datetime.combine(day, time.max)


def month_span(day: date) -> Span:
    """The month that a day is in."""
    last = monthrange(day.year, day.month)[1]
    return datetime.combine(day.replace(day=1), time.min), datetime.combine(day.replace(day=last), time.max)


def year_span(year: int) -> Span:
    return datetime.combine(date(year, 1, 1), time.min), datetime.combine(date(year, 12, 31), time.max)


svcs = Table(
    "svcs",
    pk="cId",
    sk="svcDTId",
    indexes=[
        # The category is in no key, so it must be projected to be filtered by.
        GSI("svcYear-svcDTId-index", pk="svcYear", sk="svcDTId", projection=[*REPORT_COLUMNS, "svcCat"]),
        # Sparse: it has only the vouchers that wait.
        GSI("fillPending-svcDTId-index", pk="fillPending", sk="svcDTId"),
    ],
    discriminator=None,
)

CHRISTMAS: Final = {"first": date(2022, 11, 20), "last": date(2022, 12, 24), "category": "Christmas"}
AUTUMN: Final = {"first": date(2022, 10, 1), "last": date(2022, 11, 30)}


class Service(Entity, ServiceFields, table=svcs):
    primary = Key("{client_id}", "{at:%Y-%m-%dT%H:%M}|{service_id}", identity=("client_id", "service_id"))
    by_year = Key("{at:%Y}", "{at:%Y-%m-%dT%H:%M}|{service_id}", index="svcYear-svcDTId-index")
    waiting = Key("{fill_pending}", index="fillPending-svcDTId-index")

    @access(items=50, item_size=500)
    @classmethod
    def history(cls, client_id: str) -> Query[Service]:
        """The services of a client, newest first, without struck-out ones."""
        return cls.primary(client_id=client_id).reverse().filter(F.valid == True)  # noqa: E712

    @access()
    @classmethod
    def one(cls, client_id: str, at: NaiveDatetime, service_id: str) -> Get[Service]:
        """A service, read consistently."""
        return cls.primary.get(client_id=client_id, at=at, service_id=service_id).consistently()

    @access(items=240)
    @classmethod
    def of_day(cls, day: date, category: Category) -> Query[ReportRow]:
        """The daily report of a category: the day is a range, other categories are read and filtered out."""
        return cls.all_of_day(day).filter(F.category == category)

    @access(items=240)
    @classmethod
    def all_of_day(cls, day: date) -> Query[ReportRow]:
        """All services of a day, in one range."""
        return cls.by_year(at=between(*day_span(day))).into(ReportRow)

    @access(items=5000)
    @classmethod
    def of_month(cls, month: date, category: Category) -> Query[ReportRow]:
        """The monthly report of a category: the month is a range, other categories are read and filtered out."""
        return cls.all_of_month(month).filter(F.category == category)

    @access(items=5000)
    @classmethod
    def all_of_month(cls, month: date) -> Query[ReportRow]:
        """All services of a month, in one range."""
        return cls.by_year(at=between(*month_span(month))).into(ReportRow)

    @access(items=60_000, example={"year": 2022})
    @classmethod
    def of_year(cls, year: int, category: Category) -> Query[ReportRow]:
        """The annual report of a category: one partition, other categories are read and filtered out."""
        return cls.all_of_year(year).filter(F.category == category)

    @access(items=60_000, example={"year": 2022})
    @classmethod
    def all_of_year(cls, year: int) -> Query[ReportRow]:
        """All services of a year, which is one partition."""
        return cls.by_year(at=between(*year_span(year))).into(ReportRow)

    @access(items=6000, example=CHRISTMAS)
    @classmethod
    def of_season(cls, first: date, last: date, category: Category) -> Query[ReportRow]:
        """The report of a season; the clients are read afterwards, in batches."""
        return cls.all_within(first, last).filter(F.category == category)

    @access(items=10_000, example=AUTUMN)
    @classmethod
    def all_within(cls, first: date, last: date) -> Query[ReportRow]:
        """All services between two days: a range, and one more for each further year."""
        return cls.by_year(at=between(day_span(first)[0], day_span(last)[1])).into(ReportRow)

    @access(items=5000)
    @classmethod
    def new_clients(cls, month: date) -> Query[ReportRow]:
        """The first services of a month, which show the new clients; other services are read and filtered out."""
        return cls.of_month(month, FOOD).filter(F.first == True)  # noqa: E712

    @access(items=40, item_size=500)
    @classmethod
    def unfilled(cls) -> Query[Service]:
        """The vouchers that wait to be filled, oldest first."""
        return cls.waiting(fill_pending="PENDING")

    @access(rate="15,000/year")
    @classmethod
    def add(cls, service: Service) -> Put[Service]:
        """A new service that is not food; that one is entered together with its client."""
        return Put(service).if_absent()

    @access()
    @classmethod
    def edit(cls, service: Service, items: int, now: NaiveDatetime) -> Update[Service]:
        """Change the number of items, which is in no key."""
        return service.change().set(items=items, updated_at=now)

    @access()
    @classmethod
    def strike_out(cls, service: Service, now: NaiveDatetime) -> Update[Service]:
        """Strike out a service that was entered by mistake; a voucher then no longer waits.

        No service is ever deleted. Fails if the service has become the first of its client since it was read, or no
        longer is.
        """
        struck = service.change().set(valid=False, updated_at=now).remove("fill_pending")
        return struck.when((F.valid == True) & (F.first == service.first))  # noqa: E712

    @access()
    @classmethod
    def fill(cls, service: Service, by: str, items: int, now: NaiveDatetime) -> Update[Service]:
        """Fill a voucher, which leaves the index of waiting ones."""
        filled = service.change().set(filled_at=now, filled_by=by, filled_items=items).remove("fill_pending")
        return filled.when(F.fill_pending.exists() & (F.valid == True))  # noqa: E712

    def change(self) -> Update[Service]:
        """An update of this service, without changes yet."""
        return Service.primary.update(client_id=self.client_id, at=self.at, service_id=self.service_id)


# The example service of access patterns.
CLOTHES: Final = Service(
    client_id="12305",
    at=datetime(2022, 9, 7, 10, 15),
    service_id="cl7r5a1xk0003",
    category="Clothes_Closet",
    type_id="clothes",
)
