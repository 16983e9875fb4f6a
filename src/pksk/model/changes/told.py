"""Tells of which entity an item is: by its discriminator, else by its primary key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pksk.errors import PkskError
from pksk.model.entity import Entity
from pksk.values import WireItem, item_from_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.schema import Table

__all__ = [
    "GUARD",
    "GUARD_PARTITION",
    "by_discriminator",
    "by_key",
    "common_class",
    "is_guard",
    "key_fields",
    "widest",
]

# Items that the store keeps for unique fields, which are of no entity: their discriminator, and how their keys begin.
GUARD: Final = "pksk:unique"
GUARD_PARTITION: Final = "unique#"


def by_discriminator(table: Table, item: WireItem) -> list[Declaration[Any]] | None:
    """The entity that the discriminator of an item names, in a list; None where it has none.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> [each.name for each in by_discriminator(Order.__pksk__.table, {"type": {"S": "Order"}})]
        ['Order']
    """
    if table.discriminator is None or table.discriminator not in item:
        return None
    tag = _text(item[table.discriminator])
    return [each for each in table.entities if each.tag == tag]


def by_key(table: Table, key: WireItem) -> list[Declaration[Any]]:
    """The entities that render such a primary key: one, or those of a family, which share it.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> [each.name for each in by_key(Order.__pksk__.table, {"pk": {"S": "ORDER#7"}, "sk": {"S": "META"}})]
        ['Order']
    """
    return [each for each in table.entities if _matched(each, key) is not None]


def key_fields(declaration: Declaration[Any], key: WireItem) -> dict[str, Any] | None:
    """The fields that the primary key is made of; None where the key does not tell all of them.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: int
        ...     primary = Key("ORDER#{id:04d}", "META")
        >>> key_fields(Order.__pksk__, {"pk": {"S": "ORDER#0007"}, "sk": {"S": "META"}})
        {'id': 7}
    """
    values, names = _matched(declaration, key), declaration.primary.fields
    if values is None or any(name not in values for name in names):
        return None
    return {name: values[name] for name in names}


def _matched(declaration: Declaration[Any], key: WireItem) -> Mapping[str, Any] | None:
    """What the templates of the primary key find in one; None where they have not written it."""
    try:
        plain = item_from_wire(key)
        given = [plain[part.attribute] for part in declaration.primary.parts]
        return declaration.primary.pair.match(*given)
    except (PkskError, KeyError):
        return None


def widest(family: list[Declaration[Any]]) -> Declaration[Any] | None:
    """The entity that all others are kinds of; None where none of them is.

    Example:
        >>> widest([]) is None
        True
    """
    return next((each for each in family if all(other.is_kind_of(each) for other in family)), None)


def common_class(family: list[Declaration[Any]]) -> type[Entity]:
    """The class that all are of, which may be a base that stands in no table.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> common_class([Order.__pksk__]).__name__
        'Order'
    """
    first: type[Entity] = family[0].entity
    shared = (kind for kind in first.__mro__ if all(issubclass(each.entity, kind) for each in family))
    return next(kind for kind in shared if issubclass(kind, Entity))


def is_guard(table: Table, key: WireItem, item: WireItem | None) -> bool:
    """Whether an item is one that the store keeps for a unique field.

    Example:
        >>> from pksk import Table
        >>> is_guard(Table("orders"), {"pk": {"S": "unique#Order#email#a@b.c"}}, None)
        True
    """
    if item is not None and table.discriminator is not None and table.discriminator in item:
        return _text(item[table.discriminator]) == GUARD
    return _text(key[table.pk]).startswith(GUARD_PARTITION)


def _text(value: Any) -> str:
    return str(value.get("S", "")) if isinstance(value, Mapping) else ""
