"""What the markers of an entity add to the cost of a write."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Set
from typing import TYPE_CHECKING, Any, Literal

from pksk.capacity import read_units, write_units
from pksk.dataclass import dataclass, field
from pksk.errors import PkskError
from pksk.model.cost.tally import Tally
from pksk.model.declaration import Declaration
from pksk.model.item_key import render_item_key
from pksk.model.markers import TTL, MarkedField
from pksk.model.write_rules.rules import marker_rules
from pksk.values import WireItem

if TYPE_CHECKING:
    from pksk.model.requests.keyed_request import ItemRequest


@dataclass(frozen=True)
class EstimatedChange:
    """A write as an estimate sees it: the fields that change, and the values that are known afterwards."""

    kind: Literal["put", "create", "update", "delete", "move"]
    declaration: Declaration
    values: Mapping[str, Any] = field(default_factory=dict)
    changed: Set[str] = frozenset()
    moves: bool = False

    @property
    def marked(self) -> list[MarkedField]:
        """The markers of the entity, by kind."""
        return list(marker_rules(self.declaration).fields)

    @property
    def changes_ttl(self) -> bool:
        """Whether the time of expiry changes."""
        return any(name in self.changed for name, _ in self.declaration.marked(TTL))


def charge_markers(change: EstimatedChange, tally: Tally) -> bool:
    """Charge what the markers of the entity cost; whether they make a transaction of the write."""
    bill = MarkerBill(change, tally)
    for name, marker in change.marked:
        marker.charge(name, change, bill)
    return bill.is_transaction


def marker_notes(declaration: Declaration, kind: str, written: Container[str]) -> Iterator[str]:
    """The markers for which a write of these fields takes further items."""
    for name, marker in marker_rules(declaration).fields:
        is_written = any(each in written for each in marker.own_fields(name))
        text = marker.note(f"{declaration.name}.{name}", kind) if is_written else ""
        if text:
            yield text


def marker_read_reason(change: EstimatedChange) -> str:
    """Why markers read the stored item before the write; empty if they do not."""
    reasons = (marker.read_reason(name, change) for name, marker in change.marked)
    return next((each for each in reasons if each), "")


class MarkerBill:
    """Adds to an estimate what the markers of one write cost."""

    def __init__(self, change: EstimatedChange, tally: Tally) -> None:
        self.change, self.tally, self.is_transaction = change, tally, False
        self.table, self.name = change.declaration.table, change.declaration.name
        # A write that is not a member of a transaction has one of its own.
        self._checked = tally.checked if tally.members else []
        self._is_read = False

    def write_guard(self, name: str, what: str) -> None:
        """Charge a write of a guard item."""
        self.is_transaction = True
        self.tally.charge_other_item(self.table, write_units(0, transactional=True))
        self.tally.assumptions.append(f"{self.name}.{name} is unique: {what}, in a transaction")

    def read_before_put(self) -> None:
        """Charge, once, the read of what a put replaces."""
        if self._is_read:
            return
        self._is_read = True
        self.tally.touch(self.table, None, "read")
        self.tally.charge(self.table, read=read_units(0, consistent=True))
        self.tally.assumptions.append(f"what is stored is read before, for guards of {self.name}: nothing")

    def check_reference(self, name: str) -> None:
        """Charge a check of the item that a field refers to, unless the transaction has it."""
        self.is_transaction = True
        other, key = self.change.declaration.reference(name).declaration, self._referenced_key(name)
        if self._is_in_transaction(other, key) or (other.table.name, key) in self._checked:
            return
        if key is not None:
            self._checked.append((other.table.name, key))
        size = self.tally.sizes(other, declared=other is self.change.declaration).item
        self.tally.charge_other_item(other.table, write_units(size or 0, transactional=True))
        self.tally.assumptions.append(f"{self.name}.{name} is a reference: a check, in a transaction")

    def _is_in_transaction(self, other: Declaration, key: WireItem | None) -> bool:
        """Whether a member of the transaction checks or writes the item; if the key is not known, one of its entity."""
        members = [each for each in self.tally.members if _keeps_item(each, other)]
        return any(key is None or each.item_key == key for each in members)

    def _referenced_key(self, name: str) -> WireItem | None:
        resolved = self.change.declaration.reference(name)
        other = resolved.declaration
        try:
            parts = {part: self.change.values[each] for part, each in resolved.parts.items()}
            return render_item_key(other, other.primary.name, parts, "check")
        except (KeyError, PkskError):
            return None


def _keeps_item(member: ItemRequest, other: Declaration) -> bool:
    """Whether a member makes sure that an item of the entity exists: it writes or checks it, and does not delete it."""
    if member.action == "Delete" or (
        member.action == "ConditionCheck" and getattr(member, "requires_absence", False)
    ):
        return False
    return member.table_name == other.table.name and issubclass(member.entity, other.entity)
