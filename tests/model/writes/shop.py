"""A small shop that the tests of writes share."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID, uuid4

from pydantic import BaseModel, Field, computed_field, field_validator

from pksk import GSI, TTL, Attribute, Entity, F, Key, N, Shard, Table

shop = Table(
    "shop",
    ttl="until",
    indexes=[
        GSI("by-status", pk="g1", sk="g2"),
        GSI("by-total", pk="kind", sk=N("t")),
        GSI("by-day", pk="d1", sk="d2"),
        GSI("by-gid", pk="gid"),
    ],
)


class Address(BaseModel):
    city: str
    zip: str = ""


class Order(Entity, table=shop):
    id: str
    day: date
    total: Annotated[int, Attribute("t"), Field(ge=0)] = 0
    status: str | None = None
    kind: str = "plain"
    tags: set[str] = Field(default_factory=set)
    pairs: set[tuple[int, int]] = Field(default_factory=set)
    log: list[str] = Field(default_factory=list)
    price: Decimal = Decimal(1)
    address: Address | None = None
    gid: UUID = Field(default_factory=uuid4)
    until: Annotated[datetime | None, TTL()] = None

    primary = Key("ORDER#{id}", "META")
    by_status = Key("STATUS#{status}", "{day}", index="by-status")
    by_total = Key("{kind}", "{total}", index="by-total")
    by_day = Key("{day:%Y}#{shard}", "{id}", index="by-day", shard=Shard(4, of="id"), when=F.kind == "plain")
    by_gid = Key("{gid}", index="by-gid")

    @computed_field
    def label(self) -> str:
        return f"{self.kind} {self.id}"

    @field_validator("kind")
    @classmethod
    def lower(cls, value: str) -> str:
        return value.lower()


KEY = {"pk": {"S": "ORDER#7"}, "sk": {"S": "META"}}


def order(**values: Any) -> Order:
    return Order(**{"id": "7", "day": date(2025, 3, 1), **values})
