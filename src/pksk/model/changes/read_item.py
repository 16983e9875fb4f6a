"""Reads the images of records as entities, with the error for one that does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.errors import PkskError, quote
from pksk.model.unreadable import unreadable

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.values import WireItem

__all__ = ["key_text", "read_item"]


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
        raise unreadable(declaration, item, error, key=key) from error


def key_text(key: WireItem) -> str:
    """A key in words for a message.

    Example:
        >>> key_text({"pk": {"S": "ORDER#7"}, "n": {"N": "5"}})
        "pk='ORDER#7', n='5'"
    """
    return ", ".join(f"{name}={quote(next(iter(value.values()), ''))}" for name, value in key.items())
