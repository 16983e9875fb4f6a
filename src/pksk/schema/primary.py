"""The primary key of a table, seen as an index over all of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pksk.schema.attribute import KeyAttribute, declared_key, key_text, refuse_twice
from pksk.schema.declaration import declaration
from pksk.schema.index import Index, Kind

__all__ = ["Primary"]


@dataclass(frozen=True, init=False, repr=False)
class Primary(Index):
    """The primary key; its name is None, and it gives back every attribute.

    Example:
        >>> primary = Primary("pk", "sk")
        >>> primary.kind, primary.name, primary.partition, primary.sort, primary.projection
        ('table', None, ('pk',), ('sk',), 'all')
    """

    kind: ClassVar[Kind] = "table"

    def __init__(
        self, pk: str | KeyAttribute, sk: str | KeyAttribute | None, *, where: str = "Table"
    ) -> None:
        partition = declared_key(where, "pk", pk)
        sort = () if sk is None else declared_key(where, "sk", sk)
        refuse_twice(where, "pk and sk", partition + sort)
        self._declare(None, partition, sort, "all")

    def __repr__(self) -> str:
        return declaration("Primary", key_text(self.partition_key), key_text(self.sort_key), defaults={})
