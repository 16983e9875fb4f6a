"""Reads what a write depends on: some fields of the item as it is stored now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pksk.expressions import Path, Placeholders, Projection, render
from pksk.model.writes.facts import write_facts
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["field_values", "read_before"]


def read_before(
    core: Core, declaration: Declaration[Any], key: WireItem, fields: Iterable[str] | None, about: Any
) -> Steps[WireItem | None]:
    """The item under a key as of this moment: these fields of it and its key, or all of it; None without one."""
    request: dict[str, Any] = {"TableName": declaration.table.name, "Key": key, "ConsistentRead": True}
    if fields is not None:
        names = dict.fromkeys((*declaration.table.key_attributes, *map(declaration.attribute, fields)))
        placeholders = Placeholders()
        text = render(Projection(tuple(Path((name,)) for name in names)), placeholders).text
        request |= {"ProjectionExpression": text, **placeholders.request()}
    item: WireItem | None = (yield from send(core, "GetItem", request, about)).get("Item")
    return item


def field_values(
    declaration: Declaration[Any], item: Mapping[str, Any], fields: Iterable[str]
) -> dict[str, Any]:
    """Fields of an item as Python values; None where it does not hold one."""
    read = write_facts(declaration).values.read
    wires = {name: item.get(declaration.attribute(name)) for name in fields}
    return {name: None if wire is None else read(name, wire) for name, wire in wires.items()}
