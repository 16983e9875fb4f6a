"""What a table's primary key and each of its indexes have in common."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import ClassVar, Literal, Self, TypeAlias

from pksk.schema.attribute import KeyAttribute
from pksk.schema.projection import ALL, All, Projection

__all__ = ["Index", "Kind"]

Kind: TypeAlias = Literal["table", "gsi", "lsi", "vector"]


@dataclass(frozen=True, init=False, repr=False)
class Index:
    """A way into a table: its primary key, or an index, seen alike.

    An index by itself knows its own keys. The one that a table gives back also knows
    the table's keys, which every entry carries.

    Example:
        >>> from pksk.schema import GSI, Table
        >>> orders = Table("orders", indexes=[GSI("by-day", pk="day", projection=["total"])])
        >>> for index in (orders.primary, orders.index("by-day")):
        ...     print(index.kind, index.name, index.partition, index.sort, index.projects("total"))
        table None ('pk',) ('sk',) True
        gsi by-day ('day',) () True
        >>> sorted(orders.index("by-day").projected)
        ['day', 'pk', 'sk', 'total']
    """

    kind: ClassVar[Kind]

    name: str | None
    partition_key: tuple[KeyAttribute, ...]
    sort_key: tuple[KeyAttribute, ...]
    projection: Projection
    base_key: tuple[KeyAttribute, ...] = field(compare=False)

    def _declare(
        self,
        name: str | None,
        partition_key: tuple[KeyAttribute, ...],
        sort_key: tuple[KeyAttribute, ...],
        projection: Projection,
    ) -> None:
        self._set(
            name=name, partition_key=partition_key, sort_key=sort_key, projection=projection, base_key=()
        )

    def _set(self, **values: object) -> None:
        for option, value in values.items():
            object.__setattr__(self, option, value)

    def bound(self, primary: Index) -> Self:
        """The same index as part of a table with this primary key.

        Example:
            >>> from pksk.schema import GSI, Primary
            >>> GSI("by-day", pk="day").bound(Primary("pk", None)).keys
            ('day', 'pk')
        """
        member = object.__new__(type(self))
        member._set(**{each.name: getattr(self, each.name) for each in fields(self)})
        member._set(base_key=primary.partition_key + primary.sort_key)
        return member

    @cached_property
    def partition(self) -> tuple[str, ...]:
        """The attributes of the partition key."""
        return tuple(attribute.name for attribute in self.partition_key)

    @cached_property
    def sort(self) -> tuple[str, ...]:
        """The attributes of the sort key, in order; empty without one."""
        return tuple(attribute.name for attribute in self.sort_key)

    @property
    def typed(self) -> tuple[KeyAttribute, ...]:
        """The attributes whose type this index fixes for every item."""
        return self.partition_key + self.sort_key

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The attributes that every entry has: the keys of the index, then those of the table."""
        return tuple(dict.fromkeys(attribute.name for attribute in (*self.typed, *self.base_key)))

    @cached_property
    def projected(self) -> frozenset[str] | Literal[All.ALL]:
        """The attributes that a read through this index gives back, or `ALL`."""
        if self.projection == "all":
            return ALL
        listed = self.projection if isinstance(self.projection, tuple) else ()
        return frozenset((*self._carried, *listed))

    @property
    def _carried(self) -> tuple[str, ...]:
        """What an entry holds whatever the projection says."""
        return self.keys

    def projects(self, attribute: str) -> bool:
        """Whether a read through this index gives back the attribute.

        Example:
            >>> from pksk.schema import GSI, Table
            >>> index = Table("orders", indexes=[GSI("by-day", pk="day", projection="keys")]).index("by-day")
            >>> index.projects("sk"), index.projects("total")
            (True, False)
        """
        projected = self.projected
        return projected is ALL or attribute in projected
