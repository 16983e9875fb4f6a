"""Tells of which entity an item is: by its discriminator, else by its primary key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pksk.errors import PkskError
from pksk.values import WireItem, item_from_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity
    from pksk.schema import Table

__all__ = [
    "GUARD",
    "GUARD_PARTITION",
    "common_class",
    "family",
    "has_key",
    "is_guard",
    "key_fields",
    "kind_of",
    "matched",
    "owns",
    "said",
    "told",
    "widest",
]

# Items that the store keeps for unique fields, which are of no entity: their discriminator, and how their keys begin.
GUARD: Final = "pksk:unique"
GUARD_PARTITION: Final = "unique#"


def told(table: Table, item: WireItem) -> list[Declaration[Any]]:
    """The entities that an item may be of: that which it says, else those that render its primary key.

    The key is that of one, or of a family, which shares it.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> key, orders = {"pk": {"S": "ORDER#7"}, "sk": {"S": "META"}}, Order.__pksk__.table
        >>> [each.name for each in told(orders, {"type": {"S": "Order"}})], [each.name for each in told(orders, key)]
        (['Order'], ['Order'])
    """
    tag = said(table, item)
    return [each for each in table.entities if (has_key(each, item) if tag is None else each.tag == tag)]


def said(table: Table, item: WireItem) -> str | None:
    """What an item says that it is, by its discriminator; None where it says nothing.

    Example:
        >>> from pksk import Table
        >>> said(Table("orders"), {"type": {"S": "Order"}}), said(Table("orders"), {"pk": {"S": "ORDER#7"}})
        ('Order', None)
    """
    wire = item.get(table.discriminator or "")
    if wire is None:
        return None
    # What is no text is the name of no entity.
    return str(wire["S"] if isinstance(wire, Mapping) and "S" in wire else wire)


def family(declaration: Declaration[Any]) -> Mapping[str, Declaration[Any]]:
    """The entities that share a primary key, by what their items say; mostly one alone.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders"), discriminator="O"):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> {tag: each.name for tag, each in family(Order.__pksk__).items()}
        {'O': 'Order'}
    """
    # An entity that was declared since makes the answer a new one.
    question = ("family", declaration.table.entity_count)
    if question not in declaration.remembered:
        kin = [each for each in declaration.table.entities if each.shares_key_with(declaration)]
        declaration.remembered[question] = {each.tag: each for each in (declaration, *kin)}
    found: dict[str, Declaration[Any]] = declaration.remembered[question]
    return found


def kind_of(declaration: Declaration[Any], item: WireItem) -> Declaration[Any] | None:
    """The one of an entity's family that an item is of; None where it says that it is something else.

    What says nothing is taken for the one that is asked about.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> [kind_of(Order.__pksk__, {"type": {"S": tag}}) is None for tag in ("Order", "Line")]
        [False, True]
    """
    tag = said(declaration.table, item)
    return declaration if tag is None else family(declaration).get(tag)


def owns(declaration: Declaration[Any], item: WireItem) -> bool:
    """Whether an item is of this entity or of a subclass: by its discriminator, else by its primary key.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> owns(Order.__pksk__, {"pk": {"S": "ORDER#7"}, "sk": {"S": "META"}})
        True
    """
    if said(declaration.table, item) is None:
        return has_key(declaration, item)
    kind = kind_of(declaration, item)
    return kind is not None and kind.is_kind_of(declaration)


def has_key(declaration: Declaration[Any], item: WireItem) -> bool:
    """Whether the entity renders such a primary key as an item has.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> has_key(Order.__pksk__, {"pk": {"S": "LINE#7"}, "sk": {"S": "META"}})
        False
    """
    return matched(declaration, item) is not None


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
    values, names = matched(declaration, key), declaration.primary.fields
    if values is None or any(name not in values for name in names):
        return None
    return {name: values[name] for name in names}


def matched(declaration: Declaration[Any], item: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What the templates of the primary key find in that of an item; None where they have not written it.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     name: str
        ...     primary = Key("ORDER#{id}", "{name:.2}")
        >>> matched(Order.__pksk__, {"pk": {"S": "ORDER#7"}, "sk": {"S": "An"}})
        {'id': '7'}
    """
    names = [part.attribute for part in declaration.primary.parts]
    try:
        plain = item_from_wire({name: item[name] for name in names})
        return declaration.primary.pair.match(*(plain[name] for name in names))
    except (PkskError, KeyError):
        return None


def widest(kinds: list[Declaration[Any]]) -> Declaration[Any] | None:
    """The entity that all others are kinds of; None where none of them is.

    Example:
        >>> widest([]) is None
        True
    """
    return next((each for each in kinds if all(other.is_kind_of(each) for other in kinds)), None)


def common_class(kinds: list[Declaration[Any]]) -> type[Entity]:
    """The class that all are of, which may be a base that stands in no table.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> common_class([Order.__pksk__]).__name__
        'Order'
    """
    from pksk.model.entity import Entity

    first: type[Entity] = kinds[0].entity
    shared = (kind for kind in first.__mro__ if all(issubclass(each.entity, kind) for each in kinds))
    return next(kind for kind in shared if issubclass(kind, Entity))


def is_guard(table: Table, key: WireItem, item: WireItem | None) -> bool:
    """Whether an item is one that the store keeps for a unique field.

    Example:
        >>> from pksk import Table
        >>> is_guard(Table("orders"), {"pk": {"S": "unique#Order#email#a@b.c"}}, None)
        True
    """
    tag = None if item is None else said(table, item)
    return str(key[table.pk].get("S")).startswith(GUARD_PARTITION) if tag is None else tag == GUARD
