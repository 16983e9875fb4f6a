"""Two other layouts of the same services, for comparison.

By year: a year is a partition of the index, the date and the id are its sort key. A month and a day are then ranges
within one partition, and a category is a filter that saves nothing; `services.py` has the month and the category in
the key instead. By number, as it was before: each service is stored under its own number, with an index for each
other access pattern, and long attribute names. `comparisons.py` compares them.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import NaiveDatetime

from pksk import GSI, Attribute, Entity, F, Get, Key, Query, Table, access, between

from .services import (
    REPORT_COLUMNS,
    Category,
    ReportRow,
    ServiceFields,
    Status,
    Usda,
    day_span,
    month_span,
    year_span,
)

services_by_year = Table(
    "services-by-year",
    pk="cId",
    sk="svcDTId",
    # The category is in no key here, so that it must be projected to be filtered by.
    indexes=[
        GSI("svcYear-svcDTId-index", pk="svcYear", sk="svcDTId", projection=[*REPORT_COLUMNS, "svcCat"])
    ],
    discriminator=None,
)


class ServiceByYear(Entity, ServiceFields, table=services_by_year):
    primary = Key("{client_id}", "{at:%Y-%m-%dT%H:%M}#{service_id}")
    by_year = Key("{at:%Y}", index="svcYear-svcDTId-index")

    @access(items=50, item_size=450)
    @classmethod
    def history(cls, client_id: str) -> Query[ServiceByYear]:
        """By year: the services of a client, newest first, without struck-out ones."""
        return cls.primary(client_id=client_id).reverse().filter(F.valid == True)  # noqa: E712

    @access(items=200)
    @classmethod
    def of_day(cls, day: date, category: Category) -> Query[ReportRow]:
        """By year: the daily report; the day is a range, other categories are read and filtered out."""
        return cls.by_year(at=between(*day_span(day))).filter(F.category == category).into(ReportRow)

    @access(items=200)
    @classmethod
    def all_of_day(cls, day: date) -> Query[ReportRow]:
        """By year: everything of a day, in one range."""
        return cls.by_year(at=between(*day_span(day))).into(ReportRow)

    @access(items=5000)
    @classmethod
    def of_month(cls, month: date, category: Category) -> Query[ReportRow]:
        """By year: the monthly report; the month is a range, other categories are read and filtered out."""
        return cls.by_year(at=between(*month_span(month))).filter(F.category == category).into(ReportRow)

    @access(items=5000)
    @classmethod
    def all_of_month(cls, month: date) -> Query[ReportRow]:
        """By year: everything of a month, in one range."""
        return cls.by_year(at=between(*month_span(month))).into(ReportRow)

    @access(items=60_000, example={"year": 2022})
    @classmethod
    def of_year(cls, year: int, category: Category) -> Query[ReportRow]:
        """By year: the annual report; one partition, other categories are read and filtered out."""
        return cls.by_year(at=between(*year_span(year))).filter(F.category == category).into(ReportRow)

    @access(items=60_000, example={"year": 2022})
    @classmethod
    def all_of_year(cls, year: int) -> Query[ReportRow]:
        """By year: everything of a year, which is one partition."""
        return cls.by_year(at=between(*year_span(year))).into(ReportRow)


services = Table(
    "services",
    pk="serviceId",
    sk=None,
    indexes=[
        GSI("client-index", pk="clientId"),
        GSI("day-index", pk="servicedDay"),
        GSI("type-index", pk="serviceTypeId"),
    ],
    discriminator=None,
)


class OldService(Entity, table=services):
    """A service under its own number, which clients seldom know; so every access pattern but one needs an index.

    It has the same fields as `ServiceFields`, with long attribute names; `comparisons.py` compares the sizes.
    """

    service_id: Annotated[str, Attribute("serviceId")]
    client_id: Annotated[str, Attribute("clientId")]
    at: Annotated[NaiveDatetime, Attribute("servicedDateTime")]
    type_id: Annotated[str, Attribute("serviceTypeId")]
    category: Annotated[Category, Attribute("serviceCategory")]
    name: Annotated[str, Attribute("serviceName")] = ""
    buttons: Annotated[Literal["Primary", "Secondary"], Attribute("serviceButtons")] = "Primary"
    usda: Annotated[Usda, Attribute("isUSDA")] = "NA"
    first: Annotated[bool, Attribute("firstServiceOfClient")] = False
    valid: Annotated[bool, Attribute("serviceValid")] = True
    items: Annotated[int, Attribute("itemsServed")] = 1
    served_by: Annotated[str, Attribute("servicedByUserName")] = ""
    updated_at: Annotated[NaiveDatetime | None, Attribute("serviceUpdatedDateTime")] = None
    given_name: Annotated[str, Attribute("clientGivenName")] = ""
    family_name: Annotated[str, Attribute("clientFamilyName")] = ""
    client_status: Annotated[Status, Attribute("clientStatus")] = "Client"
    postcode: Annotated[str, Attribute("clientZipcode")] = ""
    street: Annotated[str, Attribute("clientStreet")] = ""
    ethnic_group: Annotated[str, Attribute("clientEthnicGroup")] = ""
    homeless: Annotated[bool, Attribute("clientIsHomeless")] = False
    adults: Annotated[int, Attribute("totalAdultsServed")] = 0
    children: Annotated[int, Attribute("totalChildrenServed")] = 0
    seniors: Annotated[int, Attribute("totalSeniorsServed")] = 0
    individuals: Annotated[int, Attribute("totalIndividualsServed")] = 0
    fill_pending: Annotated[Literal["PENDING"] | None, Attribute("fulfillmentPending")] = None
    fill_voucher: Annotated[str | None, Attribute("fulfillmentVoucherNumber")] = None
    filled_at: Annotated[NaiveDatetime | None, Attribute("fulfillmentDateTime")] = None
    filled_by: Annotated[str | None, Attribute("fulfillmentByUserName")] = None
    filled_items: Annotated[int | None, Attribute("fulfillmentItemCount")] = None

    primary = Key("{service_id}")
    by_client = Key("{client_id}", index="client-index")
    by_day = Key("{at:%Y%m%d}", index="day-index")
    by_type = Key("{type_id}", index="type-index")

    @access()
    @classmethod
    def one(cls, service_id: str) -> Get[OldService]:
        """A service by its number."""
        return cls.primary.get(service_id=service_id)

    @access(items=50, item_size=700)
    @classmethod
    def of_client(cls, client_id: str) -> Query[OldService]:
        """The services of a client, in no order."""
        return cls.by_client(client_id=client_id)

    @access(items=150, item_size=700)
    @classmethod
    def of_day(cls, day: date) -> Query[OldService]:
        """The services of a day."""
        return cls.by_day(at=between(*day_span(day)))

    @access(items=20_000, item_size=700)
    @classmethod
    def of_type(cls, type_id: str) -> Query[OldService]:
        """All services of a type, from the beginning: a partition that grows without end."""
        return cls.by_type(type_id=type_id)
