"""Services as they were kept before: by their own number, with an index for each other question."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pksk import GSI, Attribute, Entity, Get, Key, Query, Table, access

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
    """Its number is seldom known to who asks; so every question but one goes through an index."""

    service_id: Annotated[str, Attribute("serviceId")]
    client_id: Annotated[str, Attribute("clientId")]
    day: date
    type_id: Annotated[str, Attribute("serviceTypeId")]

    primary = Key("{service_id}")
    by_client = Key("{client_id}", index="client-index")
    by_day = Key("{day:%Y%m%d}", index="day-index")
    by_type = Key("{type_id}", index="type-index")

    @access()
    @classmethod
    def one(cls, service_id: str) -> Get[OldService]:
        """A service by its number."""
        return cls.primary.get(service_id=service_id)

    @access(items=50)
    @classmethod
    def of_client(cls, client_id: str) -> Query[OldService]:
        """The services of a client, in no order."""
        return cls.by_client(client_id=client_id)

    @access(items=150)
    @classmethod
    def of_day(cls, day: date) -> Query[OldService]:
        """The services of a day."""
        return cls.by_day(day=day)

    @access(items=20_000)
    @classmethod
    def of_type(cls, type_id: str) -> Query[OldService]:
        """All services of a kind, of all time: a partition that grows for ever."""
        return cls.by_type(type_id=type_id)
