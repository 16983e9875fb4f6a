"""Documents: folders sorted by name in a local index, versions, sharing, and an audit of each day."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID, uuid4

from pydantic import AwareDatetime, Field, StringConstraints
from ulid import ULID

from pksk import GSI, LSI, TTL, Created, Entity, Key, Put, Query, Spread, Table, Updated, access, begins

docs = Table(
    "docs",
    indexes=[
        LSI("by-name", sk="lsi1"),
        GSI("shared", pk="spk", sk="ssk", projection="keys"),
        GSI("due", pk="dpk", sk="dsk"),
    ],
    ttl="gone_at",
)
OrgId = Annotated[str, Spread(values=1_200, largest=0.06)]
Name = Annotated[str, StringConstraints(to_lower=True, max_length=200)]


class Node(Entity, table=docs, items=90_000_000, per_partition=5_000):
    org_id: OrgId
    parent: UUID
    node_id: UUID = Field(default_factory=uuid4)
    name: Name
    kind: Literal["folder", "file"]
    retain_until: AwareDatetime | None = None
    modified: Annotated[AwareDatetime | None, Updated()] = None
    primary = Key("ORG#{org_id}#IN#{parent}", "NODE#{node_id}")
    by_name = Key("ORG#{org_id}#IN#{parent}", "NAME#{name}", index="by-name")
    due = Key("DUE#{retain_until:%Y-%m-%d}", "{retain_until}#{node_id}", index="due")

    @access(rate=700, items=60, item_size=350)
    @classmethod
    def children(cls, org_id: str, parent: UUID) -> Query[Node]:
        return cls.by_name(org_id=org_id, parent=parent)

    @access(rate=80, items=5, item_size=350)
    @classmethod
    def named(cls, org_id: str, parent: UUID, start: str) -> Query[Node]:
        return cls.by_name(org_id=org_id, parent=parent, name=begins(start))

    @access(rate=150, item_size=350)
    @classmethod
    def create(cls, node: Node) -> Put[Node]:
        return Put(node).if_absent()

    @access(rate="24/day", items=500, item_size=350, example={"day": "2025-05-01"})
    @classmethod
    def due_on(cls, day: str) -> Query[Node]:
        return cls.due(retain_until=begins(day))


class Sharing(Entity, table=docs, items=8_000_000):
    node_id: UUID
    org_id: OrgId
    user_id: str
    level: Literal["read", "write", "owner"]
    primary = Key("NODE#{node_id}", "SHARE#{user_id}")
    with_user = Key("USER#{org_id}#{user_id}", "NODE#{node_id}", index="shared")

    @access(rate=250, items=3)
    @classmethod
    def who(cls, node_id: UUID) -> Query[Sharing]:
        return cls.primary(node_id=node_id)

    @access(rate=90, items=50)
    @classmethod
    def mine(cls, org_id: str, user_id: str) -> Query[Sharing]:
        return cls.with_user(org_id=org_id, user_id=user_id).hydrate()


class Revision(Entity, table=docs, items=400_000_000, per_partition=200):
    node_id: UUID
    number: int
    size: int
    blob: str
    gone_at: Annotated[AwareDatetime | None, TTL()] = None
    primary = Key("NODE#{node_id}", "V#{number:08d}")

    @access(rate=400, item_size=300)
    @classmethod
    def add(cls, version: Revision) -> Put[Revision]:
        return Put(version).if_absent()

    @access(rate=600, item_size=300)
    @classmethod
    def newest(cls, node_id: UUID) -> Query[Revision]:
        return cls.primary(node_id=node_id).reverse().limit(1)


class Audit(Entity, table=docs, growth="2_000_000 a day"):
    org_id: OrgId
    at: Annotated[AwareDatetime, Created()]
    event_id: ULID = Field(default_factory=ULID)
    what: str
    primary = Key("AUDIT#{org_id}#{at:%Y-%m-%d}", "{event_id}", identity="event_id")

    @access(rate=1_500, item_size=250)
    @classmethod
    def log(cls, audit: Audit) -> Put[Audit]:
        return Put(audit)


FINDINGS: dict[tuple[str, str, str], str] = {}
