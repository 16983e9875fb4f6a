"""The error for an item that an entity cannot be read from: with its key, and what is wrong with each field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from pksk.errors import ItemUnreadable, PkskError, quote

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.values import WireItem

__all__ = ["told_fields", "unreadable"]


def unreadable(
    declaration: Declaration[Any],
    item: WireItem,
    error: PkskError | None,
    found: Mapping[str, str] | None = None,
    *,
    key: WireItem | None = None,
) -> ItemUnreadable:
    """The error for an item, made of what was said of it, or of what was found in each field.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> item = {"pk": {"S": "ORDER#7"}, "sk": {"S": "META"}}
        >>> print(unreadable(Order.__pksk__, item, None, {"id": "Field required"}).problem)
        The item pk = 'ORDER#7', sk = 'META' of table 'orders' does not fit Order:
          id: Field required
    """
    if key is None:
        key = {name: item[name] for name in declaration.table.key_attributes if name in item}
    fields = told_fields(error) if found is None else dict(found)
    shown = ", ".join(f"{name} = {quote(next(iter(wire.values()), ''))}" for name, wire in key.items())
    lines = "".join(f"\n  {name}: {what}" for name, what in fields.items())
    made = ItemUnreadable(
        "item-unreadable",
        f"The item {shown} of table {declaration.table.name!r} does not fit {declaration.name}:"
        + (lines or f"\n  {error.problem if error else ''}"),
        fix="mend the item, let the model accept it, or collect such items aside: aside=[].",
    )
    made.key, made.fields, made.item = key, fields, item
    return made


def told_fields(error: PkskError | None) -> dict[str, str]:
    """What an error says of each field, by name, where Pydantic has found it.

    Example:
        >>> told_fields(PkskError("item-unreadable", "The item holds no map."))
        {}
    """
    cause = error and error.__cause__
    if not isinstance(cause, ValidationError):
        return {}
    found: dict[str, str] = {}
    for each in cause.errors(include_url=False, include_context=False):
        holds = "" if each["type"] == "missing" else f"; the item holds {quote(each['input'])}"
        found.setdefault(".".join(map(str, each["loc"])) or "item", each["msg"] + holds)
    return found
