"""Four shapes of keys, from the simplest to several kinds of items in one partition."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, NaiveDatetime

from pksk import (
    GSI,
    LSI,
    TTL,
    Attribute,
    Delete,
    Entity,
    F,
    Get,
    Key,
    Precision,
    Put,
    Query,
    Scan,
    Table,
    Update,
    Version,
    access,
    begins,
    between,
    collect,
    gte,
)

users = Table("lesson-users", pk="user_id", sk=None, ttl="expires_at", discriminator=None)
orders = Table("orders", pk="user_id", sk="order_timestamp", discriminator=None)
accounts = Table("accounts", pk="account_id", sk="item", discriminator=None)
people = Table("people")

# A time as the keys hold it: one that is finer raises, so that no two orders become one.
Second = Annotated[NaiveDatetime, Precision("second")]


class User(Entity, table=users):
    """The simple key: one item per key, which is read only by this key."""

    user_id: str
    name: str
    version: Annotated[int, Version()] = 0
    expires: Annotated[datetime | None, Attribute("expires_at"), TTL()] = None

    primary = Key("{user_id}")

    @access()
    @classmethod
    def one(cls, user_id: str) -> Get[User]:
        """A user."""
        return cls.primary.get(user_id=user_id)

    @access()
    @classmethod
    def rename(cls, user_id: str, name: str, version: int) -> Update[User]:
        """Rename a user who has not changed since this version was read."""
        change = cls.primary.update(user_id=user_id).set(name=name)
        return change.when(F.version == version)


class Order(Entity, table=orders):
    """The composite key: the items of one owner, in order of time."""

    user_id: str
    at: Second
    total: int = 0

    primary = Key("{user_id}", "{at:%Y-%m-%dT%H:%M:%S}")

    @access(items=100, item_size=1024)
    @classmethod
    def of_user(cls, user_id: str) -> Query[Order]:
        """The orders of a user, newest first: 100 of 1 KB are 100 KB, charged as one sum."""
        return cls.primary(user_id=user_id).reverse()

    @access(items=10)
    @classmethod
    def since(cls, user_id: str, start: NaiveDatetime) -> Query[Order]:
        """The orders of a user since a time."""
        return cls.primary(user_id=user_id, at=gte(start))


class Possession(Entity, table=accounts):
    """The hierarchical sort key: everything, one kind, one category, or one thing, by a longer and longer prefix."""

    account_id: str
    kind: str
    category: str
    item_id: str

    primary = Key("{account_id}", "{kind}::{category}::{item_id}")

    @access(items=200)
    @classmethod
    def of_account(cls, account_id: str) -> Query[Possession]:
        """All that an account has."""
        return cls.primary(account_id=account_id)

    @access(items=100)
    @classmethod
    def of_kind(cls, account_id: str, kind: str) -> Query[Possession]:
        """All of one kind: the inventory."""
        return cls.primary(account_id=account_id, kind=kind)

    @access(items=10)
    @classmethod
    def of_category(cls, account_id: str, kind: str, category: str) -> Query[Possession]:
        """All of one category: the armour in the inventory."""
        return cls.primary(account_id=account_id, kind=kind, category=category)

    @access()
    @classmethod
    def one(cls, account_id: str, kind: str, category: str, item_id: str) -> Get[Possession]:
        """One thing."""
        return cls.primary.get(account_id=account_id, kind=kind, category=category, item_id=item_id)


class Profile(Entity, table=people):
    """The typed sort key: several kinds of items under one owner, each with its name in front."""

    entity_id: str
    part: str = "metadata"
    name: str = ""

    primary = Key("{entity_id}", "PROFILE#{part}")


class Address(Entity, table=people):
    entity_id: str
    label: str
    street: str = ""

    primary = Key("{entity_id}", "ADDRESS#{label}")

    @access(items=2)
    @classmethod
    def of_person(cls, entity_id: str) -> Query[Address]:
        """The addresses of a person, and no other items."""
        return cls.primary(entity_id=entity_id)

    @access()
    @classmethod
    def add(cls, address: Address) -> Put[Address]:
        """A new address."""
        return Put(address).if_absent()

    @access()
    @classmethod
    def drop(cls, entity_id: str, label: str) -> Delete[Address]:
        """Delete an address."""
        return cls.primary.delete(entity_id=entity_id, label=label)


class Purchase(Entity, table=people):
    entity_id: str
    day: date

    primary = Key("{entity_id}", "ORDER#{day}")

    @access(items=5, example={"entity_id": "user_123", "month": "2025-01"})
    @classmethod
    def of_month(cls, entity_id: str, month: str) -> Query[Purchase]:
        """The orders of a person in a month."""
        return cls.primary(entity_id=entity_id, day=begins(month))


class Card(Entity, table=people):
    entity_id: str
    card: str
    added: NaiveDatetime | None = None

    primary = Key("{entity_id}", "PAYMENT#{card}")


@access(items=10)
def person(entity_id: str) -> Query[Profile | Address | Purchase | Card]:
    """All items about a person, in one read."""
    return collect(
        Profile.primary(entity_id=entity_id),
        collect(
            Address.primary(entity_id=entity_id),
            collect(Purchase.primary(entity_id=entity_id), Card.primary(entity_id=entity_id)),
        ),
    )


tickets = Table(
    "tickets",
    indexes=[
        GSI("by-status", pk="assignee", sk="status_day"),
        GSI("escalated", pk="escalated_to", projection=["title"]),
        LSI("by-priority", sk="priority_day", projection="keys"),
    ],
)


class TicketTitle(BaseModel):
    title: str


class Ticket(Entity, table=tickets):
    """A ticket of a customer, found by its assignee and, while it is escalated, by the lead it waits for."""

    customer: str
    number: int
    title: str
    day: date
    assignee: str
    status: Literal["open", "waiting", "closed"] = "open"
    priority: int = 5
    escalated_to: str | None = None

    primary = Key("CUSTOMER#{customer}", "TICKET#{number:08d}")
    by_status = Key("{assignee}", "{status}#{day}", index="by-status")
    escalated = Key("{escalated_to}", index="escalated")
    # A local index shares the partition of its table, and with it the limit of 10 GB; it can never be added later.
    by_priority = Key("CUSTOMER#{customer}", "{priority:02d}#{day}", index="by-priority")

    @access(items=30, example={"first": date(2025, 1, 1), "last": date(2025, 1, 31)})
    @classmethod
    def open_of(cls, assignee: str, first: date, last: date) -> Query[Ticket]:
        """The open tickets of an assignee in a span of days: status and date in one sort key."""
        return cls.by_status(assignee=assignee, status="open", day=between(first, last))

    @access(items=3)
    @classmethod
    def waiting_for(cls, escalated_to: str) -> Query[TicketTitle]:
        """The tickets that wait for a lead; a ticket that is not escalated is not in this index."""
        return cls.escalated(escalated_to=escalated_to).into(TicketTitle)

    @access(items=3)
    @classmethod
    def whole_waiting_for(cls, escalated_to: str) -> Query[Ticket]:
        """The same with all fields, which are read from the table one by one."""
        return cls.escalated(escalated_to=escalated_to).hydrate()

    @access(items=5)
    @classmethod
    def urgent(cls, customer: str) -> Query[Ticket]:
        """The most urgent tickets of a customer, read consistently, which a local index allows."""
        return cls.by_priority(customer=customer, priority=1).hydrate().consistently()

    @access()
    @classmethod
    def close(cls, ticket: Ticket) -> Update[Ticket]:
        """Close a ticket: it moves within one index, whose key needs its day, and leaves the other."""
        change = cls.primary.update(customer=ticket.customer, number=ticket.number)
        change = change.set(status="closed").remove("escalated_to").with_read({"day": ticket.day})
        return change.when(F.status != "closed")

    @access(items=1_000_000, item_size=1024)
    @classmethod
    def everything(cls) -> Scan[Ticket]:
        """All tickets: a million of 1 KB, each of which is charged. For exports, not for screens."""
        return cls.scan()
