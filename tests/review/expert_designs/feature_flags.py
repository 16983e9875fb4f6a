"""Feature flags of many tenants, read by every request, and their history."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AwareDatetime

from pksk import Created, Entity, Get, Key, Provisioned, Put, Query, Spread, Table, Version, access

flags = Table("flags", billing=Provisioned(read=400, write=20))


class Environment(Entity, table=flags, items=1_500):
    org_id: Annotated[str, Spread(values=500, largest=0.08)]
    environment: str
    etag: str
    version: Annotated[int, Version()] = 0

    primary = Key("ORG#{org_id}", "ENV#{environment}")

    @access(rate=600, item_size=200)
    @classmethod
    def etag_of(cls, org_id: str, environment: str) -> Get[Environment]:
        """Whether anything has changed since the last poll."""
        return cls.primary.get(org_id=org_id, environment=environment)

    @access(rate="20/day", items=4)
    @classmethod
    def all_of(cls, org_id: str) -> Query[Environment]:
        """The environments of an organisation."""
        return cls.primary(org_id=org_id)


class Flag(Entity, table=flags, items=60_000, per_partition=120):
    org_id: Annotated[str, Spread(values=500, largest=0.08)]
    environment: str
    name: str
    rules: dict[str, Any]

    primary = Key("ORG#{org_id}#{environment}", "FLAG#{name}")

    @access(rate=10, item_size=900)
    @classmethod
    def all_flags(cls, org_id: str, environment: str) -> Query[Flag]:
        """Every flag, after a change."""
        return cls.primary(org_id=org_id, environment=environment)

    @access(rate="300/day", item_size=900)
    @classmethod
    def set_flag(cls, flag: Flag) -> Put[Flag]:
        """Changed by a person."""
        return Put(flag)


class FlagChange(Entity, table=flags, items=500_000):
    org_id: Annotated[str, Spread(values=500, largest=0.08)]
    at: Annotated[AwareDatetime, Created()]
    name: str
    who: str

    primary = Key("HIST#{org_id}", "{at}#{name}")

    @access(rate="300/day")
    @classmethod
    def log(cls, change: FlagChange) -> Put[FlagChange]:
        """Who changed what."""
        return Put(change)

    @access(rate="50/day", items=20)
    @classmethod
    def recent(cls, org_id: str) -> Query[FlagChange]:
        """The newest changes."""
        return cls.primary(org_id=org_id).reverse().limit(20)


FINDINGS: dict[tuple[str, str, str], str] = {
    (
        "error",
        "too-little-capacity",
        "flags",
    ): "435 read units a second are more than the 400 that are provisioned.",
}
