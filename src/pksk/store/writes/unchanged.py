"""Conditions that an item is still as it was read, in all that it holds, as far as an expression has room for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.errors import DesignError, ExpressionError
from pksk.expressions import Compare, Condition, Path, Value
from pksk.model.writes.conditions import condition_request, present, still
from pksk.model.writes.facts import write_facts
from pksk.store.writes.family import same_kind
from pksk.store.writes.marks import Marks

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.values import WireItem

__all__ = ["unchanged", "unknown"]


def unknown(declaration: Declaration[Any], item: WireItem) -> WireItem:
    """The attributes of an item that its entity does not know: no fields, and none that it writes itself."""
    known = {each.attribute for each in declaration.fields.values() if not each.computed}
    known |= {*declaration.key_attributes, *declaration.table.key_attributes}
    return {
        name: wire
        for name, wire in item.items()
        if name not in known and name != declaration.table.discriminator
    }


def unchanged(marks: Marks, item: WireItem) -> list[Condition]:
    """That an item is there and still as it was read, with what its entity does not know.

    A version alone does not tell: an item that was deleted and made again begins with the same one. Only where all that
    an item holds is too much for an expression, it has to do, with as much else as there is room for.
    """
    found = _in_order(marks, item)
    if marks.version is None and not _fits(found):
        name, count = marks.declaration.name, len(found)
        raise DesignError(
            "store-move-too-wide",
            f"{name}: move: an item with {len(item)} attributes would be compared with what was read, in {count} "
            "conditions.",
            expected="A move loses nothing that others write meanwhile. A condition has at most 300 operators and "
            "4,096 bytes.",
            fix=f"give {name} a version, which tells as much by itself: version: Annotated[int, Version()] = 0.",
        )
    while not _fits(found):
        found = found[: len(found) * 9 // 10]
    return found


def _in_order(marks: Marks, item: WireItem) -> list[Condition]:
    """All that is compared; first what tells most."""
    declaration = marks.declaration
    # Those of the primary key do not change while an item is there.
    keys = declaration.table.key_attributes
    first = [name for name in (marks.version, marks.created, marks.updated) if name is not None]
    fields = dict.fromkeys((*first, *write_facts(declaration).stored))
    wires = {name: item.get(marks.attribute(name)) for name in fields if marks.attribute(name) not in keys}
    others = [Compare("=", Path((name,)), Value(wire)) for name, wire in unknown(declaration, item).items()]
    there = present(declaration.table)
    return [there, *same_kind(declaration, item), *still(declaration, wires), *others]


def _fits(conditions: list[Condition]) -> bool:
    try:
        condition_request(conditions)
    except ExpressionError:
        return False
    return True
