"""Ids of check-ins that may be sent twice: each is entered once, and for good.

The time is in the key of a service, so that the same id a minute later would be another item. Whoever gives an id
therefore gets a small item with it, under the id alone.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import NaiveDatetime

from pksk import Attribute, Entity, Key, Put, Table, Transaction, access, transaction

from .services import CLOTHES, Service

__all__ = ["Entered", "enter_once", "entered"]

entered = Table("entered", pk="svcId", sk=None, discriminator=None)


class Entered(Entity, table=entered):
    """Which service was entered under an id that was given; it stays when that is moved or struck out."""

    service_id: Annotated[str, Attribute("svcId")]
    client_id: Annotated[str, Attribute("cId")]
    at: Annotated[NaiveDatetime, Attribute("svcDT")]

    primary = Key("{service_id}")

    @classmethod
    def of(cls, service: Service) -> Put[Entered]:
        """That a service is entered, unless its id was before."""
        made = cls(service_id=service.service_id, client_id=service.client_id, at=service.at)
        return Put(made).if_absent()


@access(example={"service": CLOTHES})
def enter_once(service: Service) -> Transaction[Any]:
    """A service whose id was given, unless it was entered before."""
    return transaction(Service.add(service), Entered.of(service))
