"""A heatmap with all cells under one key, in texts of mixed lengths, with one counter for all reports."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pksk import Entity, Get, Key, Query, Table, Update, access, begins, between

heatmap = Table("heatmap")


class Cell(Entity, table=heatmap, items=2_000_000):
    """Cells of all zoom levels in one order, under the prefix of the application alone."""

    geohash: Annotated[str, Field(min_length=3, max_length=8)]
    reports: int = 0

    primary = Key("ShCe", "{geohash}")

    @access(rate=300, items=1_000, item_size=120)
    @classmethod
    def between_corners(cls, first: str, last: str) -> Query[Cell]:
        return cls.primary(geohash=between(first, last))

    @access(rate=1_400, item_size=120)
    @classmethod
    def count(cls, geohash: str) -> Update[Cell]:
        return cls.primary.update(geohash=geohash).add(reports=1).upsert()


class Total(Entity, table=heatmap):
    reports: int = 0

    primary = Key("ShTo", "ALL", single_item=True)

    @access(rate=1_400, item_size=100)
    @classmethod
    def count(cls) -> Update[Total]:
        return cls.primary.update().add(reports=1).upsert()

    @access(rate=10, item_size=100)
    @classmethod
    def now(cls) -> Get[Total]:
        return cls.primary.get()


class Town(Entity, table=heatmap, items=40_000):
    letters: Annotated[str, Field(min_length=2, max_length=2)]
    city: str

    primary = Key("ShTw#{letters}", "{city}")

    @access(rate=40, items=20, item_size=150)
    @classmethod
    def beginning(cls, letters: str, start: str) -> Query[Town]:
        return cls.primary(letters=letters, city=begins(start))


FINDINGS = {
    (
        "error",
        "constant-partition-key",
        "Cell.primary",
    ): "A prefix of the geohash belongs into the partition key.",
    ("info", "mixed-lengths", "Cell.between_corners"): "Sort keys of one partition have one length.",
    ("error", "busy-item", "Total.primary"): "One item takes what one partition serves, and cannot be split.",
    ("info", "letter-case", "Town.beginning"): "Only small letters, as capitals are other characters.",
}
