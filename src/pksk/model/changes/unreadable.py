"""The error for an item that does not fit the entity that it is of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from pksk.errors import ItemUnreadable, PkskError, quote

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.values import WireItem

__all__ = ["key_text", "read_item", "unreadable"]


def read_item(declaration: Declaration[Any], key: WireItem, item: WireItem) -> Any:
    """The entity that an item holds, or an error that says which item it is and which fields do not fit.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> read_item(Order.__pksk__, {"pk": {"S": "ORDER#7"}}, {"id": {"S": "7"}})
        Order(id='7')
    """
    try:
        return declaration.from_item(item)
    except PkskError as error:
        raise unreadable(declaration, key, item, error) from error


def unreadable(
    declaration: Declaration[Any], key: WireItem, item: WireItem, error: PkskError
) -> ItemUnreadable:
    """The error for an item that an entity could not be read from, made of what was said of it.

    Example:
        >>> from pksk import Entity, InvalidValue, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> wrong = InvalidValue("value-wire-type", "id: 'X' is no type.")
        >>> print(unreadable(Order.__pksk__, {"pk": {"S": "ORDER#7"}}, {"id": {"X": "7"}}, wrong).problem)
        Table 'orders': the item with pk='ORDER#7' is no Order. id: 'X' is no type.
    """
    made = ItemUnreadable(
        "item-unreadable",
        f"{declaration.table}: the item with {key_text(key)} is no {declaration.name}. {error.problem}",
        expected=error.expected,
        fix=error.fix,
    )
    made.key, made.item, made.fields = key, item, _fields(error)
    return made


def key_text(key: WireItem) -> str:
    """A key in words for a message.

    Example:
        >>> key_text({"pk": {"S": "ORDER#7"}, "n": {"N": "5"}})
        "pk='ORDER#7', n='5'"
    """
    return ", ".join(f"{name}={quote(next(iter(value.values()), ''))}" for name, value in key.items())


def _fields(error: PkskError) -> dict[str, str]:
    """What is wrong with each field, by name, where Pydantic has found it."""
    cause = error.__cause__
    if not isinstance(cause, ValidationError):
        return {}
    found: dict[str, str] = {}
    for each in cause.errors(include_url=False, include_context=False, include_input=False):
        found.setdefault(".".join(map(str, each["loc"])) or "item", each["msg"])
    return found
