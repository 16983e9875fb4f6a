"""Two other layouts of the same services, for comparison.

By month and category: a month is a partition of the index, and the category comes first in its sort key, because
nearly every report is about one. Such a report reads nothing else; a day of all categories is a range for each of
them, and a year is twelve partitions. By number, as it was before: each service is stored under its own number, with
an index for each other access pattern, and long attribute names. `comparisons.py` compares them.
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

services_by_month = Table(
    "services-by-month",
    pk="cId",
    sk="svcDTId",
    indexes=[GSI("svcMonth-svcCatDTId-index", pk="svcMonth", sk="svcCatDTId", projection=REPORT_COLUMNS)],
    discriminator=None,
)


class ServiceByMonth(Entity, ServiceFields, table=services_by_month):
    primary = Key("{client_id}", "{at:%Y-%m-%dT%H:%M}|{service_id}", identity=("client_id", "service_id"))
    by_month = Key(
        "{at:%Y-%m}", "{category}|{at:%Y-%m-%dT%H:%M}|{service_id}", index="svcMonth-svcCatDTId-index"
    )

    @access(items=50, item_size=500)
    @classmethod
    def history(cls, client_id: str) -> Query[ServiceByMonth]:
        """By month: the services of a client, newest first, without struck-out ones."""
        return cls.primary(client_id=client_id).reverse().filter(F.valid == True)  # noqa: E712

    @access(items=150)
    @classmethod
    def of_day(cls, day: date, category: Category) -> Query[ReportRow]:
        """By month: the daily report of a category, in one range."""
        return cls.by_month(at=between(*day_span(day)), category=category).into(ReportRow)

    @access(items=3000)
    @classmethod
    def of_month(cls, month: date, category: Category) -> Query[ReportRow]:
        """By month: the monthly report of a category, in one range."""
        return cls.by_month(at=between(*month_span(month)), category=category).into(ReportRow)

    @access(items=5000)
    @classmethod
    def all_of_month(cls, month: date) -> Query[ReportRow]:
        """By month: everything of a month, which is one partition."""
        return cls.by_month(at=between(*month_span(month))).into(ReportRow)

    @access(items=45_000, example={"year": 2022})
    @classmethod
    def of_year(cls, year: int, category: Category) -> Query[ReportRow]:
        """By month: the annual report of a category; a range in each of twelve partitions."""
        return cls.by_month(at=between(*year_span(year)), category=category).into(ReportRow)

    @access(items=60_000, example={"year": 2022})
    @classmethod
    def all_of_year(cls, year: int) -> Query[ReportRow]:
        """By month: everything of a year, which is twelve partitions."""
        return cls.by_month(at=between(*year_span(year))).into(ReportRow)


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
