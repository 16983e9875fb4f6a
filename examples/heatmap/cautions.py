"""Cautions: a table in which sort keys of several lengths and cases stand together, and what ranges then return.

The cells of the heatmap cannot be stored this way: their model takes three characters, and lower case only.
"""

from __future__ import annotations

from typing import Annotated, Final

from pksk import Attribute, Entity, Key, Query, Table, access, between

__all__ = ["SUFFIXES", "LooseCell", "loose"]

loose = Table("heatmap-loose", pk="PK", sk="SK", discriminator=None)

# Of one partition, as they would stand in it if nobody took care.
SUFFIXES: Final = ("w", "w0", "w00", "w0z", "w1", "wh", "wz", "wzz", "x", "x00", "W00", "WZZ", "wZZ", "9zz")


class LooseCell(Entity, table=loose):
    """A cell whose suffix may be of any length and case."""

    prefix: str
    suffix: Annotated[str, Attribute("SK")]

    primary = Key("ShCe#{prefix:*}", "{suffix}", codec="raw")

    @access(items=8, item_size=30, example={"prefix": "gcpjf", "first": "w00", "last": "wzz"})
    @classmethod
    def within(cls, prefix: str, first: str, last: str) -> Query[LooseCell]:
        """What stands between two suffixes, both included."""
        return cls.primary(prefix=prefix, suffix=between(first, last))
