"""Four shapes of keys, from the simplest to several kinds of items in one partition."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from pydantic import NaiveDatetime

from pksk import (
    TTL,
    Attribute,
    Delete,
    Entity,
    F,
    Get,
    Key,
    Put,
    Query,
    Table,
    Update,
    Version,
    access,
    begins,
    collect,
    gte,
)

users = Table("lesson-users", pk="user_id", sk=None, ttl="expires_at", discriminator=None)
orders = Table("orders", pk="user_id", sk="order_timestamp", discriminator=None)
accounts = Table("accounts", pk="account_id", sk="item", discriminator=None)
people = Table("people")


class User(Entity, table=users):
    """The simple key: one item under each, reached by it and by nothing else."""

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
        """A new name, if nobody has changed the user since this version was read."""
        change = cls.primary.update(user_id=user_id).set(name=name)
        return change.when(F.version == version)


class Order(Entity, table=orders):
    """The composite key: the things of one owner, in the order of time."""

    user_id: str
    at: NaiveDatetime
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
        """The addresses of a person, and nothing else of theirs."""
        return cls.primary(entity_id=entity_id)

    @access()
    @classmethod
    def add(cls, address: Address) -> Put[Address]:
        """A new address."""
        return Put(address).if_absent()

    @access()
    @classmethod
    def drop(cls, entity_id: str, label: str) -> Delete[Address]:
        """An address taken away."""
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
    added: datetime | None = None

    primary = Key("{entity_id}", "PAYMENT#{card}")


@access(items=10)
def person(entity_id: str) -> Query[Profile | Address | Purchase | Card]:
    """All that is known of a person, in one read."""
    return collect(
        Profile.primary(entity_id=entity_id),
        collect(
            Address.primary(entity_id=entity_id),
            collect(Purchase.primary(entity_id=entity_id), Card.primary(entity_id=entity_id)),
        ),
    )
