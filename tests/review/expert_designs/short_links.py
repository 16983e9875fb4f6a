"""Short links: resolved by their slug alone, listed by owner, and clicks counted by hour."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime

from pksk import GSI, TTL, Created, Entity, Get, Key, Put, Query, Spread, Table, Update, access, between

links = Table("links", sk=None, indexes=[GSI("by-owner", pk="owner_pk", sk="created_at")])
clicks = Table("clicks", ttl="expires")

Slug = Annotated[str, Spread(values=20_000_000, zipf=0.9)]


class Link(Entity, table=links, items=20_000_000):
    slug: Slug
    target: str
    owner: Annotated[str, Spread(values=600_000, largest=0.002)]
    created: Annotated[datetime | None, Created()] = None

    primary = Key("{slug}")
    of_owner = Key("{owner}", "{created}#{slug}", index="by-owner")

    @access(rate=8_000, item_size=300)
    @classmethod
    def resolve(cls, slug: str) -> Get[Link]:
        """Where a link leads to."""
        return cls.primary.get(slug=slug)

    @access(rate=50, item_size=300)
    @classmethod
    def create(cls, link: Link) -> Put[Link]:
        """A new link, unless its slug is taken."""
        return Put(link).if_absent()

    @access(rate=10, items=25, item_size=300)
    @classmethod
    def newest(cls, owner: str) -> Query[Link]:
        """The newest links of an owner."""
        return cls.of_owner(owner=owner).reverse().limit(25)


class Clicks(Entity, table=clicks, items=100_000_000):
    slug: Slug
    hour: AwareDatetime
    count: int = 0
    expires: Annotated[datetime | None, TTL()] = None

    primary = Key("{slug}", "{hour:%Y-%m-%dT%H}", one_per_bucket=("hour",))

    @access(rate=3_000, item_size=100)
    @classmethod
    def clicked(cls, slug: str, hour: AwareDatetime) -> Update[Clicks]:
        """One more click; the busiest link gets about 70 a second."""
        return cls.primary.update(slug=slug, hour=hour).add(count=1).upsert()

    @access(rate=20, items=168, item_size=100)
    @classmethod
    def within(cls, slug: str, first: AwareDatetime, last: AwareDatetime) -> Query[Clicks]:
        """The clicks of a link in some days, by hour."""
        return cls.primary(slug=slug, hour=between(first, last))


FINDINGS: dict[tuple[str, str, str], str] = {}
