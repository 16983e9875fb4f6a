"""The error for an item that does not fit its entity: its key, and what is wrong with each field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from pksk.errors import ItemUnreadable, PkskError, quote

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.values import WireItem


def unreadable_item(
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
        >>> print(unreadable_item(Order.__pksk__, item, None, {"id": "Field required"}).problem)
        The item pk = 'ORDER#7', sk = 'META' of table 'orders' does not fit Order:
          id: Field required
    """
    if key is None:
        key = {name: item[name] for name in declaration.table.key_attributes if name in item}
    fields = field_problems(error) if found is None else dict(found)
    shown = ", ".join(f"{name} = {quote(next(iter(wire.values()), ''))}" for name, wire in key.items())
    lines = "".join(f"\n  {name}: {what}" for name, what in fields.items())
    made = ItemUnreadable(
        "item-unreadable",
        f"The item {shown} of table {declaration.table.name!r} does not fit {declaration.name}:"
        + (lines or f"\n  {error.problem if error else ''}"),
        fix="correct the item, let the model accept it, or collect such items: unreadable=[].",
    )
    made.key, made.fields, made.item = key, fields, item
    return made


def field_problems(error: PkskError | None) -> dict[str, str]:
    """What an error says of each field, by name, where Pydantic has found it.

    Example:
        >>> field_problems(PkskError("item-unreadable_item", "The item holds no map."))
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
        raise unreadable_item(declaration, item, error, key=key) from error


def key_text(key: WireItem) -> str:
    """A key in words for a message.

    Example:
        >>> key_text({"pk": {"S": "ORDER#7"}, "n": {"N": "5"}})
        "pk='ORDER#7', n='5'"
    """
    return ", ".join(f"{name}={quote(next(iter(value.values()), ''))}" for name, value in key.items())
