"""A design with vectors, and one with index keys of several attributes: what not every server has."""

# ruff: noqa: RUF012 - Pydantic gives every model its own copy of a default

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final

from pydantic import BaseModel

from pksk import GSI, TTL, Entity, Key, N, Table, VectorIndex
from tests.store.shop import named

__all__ = ["Fable", "Shelf", "Story", "Title", "library", "stock"]

library: Final = Table(
    named("library"),
    ttl="expires",
    indexes=[
        VectorIndex("by-meaning", attribute="embedding", dimensions=3, pk="v1", filters=["lang"]),
        VectorIndex(
            "by-title", attribute="title_embedding", dimensions=2, projection=["title"], distance="euclidean"
        ),
    ],
)


class Story(Entity, table=library):
    shop: str
    id: str
    lang: str = "en"
    title: str = ""
    embedding: list[float] = []
    title_embedding: list[float] | None = None
    expires: Annotated[datetime | None, TTL()] = None

    primary = Key("STORY#{shop}#{id}", "META")
    by_meaning = Key("SHOP#{shop}", index="by-meaning")


class Fable(Entity, table=library):
    """Stands in the same index, undivided."""

    id: str
    title: str
    title_embedding: list[float]

    primary = Key("FABLE#{id}", "META")
    by_title = Key(index="by-title")


class Title(BaseModel):
    title: str


stock: Final = Table(
    named("stock"),
    indexes=[GSI("by-place", pk=("country", "city"), sk=(N("count"), "sku"))],
)


class Shelf(Entity, table=stock):
    """The key of an index is made of four attributes, as they are."""

    sku: str
    country: str
    city: str
    count: int = 0

    primary = Key("SHELF#{country}#{city}", "{sku}")
    by_place = Key(("{country}", "{city}"), ("{count}", "{sku}"), index="by-place")
