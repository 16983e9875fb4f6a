"""Tables: their declaration, and the entities and access patterns that are registered on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from pksk.dataclass import dataclass
from pksk.schema import settings
from pksk.schema.check import check_indexes, check_table, discriminator_conflict, normalize_indexes
from pksk.schema.description import TABLE_CLASSES, create_request, table_arguments, ttl_attribute
from pksk.schema.differences import differences, table_identity
from pksk.schema.index import GSI, LSI, Index, Primary, declaration_repr, find_index
from pksk.schema.key_attribute import AttributeType, KeyAttribute, S, key_repr
from pksk.schema.options import attribute_name, check_choice, check_switch, resource_name
from pksk.schema.settings import Billing, Convention, OnDemand
from pksk.schema.vector_index import VectorIndex

AnyIndex: TypeAlias = GSI | LSI | VectorIndex

_DEFAULTS: Final = {
    "pk": S("pk"),
    "sk": S("sk"),
    "indexes": [],
    "stream": None,
    "ttl": None,
    "billing": OnDemand(),
    "table_class": "standard",
    "discriminator": "type",
    "deletion_protection": False,
    "tags": {},
    "encryption": None,
    "conventions": [],
}


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Table:
    """A DynamoDB table: its keys, indexes and settings, and the entities registered on it.

    Tables are equal if they declare the same table; the order of indexes and the registered entities do not
    matter. The hash is that of the name. A copy has no registered entities.

    `conventions` are rules of `pksk check` that a table follows only if it says so, such as "schema-name-first".

    Example:
        >>> from pksk.schema import GSI, Table
        >>> orders = Table("orders", indexes=[GSI("by-email", pk="email")], stream=True)
        >>> orders
        Table('orders', indexes=[GSI('by-email', pk='email')], stream='NEW_AND_OLD_IMAGES')
        >>> orders.pk, orders.sk, orders.attribute_types
        ('pk', 'sk', {'pk': 'S', 'sk': 'S', 'email': 'S'})
    """

    name: str
    primary: Primary
    indexes: tuple[AnyIndex, ...]
    stream: str | None
    ttl: str | None
    billing: Billing
    table_class: str
    discriminator: str | None
    deletion_protection: bool
    encryption: str | None
    conventions: tuple[Convention, ...]
    _tags: tuple[tuple[str, str], ...]
    _entities: list[Any]
    _patterns: list[Any]

    def __init__(  # noqa: PLR0913 - each is an option of a table
        self,
        name: str,
        *,
        pk: str | KeyAttribute = "pk",
        sk: str | KeyAttribute | None = "sk",
        indexes: Iterable[AnyIndex] = (),
        stream: bool | str = False,
        ttl: str | None = None,
        billing: Billing | str = "on-demand",
        table_class: str = "standard",
        discriminator: str | None = "type",
        deletion_protection: bool = False,
        tags: Mapping[str, str] | None = None,
        encryption: str | None = None,
        conventions: Iterable[Convention] = (),
    ) -> None:
        where = f"Table {resource_name('Table', name)!r}"
        primary = Primary(pk, sk, where=where)
        index_list = normalize_indexes(where, indexes)
        check_indexes(where, index_list, sorted_table=bool(primary.sort))
        self._set(
            name=str.__str__(name),
            primary=primary,
            indexes=tuple(index.with_table_key(primary) for index in index_list),
            stream=settings.normalize_stream(where, stream),
            ttl=_optional_name(f"{where}, ttl", ttl),
            billing=settings.normalize_billing(where, billing),
            table_class=check_choice(where, "table_class", table_class, TABLE_CLASSES),
            discriminator=_optional_name(f"{where}, discriminator", discriminator),
            deletion_protection=check_switch(where, "deletion_protection", deletion_protection),
            encryption=settings.normalize_encryption(where, encryption),
            conventions=settings.normalize_conventions(where, conventions),
            _tags=settings.normalize_tags(where, tags),
            _entities=[],
            _patterns=[],
        )
        check_table(self)

    def _set(self, **values: object) -> None:
        for option, value in values.items():
            object.__setattr__(self, option, value)

    def __getstate__(self) -> dict[str, Any]:
        """Pickles and copies contain the declaration without registered entities."""
        return {**self.__dict__, "_entities": [], "_patterns": []}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self._set(**{**state, "_entities": [], "_patterns": []})

    @classmethod
    def from_description(
        cls,
        description: Mapping[str, Any],
        *,
        describe_ttl: Mapping[str, Any] | None = None,
        discriminator: str | None = "type",
    ) -> Table:
        """The table of a CreateTable request or a DescribeTable response.

        The TTL comes from a separate DescribeTimeToLive response. DynamoDB has no discriminator; the default is
        dropped if it conflicts with another use of the attribute.

        Example:
            >>> orders = Table("orders", ttl="expires")
            >>> Table.from_description(orders.create_request(), describe_ttl=orders.ttl_request()) == orders
            True
        """
        plain = cls(**table_arguments(description), ttl=ttl_attribute(describe_ttl), discriminator=None)
        if discriminator and not discriminator_conflict(
            discriminator, plain.ttl, (plain.primary, *plain.indexes)
        ):
            plain._set(discriminator=attribute_name(f"{plain}, discriminator", discriminator))
        return plain

    @property
    def pk(self) -> str:
        """The partition key attribute."""
        return self.primary.partition[0]

    @property
    def sk(self) -> str | None:
        """The sort key attribute, or None."""
        return self.primary.sort[0] if self.primary.sort else None

    @property
    def tags(self) -> dict[str, str]:
        """The tags, in order of their keys."""
        return dict(self._tags)

    @property
    def key_attributes(self) -> tuple[str, ...]:
        """The attributes of the primary key."""
        return self.primary.keys

    @property
    def attribute_types(self) -> dict[str, AttributeType]:
        """The types of the key attributes of the table and its indexes."""
        return {
            part.name: part.type for index in (self.primary, *self.indexes) for part in index.typed_attributes
        }

    @property
    def queryable(self) -> tuple[Index, ...]:
        """The primary key and the indexes that Query and Scan can read: all but vector indexes."""
        return (self.primary, *(index for index in self.indexes if index.kind != "vector"))

    def index(self, name: str | None) -> Index:
        """The index with this name; None for the primary key.

        Example:
            >>> from pksk.schema import GSI
            >>> Table("orders", indexes=[GSI("by-email", pk="email")]).index("by-mail")
            Traceback (most recent call last):
            pksk.errors.SchemaError: Table 'orders': there is no index 'by-mail'.
            Indexes are: by-email.
            Fix: did you mean 'by-email'?  (pksk explain schema-unknown-index)
        """
        return find_index(self, name)

    def billing_of(self, index: GSI) -> Billing:
        """How an index is billed: as it states, or as the table is.

        Example:
            >>> from pksk.schema import GSI, Provisioned
            >>> orders = Table("orders", indexes=[GSI("by-day", pk="day")], billing=Provisioned(9, 3))
            >>> orders.billing_of(orders.indexes[0])
            Provisioned(read=9, write=3)
        """
        return settings.effective_billing(index.billing, self.billing)

    def create_request(self) -> dict[str, Any]:
        """The CreateTable request for this table, ready for boto3's client.

        Example:
            >>> request = Table("orders", sk=None).create_request()
            >>> request["AttributeDefinitions"], request["BillingMode"]
            ([{'AttributeName': 'pk', 'AttributeType': 'S'}], 'PAY_PER_REQUEST')
        """
        return create_request(self)

    def ttl_request(self) -> dict[str, Any] | None:
        """The UpdateTimeToLive request that belongs to this table, if it has a TTL attribute.

        Example:
            >>> Table("orders", ttl="expires").ttl_request()["TimeToLiveSpecification"]
            {'Enabled': True, 'AttributeName': 'expires'}
        """
        if self.ttl is None:
            return None
        return {
            "TableName": self.name,
            "TimeToLiveSpecification": {"Enabled": True, "AttributeName": self.ttl},
        }

    def differences(
        self, description: Mapping[str, Any], describe_ttl: Mapping[str, Any] | None = None
    ) -> list[str]:
        """The differences between this declaration and a DescribeTable response, as text.

        The TTL is compared if its response is passed, tags never: a description has none.

        Example:
            >>> before = Table("orders").create_request()
            >>> Table("orders", stream="KEYS_ONLY").differences(before)
            ["stream: declared 'KEYS_ONLY', the table has None"]
        """
        existing = Table.from_description(description, describe_ttl=describe_ttl)
        return differences(self, existing, ttl=describe_ttl is not None)

    @property
    def entities(self) -> list[Any]:
        """The entities that were registered, in order."""
        return list(self._entities)

    @property
    def entity_count(self) -> int:
        """How many entities were registered."""
        return len(self._entities)

    @property
    def patterns(self) -> list[Any]:
        """The access patterns that were registered, in order."""
        return list(self._patterns)

    def register_entity(self, entity: Any) -> None:
        """Adds an entity to those of this table, once.

        Example:
            >>> orders = Table("orders")
            >>> orders.register_entity("Order")
            >>> orders.entities
            ['Order']
        """
        _register(self._entities, entity)

    def register_pattern(self, pattern: Any) -> None:
        """Adds an access pattern to those of this table, once.

        Example:
            >>> orders = Table("orders")
            >>> orders.register_pattern("orders of a customer")
            >>> orders.patterns
            ['orders of a customer']
        """
        _register(self._patterns, pattern)

    def __eq__(self, other: object) -> bool:
        return table_identity(self) == table_identity(other) if isinstance(other, Table) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return f"Table {self.name!r}"

    def __repr__(self) -> str:
        return declaration_repr(
            "Table",
            self.name,
            defaults=_DEFAULTS,
            pk=key_repr(self.primary.partition_key),
            sk=key_repr(self.primary.sort_key),
            indexes=list(self.indexes),
            stream=self.stream,
            ttl=self.ttl,
            billing=self.billing,
            table_class=self.table_class,
            discriminator=self.discriminator,
            deletion_protection=self.deletion_protection,
            tags=self.tags,
            encryption=self.encryption,
            conventions=list(self.conventions),
        )


def _optional_name(where: str, name: str | None) -> str | None:
    return None if name is None else attribute_name(where, name)


def _register(registered: list[Any], thing: Any) -> None:
    if not any(thing is other for other in registered):
        registered.append(thing)
