"""Estimates of writes: the table by the size of the item, each index by what becomes of its entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.capacity import write_units
from pksk.model.cost.tally import Tally
from pksk.model.markers import Reference, Unique

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

__all__ = ["estimate_check", "estimate_delete", "estimate_put", "estimate_update"]


def estimate_put(put: Any, tally: Tally, transactional: bool) -> None:
    """A new item: it enters every index that it has a key in, and every marker has its price."""
    declaration = put.entity.__pksk__
    guards = _guards(declaration, tally)
    _write(declaration, tally, transactional or guards, dict.fromkeys(_indexes(declaration), 1))
    if _indexes(declaration):
        tally.assumptions.append(f"a new {declaration.name}, in every index that it can be in")


def estimate_delete(delete: Any, tally: Tally, transactional: bool) -> None:
    """An item that is there: it leaves every index."""
    declaration = delete.entity.__pksk__
    _write(declaration, tally, transactional, dict.fromkeys(_indexes(declaration), 1))
    if _indexes(declaration):
        tally.assumptions.append(f"a {declaration.name} that is in every index that it can be in")


def estimate_update(update: Any, tally: Tally, transactional: bool) -> None:
    """An item that is there: an index is written where its keys or what it projects change."""
    declaration: Declaration[Any] = update.entity.__pksk__
    moved = {declaration.keys[name].index for name in update.touched_keys}
    changed = {declaration.attribute(name) for name in update.touched_fields}
    times: dict[str, int] = {}
    for name in _indexes(declaration):
        index = declaration.table.index(name)
        if name in moved:
            times[name] = 2
            tally.assumptions.append(f"the entry in {name!r} moves: one write to remove it and one to add it")
        elif any(index.projects(attribute) for attribute in changed):
            times[name] = 1
    _write(declaration, tally, transactional, times)
    if update.needs:
        _read_before(declaration, tally)


def _read_before(declaration: Declaration[Any], tally: Tally) -> None:
    from pksk.capacity import read_units

    size = tally.sizes(declaration).item
    if size is not None:
        tally.charge(declaration.table.name, read=read_units(size, consistent=True))
        tally.assumptions.append(
            "the item is read before, since an index key needs fields that are not given"
        )


def estimate_check(check: Any, tally: Tally) -> None:
    """A condition on an item that is not written: charged as a write of a transaction."""
    declaration = check.entity.__pksk__
    size = tally.sizes(declaration).item
    if size is not None:
        tally.charge(declaration.table.name, write=write_units(size, transactional=True))


def _write(declaration: Declaration[Any], tally: Tally, transactional: bool, times: dict[str, int]) -> None:
    sizes = tally.sizes(declaration)
    if sizes.item is None:
        return
    table = declaration.table
    tally.charge(table.name, write=write_units(sizes.item, transactional=transactional))
    for name, count in times.items():
        entry = sizes.entry(table.index(name))
        tally.charge(table.name, name, write=count * write_units(entry or 0))


def _indexes(declaration: Declaration[Any]) -> list[str]:
    """The indexes that an item of the entity can be in, by name."""
    return [key.index for key in declaration.keys.values() if key.index is not None]


def _guards(declaration: Declaration[Any], tally: Tally) -> bool:
    """The further items of the transaction that unique fields and references ask for."""
    unique = [name for name, _ in declaration.marked(Unique)]
    references = [
        name
        for name, _ in declaration.marked(Reference)
        if declaration.reference(name).declaration.entity not in tally.checked
    ]
    for name in unique:
        tally.charge(declaration.table.name, write=write_units(0, transactional=True))
        tally.assumptions.append(f"{declaration.name}.{name} is unique: one more item, in a transaction")
    for name in references:
        other = declaration.reference(name).declaration
        size = tally.sizes(other).item or 0
        tally.charge(other.table.name, write=write_units(size, transactional=True))
        tally.assumptions.append(f"{declaration.name}.{name} is a reference: a check, in a transaction")
    return bool(unique or references)
