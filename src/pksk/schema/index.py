"""The primary key of a table, and its global and local secondary indexes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal, Self, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import SchemaError, did_you_mean, quote
from pksk.schema.key_attribute import KeyAttribute, KeyDeclaration, key_repr, normalize_key, reject_duplicates
from pksk.schema.options import resource_name
from pksk.schema.projection import ALL, All, Projection, normalize_projection
from pksk.schema.quotas import GSI_KEY_ATTRIBUTES
from pksk.schema.settings import Billing, normalize_billing

if TYPE_CHECKING:
    from pksk.schema.table import Table


def declaration_repr(kind: str, *arguments: object, defaults: Mapping[str, object], **options: object) -> str:
    """The call as text; options that equal their default are left out."""
    shown_options = {
        option: value
        for option, value in options.items()
        if option not in defaults or value != defaults[option]
    }
    texts = (f"{option}={value!r}" for option, value in shown_options.items())
    return f"{kind}({', '.join([*map(repr, arguments), *texts])})"


Kind: TypeAlias = Literal["table", "gsi", "lsi", "vector"]


@dataclass(frozen=True, init=False, repr=False)
class Index:
    """The primary key or an index of a table.

    An index knows its own keys. An index from `table.index()` also knows the keys of the table, which are in every
    index entry.

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

    def with_table_key(self, primary: Index) -> Self:
        """The same index as part of a table with this primary key.

        Example:
            >>> from pksk.schema import GSI, Primary
            >>> GSI("by-day", pk="day").with_table_key(Primary("pk", None)).keys
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
        """The attributes of the sort key, in order; empty if there is none."""
        return tuple(attribute.name for attribute in self.sort_key)

    @property
    def typed_attributes(self) -> tuple[KeyAttribute, ...]:
        """The attributes whose types this index requires."""
        return self.partition_key + self.sort_key

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The attributes that every entry has: the keys of the index, then those of the table."""
        return tuple(dict.fromkeys(attribute.name for attribute in (*self.typed_attributes, *self.base_key)))

    @cached_property
    def projected(self) -> frozenset[str] | Literal[All.ALL]:
        """The attributes in the index entries, or `ALL`."""
        if self.projection == "all":
            return ALL
        attributes = self.projection if isinstance(self.projection, tuple) else ()
        return frozenset((*self._carried, *attributes))

    @property
    def _carried(self) -> tuple[str, ...]:
        """The attributes that are in every entry, for any projection."""
        return self.keys

    def projects(self, attribute: str) -> bool:
        """Whether index entries contain the attribute.

        Example:
            >>> from pksk.schema import GSI, Table
            >>> index = Table("orders", indexes=[GSI("by-day", pk="day", projection="keys")]).index("by-day")
            >>> index.projects("sk"), index.projects("total")
            (True, False)
        """
        projected = self.projected
        return projected is ALL or attribute in projected


@dataclass(frozen=True, init=False, repr=False)
class Primary(Index):
    """The primary key; its name is None, and it projects all attributes.

    Example:
        >>> primary = Primary("pk", "sk")
        >>> primary.kind, primary.name, primary.partition, primary.sort, primary.projection
        ('table', None, ('pk',), ('sk',), 'all')
    """

    kind: ClassVar[Kind] = "table"

    def __init__(
        self, pk: str | KeyAttribute, sk: str | KeyAttribute | None, *, where: str = "Table"
    ) -> None:
        partition = normalize_key(where, "pk", pk)
        sort = () if sk is None else normalize_key(where, "sk", sk)
        reject_duplicates(where, "pk and sk", partition + sort)
        self._declare(None, partition, sort, "all")

    def __repr__(self) -> str:
        return declaration_repr("Primary", key_repr(self.partition_key), key_repr(self.sort_key), defaults={})


@dataclass(frozen=True, init=False, repr=False)
class GSI(Index):
    """A global secondary index; each of its keys has one to four attributes.

    An item without one of the key attributes is not in the index. Without `billing`, the index has the same
    provisioned units as the table, or no limit on demand.

    Example:
        >>> from pksk.schema import N
        >>> GSI("globalId-index", pk="globalId", sk="sk")
        GSI('globalId-index', pk='globalId', sk='sk')
        >>> busy = GSI("busy", pk=("tenant", "status"), sk=(N("day"), "id"), projection=["total"])
        >>> busy.partition, busy.sort
        (('tenant', 'status'), ('day', 'id'))
    """

    kind: ClassVar[Kind] = "gsi"

    name: str
    billing: Billing | None

    def __init__(
        self,
        name: str,
        *,
        pk: KeyDeclaration,
        sk: KeyDeclaration | None = None,
        projection: str | Iterable[str] = "all",
        billing: Billing | str | None = None,
    ) -> None:
        name = resource_name("GSI", name)
        where = f"GSI {name!r}"
        partition = normalize_key(where, "pk", pk, at_most=GSI_KEY_ATTRIBUTES)
        sort = () if sk is None else normalize_key(where, "sk", sk, at_most=GSI_KEY_ATTRIBUTES)
        reject_duplicates(where, "pk and sk", partition + sort)
        self._declare(name, partition, sort, normalize_projection(where, projection))
        self._set(billing=None if billing is None else normalize_billing(where, billing))

    def __repr__(self) -> str:
        return declaration_repr(
            "GSI",
            self.name,
            defaults={"sk": None, "projection": "all", "billing": None},
            pk=key_repr(self.partition_key),
            sk=key_repr(self.sort_key),
            projection=self.projection,
            billing=self.billing,
        )


@dataclass(frozen=True, init=False, repr=False)
class LSI(Index):
    """A local secondary index: the table's partition key, sorted by another attribute.

    It is created with the table and cannot be added later. It limits the items of a partition key to 10 GB. Its
    partition key is the table's.

    Example:
        >>> from pksk.schema import N, Table
        >>> by_total = LSI("by-total", sk=N("total"))
        >>> Table("orders", indexes=[by_total]).index("by-total").partition
        ('pk',)
    """

    kind: ClassVar[Kind] = "lsi"

    name: str
    partition_key: tuple[KeyAttribute, ...] = field(compare=False)  # the table's, once it is known

    def __init__(self, name: str, *, sk: str | KeyAttribute, projection: str | Iterable[str] = "all") -> None:
        name = resource_name("LSI", name)
        where = f"LSI {name!r}"
        sort = normalize_key(where, "sk", sk)
        self._declare(name, (), sort, normalize_projection(where, projection))

    def with_table_key(self, primary: Index) -> Self:
        reject_duplicates(
            f"LSI {self.name!r}", "the table's pk and sk", primary.partition_key + self.sort_key
        )
        member = super().with_table_key(primary)
        member._set(partition_key=primary.partition_key)
        return member

    def __repr__(self) -> str:
        options = {"sk": key_repr(self.sort_key), "projection": self.projection}
        return declaration_repr("LSI", self.name, defaults={"projection": "all"}, **options)


def find_index(table: Table, name: str | None, *, where: str = "") -> Index:
    """The index with this name, or the primary key for None; `where` begins the error message."""
    if name is None:
        return table.primary
    for index in table.indexes:
        if index.name == name:
            return index
    names = [index.name for index in table.indexes]
    near = did_you_mean(str(getattr(name, "name", name)), names)
    raise SchemaError(
        "schema-unknown-index",
        f"{where}: {str(table)[:1].lower()}{str(table)[1:]} has no index {quote(name)}."
        if where
        else f"{table}: there is no index {quote(name)}.",
        expected=f"Indexes are: {', '.join(names)}." if names else "The table has no indexes.",
        fix=f"did you mean {near!r}?" if near else "declare it, as in indexes=[GSI(...)].",
    )
