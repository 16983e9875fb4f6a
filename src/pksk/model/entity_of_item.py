"""Decides which entity an item belongs to: by its discriminator, else by its primary key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pksk.errors import ItemUnreadable, PkskError, quote
from pksk.model.markers.unique import is_guard_item
from pksk.model.unreadable_item import unreadable_item
from pksk.values import WireItem, item_from_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity
    from pksk.schema import Table

__all__ = [
    "common_base",
    "common_class",
    "discriminator_value",
    "entities_sharing_key",
    "entity_of_item",
    "foreign_item_error",
    "has_primary_key_of",
    "is_item_of",
    "match_primary_key",
    "possible_entities",
    "primary_key_values",
    "requested_entity",
]


def possible_entities(table: Table, item: WireItem) -> list[Declaration[Any]]:
    """The entities that an item may be of: that which it says, else those that render its primary key.

    The key is that of one, or of a family, which shares it.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> key, orders = {"pk": {"S": "ORDER#7"}, "sk": {"S": "META"}}, Order.__pksk__.table
        >>> [each.name for each in possible_entities(orders, {"type": {"S": "Order"}})], [each.name for each in possible_entities(orders, key)]
        (['Order'], ['Order'])
    """
    tag = discriminator_value(table, item)
    return [
        each
        for each in table.entities
        if (has_primary_key_of(each, item) if tag is None else each.tag == tag)
    ]


def discriminator_value(table: Table, item: WireItem) -> str | None:
    """What an item says that it is, by its discriminator; None where it says nothing.

    Example:
        >>> from pksk import Table
        >>> discriminator_value(Table("orders"), {"type": {"S": "Order"}}), discriminator_value(Table("orders"), {"pk": {"S": "ORDER#7"}})
        ('Order', None)
    """
    wire = item.get(table.discriminator or "")
    if wire is None:
        return None
    # What is no text is the name of no entity.
    return str(wire["S"] if isinstance(wire, Mapping) and "S" in wire else wire)


def entities_sharing_key(declaration: Declaration[Any]) -> Mapping[str, Declaration[Any]]:
    """The entities that share a primary key, by what their items say; mostly one alone.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders"), discriminator="O"):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> {tag: each.name for tag, each in entities_sharing_key(Order.__pksk__).items()}
        {'O': 'Order'}
    """
    # An entity that was declared since makes the answer a new one.
    question = ("family", declaration.table.entity_count)
    if question not in declaration.remembered:
        kin = [each for each in declaration.table.entities if each.shares_key_with(declaration)]
        declaration.remembered[question] = {each.tag: each for each in (declaration, *kin)}
    found: dict[str, Declaration[Any]] = declaration.remembered[question]
    return found


def entity_of_item(declaration: Declaration[Any], item: WireItem) -> Declaration[Any] | None:
    """The one of an entity's family that an item is of; None where it says that it is something else.

    What says nothing is taken for the one that is asked about.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> [entity_of_item(Order.__pksk__, {"type": {"S": tag}}) is None for tag in ("Order", "Line")]
        [False, True]
    """
    tag = discriminator_value(declaration.table, item)
    return declaration if tag is None else entities_sharing_key(declaration).get(tag)


def is_item_of(declaration: Declaration[Any], item: WireItem) -> bool:
    """Whether an item is of this entity or of a subclass: by its discriminator, else by its primary key.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> is_item_of(Order.__pksk__, {"pk": {"S": "ORDER#7"}, "sk": {"S": "META"}})
        True
    """
    if discriminator_value(declaration.table, item) is None:
        return has_primary_key_of(declaration, item)
    kind = entity_of_item(declaration, item)
    return kind is not None and kind.is_kind_of(declaration)


def has_primary_key_of(declaration: Declaration[Any], item: WireItem) -> bool:
    """Whether the entity renders such a primary key as an item has.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> has_primary_key_of(Order.__pksk__, {"pk": {"S": "LINE#7"}, "sk": {"S": "META"}})
        False
    """
    return match_primary_key(declaration, item) is not None


def primary_key_values(declaration: Declaration[Any], key: WireItem) -> dict[str, Any] | None:
    """The fields that the primary key is made of; None where the key does not tell all of them.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: int
        ...     primary = Key("ORDER#{id:04d}", "META")
        >>> primary_key_values(Order.__pksk__, {"pk": {"S": "ORDER#0007"}, "sk": {"S": "META"}})
        {'id': 7}
    """
    values, names = match_primary_key(declaration, key), declaration.primary.fields
    if values is None or any(name not in values for name in names):
        return None
    return {name: values[name] for name in names}


def match_primary_key(declaration: Declaration[Any], item: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What the templates of the primary key find in that of an item; None where they have not written it.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     name: str
        ...     primary = Key("ORDER#{id}", "{name:.2}")
        >>> match_primary_key(Order.__pksk__, {"pk": {"S": "ORDER#7"}, "sk": {"S": "An"}})
        {'id': '7'}
    """
    names = [part.attribute for part in declaration.primary.parts]
    try:
        plain = item_from_wire({name: item[name] for name in names})
        return declaration.primary.pair.match(*(plain[name] for name in names))
    except (PkskError, KeyError):
        return None


def common_base(kinds: list[Declaration[Any]]) -> Declaration[Any] | None:
    """The entity that all others are kinds of; None where none of them is.

    Example:
        >>> common_base([]) is None
        True
    """
    return next((each for each in kinds if all(other.is_kind_of(each) for other in kinds)), None)


def common_class(kinds: list[Declaration[Any]]) -> type[Entity]:
    """The class that all are of, which may be a base without a table.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> common_class([Order.__pksk__]).__name__
        'Order'
    """
    first: type[Entity] = kinds[0].entity
    shared = (kind for kind in first.__mro__ if all(issubclass(each.entity, kind) for each in kinds))
    return next(kind for kind in shared if hasattr(kind, "__pksk_options__"))


def requested_entity(
    asked: Sequence[Declaration[Any]], item: WireItem, *, has_foreign_items: bool
) -> Declaration[Any] | None:
    """The entity among those asked for that an item is of; None for one of another entity, that is left out.

    `has_foreign_items` says that others may be there. Where none may, and under a key that only those asked for render, an item
    that says to be something else is an error: left out, nobody would ever know of it.
    """
    if len(asked) == 1 and not has_foreign_items:
        # What does not say what it is can be nothing else.
        own = entity_of_item(asked[0], item)
        if own is not None and own.is_kind_of(asked[0]):
            return asked[0]
    else:
        found = next((each for each in asked if is_item_of(each, item)), None)
        if found is not None:
            return found
    if _is_sibling_item(asked, item) or (has_foreign_items and _is_foreign_item(asked, item)):
        return None
    raise foreign_item_error(asked, item)


def _is_sibling_item(asked: Sequence[Declaration[Any]], item: WireItem) -> bool:
    """Whether an item is of the family of those asked for, which share their keys with the rest of it."""
    return any(entity_of_item(each, item) not in (None, each) for each in asked)


def _is_foreign_item(asked: Sequence[Declaration[Any]], item: WireItem) -> bool:
    """Whether an item has a key of another entity, or one that is of nobody here."""
    table = asked[0].table
    if not any(has_primary_key_of(each, item) for each in asked) or is_guard_item(table, item, item):
        return True
    return any(has_primary_key_of(each, item) for each in possible_entities(table, item))


def foreign_item_error(asked: Sequence[Declaration[Any]], item: WireItem) -> ItemUnreadable:
    """The error for an item under a key of these entities that says to be something else.

    Read as one of them, it would lose what they do not know when it is written again.
    """
    table = asked[0].table
    tag = discriminator_value(table, item)
    known = sorted(
        other for each in asked for other, kind in entities_sharing_key(each).items() if kind.is_kind_of(each)
    )
    expected = " or ".join(map(quote, known))
    says = "the item does not say what it is" if tag is None else f"the item says {quote(tag)}"
    return unreadable_item(
        asked[0], item, None, {table.discriminator or "item": f"{says}, expected is {expected}"}
    )
