"""What a move of an item to another key costs."""

from __future__ import annotations

from typing import Final

from pksk.capacity import write_units
from pksk.model.cost.item_sizes import indexes_of
from pksk.model.cost.marker_bill import EstimatedChange, charge_markers
from pksk.model.cost.request_cost import RequestCost
from pksk.model.cost.tally import EntryWrite, Tally
from pksk.model.requests.move import Move
from pksk.model.requests.update_cost import changes_key, entry_write_count


def _estimate(move: Move, tally: Tally, _: bool) -> None:
    """An item that is read, stored under its new key and deleted under its old one; every index entry goes along."""
    declaration, changed = move.declaration, move.changed
    elsewhere = changes_key(declaration, declaration.primary, changed)
    change = EstimatedChange("move", declaration, changed=changed, moves=elsewhere)
    guarded = charge_markers(change, tally)
    tally.read_item(declaration, "the item is read before, and written if it is still the same")
    stamps = {name for name, marker in change.marked if marker.changes_always}
    writes = [
        EntryWrite(index, 2 if elsewhere else entry_write_count(declaration, index, changed, stamps))
        for index in indexes_of(declaration)
    ]
    tally.write_item(declaration, [each for each in writes if each.times], transactional=elsewhere or guarded)
    size = tally.sizes(declaration).item
    if elsewhere and size is not None:
        tally.charge(declaration.table, write=write_units(size, transactional=True))
        tally.assumptions.append("two writes of a transaction: under the new key, and under the old one")
    if writes:
        tally.assumptions.append(f"the {declaration.name} is in every index that it can be in")


MOVE_COST: Final = RequestCost(_estimate)
