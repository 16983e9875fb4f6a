"""Reads what a write depends on: some fields of the item as it is stored now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pksk.errors import PkskError
from pksk.expressions import Path, Placeholders, Projection, render
from pksk.model.writes.facts import write_facts
from pksk.store.reads.unreadable import unreadable
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps
from pksk.values import from_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core
    from pksk.store.writes.marks import Marks
    from pksk.values import Wire, WireItem

__all__ = ["check_readable", "field_values", "read_before"]


def read_before(
    core: Core, declaration: Declaration[Any], key: WireItem, fields: Iterable[str] | None, about: Any
) -> Steps[WireItem | None]:
    """The item under a key as of this moment, or None: these fields of it, its key, what it says to be, and its end.

    Without `fields`, all of it.
    """
    request: dict[str, Any] = {"TableName": declaration.table.name, "Key": key, "ConsistentRead": True}
    if fields is not None:
        table = declaration.table
        beside = (name for name in (table.discriminator, table.ttl) if name is not None)
        names = dict.fromkeys((*table.key_attributes, *map(declaration.attribute, fields), *beside))
        placeholders = Placeholders()
        text = render(Projection(tuple(Path((name,)) for name in names)), placeholders).text
        request |= {"ProjectionExpression": text, **placeholders.request()}
    item: WireItem | None = (yield from send(core, "GetItem", request, about)).get("Item")
    return item


def field_values(marks: Marks, item: Mapping[str, Any], fields: Iterable[str]) -> dict[str, Any]:
    """Fields of an item as Python values; None where it does not hold one.

    What others have stored may not fit: such a value is given as it is stored, and an end of time as none, as reads
    take it.
    """
    wires = {name: item.get(marks.attribute(name)) for name in fields}
    return {name: None if wire is None else _value(marks, name, wire) for name, wire in wires.items()}


def _value(marks: Marks, name: str, wire: Wire) -> Any:
    try:
        return write_facts(marks.declaration).values.read(name, wire)
    except PkskError:
        return None if name == marks.expiry else from_wire(wire)


def check_readable(declaration: Declaration[Any], item: WireItem, fields: Iterable[str]) -> None:
    """Raise `ItemUnreadable` where a field of an item does not fit its entity."""
    read, found = write_facts(declaration).values.read, {}
    for name in fields:
        wire = item.get(declaration.attribute(name))
        try:
            if wire is not None:
                read(name, wire)
        except PkskError as error:
            found[name] = error.problem
    if found:
        made = unreadable(declaration, item, None, found)
        made.fix = "put the item anew, delete it, or let the model accept it."
        raise made
