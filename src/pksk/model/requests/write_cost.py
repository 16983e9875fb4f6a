"""Estimates writes: the table by the size of the item, each index by what happens to its entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.capacity import read_units, write_units
from pksk.limits import VECTOR_REQUEST_BYTES
from pksk.model.cost.item_sizes import indexes_of
from pksk.model.cost.marker_costs import (
    delete_guards,
    guards_that_change,
    move_guards,
    put_guards,
    unknown_references,
    update_guards,
)
from pksk.model.cost.tally import Tally, VectorWrite
from pksk.model.markers import Updated, Version
from pksk.model.requests.update_cost import EntryWrite, changes_key, entry_write_count, entry_writes

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

__all__ = ["estimate_check", "estimate_delete", "estimate_move", "estimate_put", "estimate_update"]


def estimate_put(put: Any, tally: Tally, transactional: bool) -> None:
    """A new item: it enters every index that it can be in, and every marker has its price."""
    declaration = put.entity.__pksk__
    guarded = put_guards(put, tally)
    entered = [EntryWrite(index, 1) for index in indexes_of(declaration)]
    _write(declaration, tally, transactional or guarded, entered)
    if entered:
        tally.assumptions.append(f"a new {declaration.name}, in every index that it can be in")


def estimate_delete(delete: Any, tally: Tally, transactional: bool) -> None:
    """An item that is there: it leaves every index."""
    declaration = delete.entity.__pksk__
    guarded = delete_guards(delete, tally)
    if guarded:
        _read(declaration, tally, "the item is read before, since its guards go with it")
    left = [EntryWrite(index, 1) for index in indexes_of(declaration)]
    _write(declaration, tally, transactional or guarded, left)
    if left:
        tally.assumptions.append(f"the {declaration.name} is in every index that it can be in")


def estimate_update(update: Any, tally: Tally, transactional: bool) -> None:
    """An item that is there: an index is written where its keys or what it projects change."""
    declaration = update.entity.__pksk__
    guarded = update_guards(update, tally)
    writes = entry_writes(update)
    tally.assumptions += [each.reason for each in writes if each.reason]
    _write(declaration, tally, transactional or guarded, writes)
    if update.needs:
        _read(
            declaration, tally, "the item is read before, since an index key needs fields that are not given"
        )
    elif guards_that_change(declaration, update.image.changed):
        _read(declaration, tally, "the item is read before, for the guard of its old value")
    elif unknown_references(update):
        _read(
            declaration, tally, "the item is read before, since a reference needs fields that are not given"
        )
    if guarded and not transactional:
        _read(
            declaration,
            tally,
            "the item is read afterwards, since a transaction does not tell what it made of it",
        )


def estimate_move(move: Any, tally: Tally, _: bool) -> None:
    """An item that is read, stored under its new key and deleted under its old one; every index entry goes along."""
    declaration, changed = move.declaration, move.changed
    elsewhere = changes_key(declaration, declaration.primary, changed)
    guarded = move_guards(declaration, changed, tally, elsewhere=elsewhere)
    _read(declaration, tally, "the item is read before, and written if it is still the same")
    stamps = {name for marker in (Version, Updated) for name, _ in declaration.marked(marker)}
    writes = [
        EntryWrite(index, 2 if elsewhere else entry_write_count(declaration, index, changed, stamps))
        for index in indexes_of(declaration)
    ]
    _write(declaration, tally, elsewhere or guarded, [each for each in writes if each.times])
    size = tally.sizes(declaration).item
    if elsewhere and size is not None:
        tally.charge(declaration.table, write=write_units(size, transactional=True))
        tally.assumptions.append("two writes of a transaction: under the new key, and under the old one")
    if writes:
        tally.assumptions.append(f"the {declaration.name} is in every index that it can be in")


def _read(declaration: Declaration[Any], tally: Tally, why: str) -> None:
    size = tally.sizes(declaration).item
    tally.touch(declaration.table, None, "read")
    if size is not None:
        tally.charge(declaration.table, read=read_units(size, consistent=True))
        tally.assumptions.append(why)


def estimate_check(check: Any, tally: Tally) -> None:
    """A condition on an item that is not written: charged as a write of a transaction."""
    declaration = check.entity.__pksk__
    size = tally.sizes(declaration).item
    tally.touch(declaration.table, None, "write")
    if size is not None:
        tally.charge(declaration.table, write=write_units(size, transactional=True))


def _write(
    declaration: Declaration[Any], tally: Tally, transactional: bool, entries: list[EntryWrite]
) -> None:
    sizes, table = tally.sizes(declaration), declaration.table
    for index in (None, *(each.index.name for each in entries)):
        tally.touch(table, index, "write")
    if sizes.item is None:
        return
    tally.charge(table, write=write_units(sizes.item, transactional=transactional))
    for each in entries:
        size = tally.entry(sizes, each.index) or 0
        if each.index.kind == "vector":
            written = max(VECTOR_REQUEST_BYTES, size)
            tally.vectors.append(VectorWrite(table.name, str(each.index.name), written))
        else:
            tally.charge(table, each.index.name, write=each.times * write_units(size))
