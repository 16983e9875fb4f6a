"""Clients: found by number, by a name, by date of birth."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated

from pydantic import BaseModel, Field

from pksk import (
    GSI,
    Attribute,
    Batch,
    Entity,
    Get,
    Key,
    Put,
    Query,
    Scan,
    Table,
    Version,
    access,
    batch,
    sequence,
)

from .services import Household, Status

clients = Table(
    "clients",
    pk="clientId",
    sk=None,
    indexes=[
        GSI("givenName-index", pk="givenName"),
        GSI("familyName-index", pk="familyName"),
        GSI("dob-index", pk="dob"),
        GSI("ethnicGroup-index", pk="ethnicGroup", projection="keys"),
    ],
    discriminator=None,
)

# Numbers are drawn by one atomic addition, so that no two clients get the same. The counter has a table of its own,
# so that it is never found among the clients nor overwritten by a setting of its name.
counters = Table("counters", pk="name", sk=None, discriminator=None)
client_numbers = sequence("clients", table=counters, key=("clients",), name="ClientNumbers")


class ClientNumber(BaseModel):
    """The only field of a client in an index of keys."""

    client_id: str


class Client(Entity, table=clients):
    client_id: Annotated[str, Attribute("clientId")]
    given_name: Annotated[str, Attribute("givenName")]
    family_name: Annotated[str, Attribute("familyName")]
    born: Annotated[date, Attribute("dob")]
    ethnic_group: Annotated[str, Attribute("ethnicGroup")]
    street: str = ""
    postcode: Annotated[str, Attribute("zipcode")] = ""
    status: Annotated[Status, Attribute("clientStatus")] = "Client"
    homeless: bool = False
    adults: Annotated[int, Field(ge=0)] = 1
    children: Annotated[int, Field(ge=0)] = 0
    seniors: Annotated[int, Field(ge=0)] = 0
    first_served: Annotated[date | None, Attribute("firstServed")] = None
    # Two desks may have the same form open: the second to save must have read what the first saved.
    version: Annotated[int, Version()] = 0

    primary = Key("{client_id}")
    by_given_name = Key("{given_name}", index="givenName-index")
    by_family_name = Key("{family_name}", index="familyName-index")
    by_birth = Key("{born}", index="dob-index")
    by_ethnic_group = Key("{ethnic_group}", index="ethnicGroup-index")

    @access()
    @classmethod
    def one(cls, client_id: str) -> Get[Client]:
        """A client by number."""
        return cls.primary.get(client_id=client_id)

    @access(items=3)
    @classmethod
    def born_on(cls, day: date) -> Query[Client]:
        """The clients born on a day."""
        return cls.by_birth(born=day)

    @access(items=15)
    @classmethod
    def with_given_name(cls, name: str) -> Query[Client]:
        """The clients with exactly this given name."""
        return cls.by_given_name(given_name=name)

    @access(items=15)
    @classmethod
    def with_family_name(cls, name: str) -> Query[Client]:
        """The clients with exactly this family name."""
        return cls.by_family_name(family_name=name)

    @access(items=500)
    @classmethod
    def of_ethnic_group(cls, ethnic_group: str) -> Query[ClientNumber]:
        """The numbers of the clients of a group, to count them."""
        return cls.by_ethnic_group(ethnic_group=ethnic_group).into(ClientNumber)

    @access(items=3, example={"client_ids": ["1", "2", "3"]})
    @classmethod
    def several(cls, client_ids: Sequence[str]) -> Batch[Client]:
        """The clients of a report's rows, read together and not one by one."""
        return batch(*(cls.primary.get(client_id=each) for each in dict.fromkeys(client_ids)))

    @access(items=5000)
    @classmethod
    def everyone(cls) -> Scan[Client]:
        """All clients, for the report on the population: a scan of a table of some thousands, once a month."""
        return cls.scan()

    @access()
    @classmethod
    def save(cls, client: Client) -> Put[Client]:
        """Save a client."""
        return Put(client)

    @property
    def individuals(self) -> int:
        """How many people live in the household."""
        return self.adults + self.children + self.seniors

    def household(self) -> Household:
        """The fields of the client that a service keeps, as they are today."""
        return Household(
            given_name=self.given_name,
            family_name=self.family_name,
            client_status=self.status,
            postcode=self.postcode,
            street=self.street,
            ethnic_group=self.ethnic_group,
            homeless=self.homeless,
            adults=self.adults,
            children=self.children,
            seniors=self.seniors,
            individuals=self.individuals,
        )
