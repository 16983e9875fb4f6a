"""Local secondary indexes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Self

from pksk.schema.attribute import KeyAttribute, declared_key, key_text, refuse_twice
from pksk.schema.declaration import declaration
from pksk.schema.index import Index, Kind
from pksk.schema.names import resource_name
from pksk.schema.projection import declared_projection

__all__ = ["LSI"]


@dataclass(frozen=True, init=False, repr=False)
class LSI(Index):
    """A local secondary index: the table's partition key, sorted by another attribute.

    It is made with its table and cannot be added later, and it limits the items of one
    partition key to 10 GB. Its partition key is known once a table has it.

    Example:
        >>> from pksk.schema import N, Table
        >>> by_total = LSI("by-total", sk=N("total"))
        >>> Table("orders", indexes=[by_total]).index("by-total").partition
        ('pk',)
    """

    kind: ClassVar[Kind] = "lsi"

    name: str
    partition_key: tuple[KeyAttribute, ...] = field(compare=False)  # the table's, as soon as there is one

    def __init__(self, name: str, *, sk: str | KeyAttribute, projection: str | Iterable[str] = "all") -> None:
        name = resource_name("LSI", name)
        where = f"LSI {name!r}"
        sort = declared_key(where, "sk", sk)
        self._declare(name, (), sort, declared_projection(where, projection))

    def bound(self, primary: Index) -> Self:
        refuse_twice(f"LSI {self.name!r}", "the table's pk and sk", primary.partition_key + self.sort_key)
        member = super().bound(primary)
        member._set(partition_key=primary.partition_key)
        return member

    def __repr__(self) -> str:
        options = {"sk": key_text(self.sort_key), "projection": self.projection}
        return declaration("LSI", self.name, defaults={"projection": "all"}, **options)
