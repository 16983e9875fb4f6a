"""Services as they were kept before: by their own number, with an index for each other question, and long names."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import NaiveDatetime

from pksk import GSI, Attribute, Entity, Get, Key, Query, Table, access, between

from .given import Category, Status, Usda
from .spans import day_span

__all__ = ["OldService", "services"]

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
    """Its number is seldom known to who asks; so every question but one goes through an index.

    It has the same fields as `Given`, under the names that were long: `item_sizes.py` weighs the two.
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
        """All services of a kind, of all time: a partition that grows for ever."""
        return cls.by_type(type_id=type_id)
