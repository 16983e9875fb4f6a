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


def possible_entities(table: Table, item: WireItem) -> list[Declaration[Any]]:
    """The entities that an item may belong to: by its discriminator, else those that render its primary key.

    That is one entity, or several that share a key.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> key, orders = {"pk": {"S": "ORDER#7"}, "sk": {"S": "META"}}, Order.__pksk__.table
        >>> found = possible_entities(orders, {"type": {"S": "Order"}}), possible_entities(orders, key)
        >>> [[each.name for each in entities] for entities in found]
        [['Order'], ['Order']]
    """
    tag = discriminator_value(table, item)
    return [
        each
        for each in table.entities
        if (has_primary_key_of(each, item) if tag is None else each.tag == tag)
    ]


def discriminator_value(table: Table, item: WireItem) -> str | None:
    """The discriminator value of an item; None if it has none.

    Example:
        >>> from pksk import Table
        >>> items = {"type": {"S": "Order"}}, {"pk": {"S": "ORDER#7"}}
        >>> tuple(discriminator_value(Table("orders"), item) for item in items)
        ('Order', None)
    """
    wire = item.get(table.discriminator or "")
    if wire is None:
        return None
    # Only a text can be the name of an entity.
    return str(wire["S"] if isinstance(wire, Mapping) and "S" in wire else wire)


def entities_sharing_key(declaration: Declaration[Any]) -> Mapping[str, Declaration[Any]]:
    """The entities that share a primary key, by discriminator value; usually one.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders"), discriminator="O"):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> {tag: each.name for tag, each in entities_sharing_key(Order.__pksk__).items()}
        {'O': 'Order'}
    """
    name = ("sharing key", declaration.table.entity_count)
    if name not in declaration.cache:
        siblings = [each for each in declaration.table.entities if each.shares_key_with(declaration)]
        declaration.cache[name] = {each.tag: each for each in (declaration, *siblings)}
    found: dict[str, Declaration[Any]] = declaration.cache[name]
    return found


def entity_of_item(declaration: Declaration[Any], item: WireItem) -> Declaration[Any] | None:
    """Which of the entities that share a key an item belongs to; None if its discriminator names another one.

    An item without a discriminator counts as one of the entity itself.

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
    """Whether an item belongs to this entity or a subclass: by its discriminator, else by its primary key.

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
    return kind is not None and kind.is_subclass_of(declaration)


def has_primary_key_of(declaration: Declaration[Any], item: WireItem) -> bool:
    """Whether the entity can render the primary key of an item.

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
    """The fields that the primary key is made of; None if the key does not contain all of them.

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
    """The fields that the templates of the primary key match in an item; None if they do not match.

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
    """The entity of which all others are subclasses; None if there is none.

    Example:
        >>> common_base([]) is None
        True
    """
    return next((each for each in kinds if all(other.is_subclass_of(each) for other in kinds)), None)


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
    requested: Sequence[Declaration[Any]], item: WireItem, *, has_foreign_items: bool
) -> Declaration[Any] | None:
    """The requested entity that an item belongs to; None for an item of another entity, which a read skips.

    `has_foreign_items` says that a read can meet items of other entities. If it cannot, an item with the discriminator
    of another entity is an error: skipped, it would never be noticed.
    """
    if len(requested) == 1 and not has_foreign_items:
        # An item without a discriminator can only be of this entity.
        own = entity_of_item(requested[0], item)
        if own is not None and own.is_subclass_of(requested[0]):
            return requested[0]
    else:
        found = next((each for each in requested if is_item_of(each, item)), None)
        if found is not None:
            return found
    if _is_sibling_item(requested, item) or (has_foreign_items and _is_foreign_item(requested, item)):
        return None
    raise foreign_item_error(requested, item)


def _is_sibling_item(requested: Sequence[Declaration[Any]], item: WireItem) -> bool:
    """Whether an item is of an entity that shares its key with a requested one."""
    return any(entity_of_item(each, item) not in (None, each) for each in requested)


def _is_foreign_item(requested: Sequence[Declaration[Any]], item: WireItem) -> bool:
    """Whether an item has a key of another entity, or of none of the table."""
    table = requested[0].table
    if not any(has_primary_key_of(each, item) for each in requested) or is_guard_item(table, item, item):
        return True
    return any(has_primary_key_of(each, item) for each in possible_entities(table, item))


def foreign_item_error(requested: Sequence[Declaration[Any]], item: WireItem) -> ItemUnreadable:
    """The error for an item with a key of these entities and the discriminator of another one.

    Read as one of them and written again, it would lose the attributes that they do not know.
    """
    table = requested[0].table
    tag = discriminator_value(table, item)
    known = sorted(
        other
        for each in requested
        for other, kind in entities_sharing_key(each).items()
        if kind.is_subclass_of(each)
    )
    expected = " or ".join(map(quote, known))
    says = "the item has no discriminator" if tag is None else f"the item has {quote(tag)}"
    return unreadable_item(
        requested[0], item, None, {table.discriminator or "item": f"{says}, expected is {expected}"}
    )
