"""One write of one item for the markers of its entity: its states before and after, and what markers add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from pksk.dataclass import dataclass
from pksk.model.item_key import render_item_key
from pksk.model.markers.ttl import expiry_seconds
from pksk.model.writes.marker_rules import MarkerRules, marker_rules
from pksk.model.writes.prepared_write import (
    Expectation,
    ItemAction,
    expectation_request,
    key_in_words,
    wire_key,
)
from pksk.model.writes.stored_states import ItemConditions, WriteKind, state_expectations, user_expectations

if TYPE_CHECKING:
    from pksk.expressions import Condition
    from pksk.model.declaration import Declaration
    from pksk.model.markers import MarkedField
    from pksk.model.writes.prepared_write import FailureReason
    from pksk.values import WireItem


@dataclass(frozen=True)
class ItemState:
    """An item before or after a write: its key, and the values of the fields that markers need.

    `is_stored` means that the values were read from the table.
    """

    rules: MarkerRules
    key: WireItem
    values: Mapping[str, Any]
    is_stored: bool = False

    @property
    def expires_at(self) -> int | None:
        """The second at which the item expires."""
        name = self.rules.ttl
        seconds: int | None = None if name is None else expiry_seconds(self.values.get(name), name)
        return seconds

    def is_expired(self, now: float) -> bool:
        """Whether the item has expired."""
        expires_at = self.expires_at
        return expires_at is not None and expires_at <= int(now)


@dataclass(frozen=True)
class ItemChange:
    """A write of an item.

    `rules` are those of the entity that is written. `changed` are the fields that change, None for a new item.
    `expected` has values of store-managed fields that the caller has read.
    """

    kind: WriteKind
    rules: MarkerRules
    now: float
    before: ItemState | None = None
    after: ItemState | None = None
    changed: frozenset[str] | None = None
    expected: Mapping[str, Any] = field(default_factory=dict)
    write: Any = None
    label: str = ""

    @cached_property
    def conditions(self) -> ItemConditions:
        """Makes conditions on the stored item."""
        return ItemConditions(self.rules, self.now)

    @property
    def moves(self) -> bool:
        """Whether the item gets another key."""
        return self.kind == "move" and (self.before and self.before.key) != (self.after and self.after.key)

    def action(
        self,
        action: Literal["Put", "Delete"],
        content: Mapping[str, Any],
        reason: FailureReason,
        condition: Condition,
        marked: MarkedField,
        subject: object,
    ) -> ItemAction:
        """An action on another item of the table, on a condition."""
        expectations = (Expectation(reason, condition, marked=marked),)
        table = self.rules.declaration.table.name
        request = {"TableName": table, **content, **expectation_request(expectations)}
        return ItemAction(action, request, expectations, subject)

    def check_reference(
        self, other: Declaration[Any], key: WireItem, marked: MarkedField, subject: object
    ) -> ItemAction:
        """A check that an item of an entity exists and has not expired."""
        conditions = ItemConditions(marker_rules(other), self.now)
        expectations = tuple(state_expectations("reference", conditions, marked))
        request = {"TableName": other.table.name, "Key": key, **expectation_request(expectations)}
        return ItemAction("ConditionCheck", request, expectations, subject)

    def key_of(self, other: Declaration[Any], parts: Mapping[str, Any]) -> WireItem:
        """The key of an item of another entity."""
        return wire_key(render_item_key(other, other.primary.name, parts, "check"))

    def key_in_words(self, key: Mapping[str, Any]) -> str:
        """A key for a message."""
        return key_in_words(key)


def write_expectations(change: ItemChange, condition: Condition | None) -> tuple[Expectation, ...]:
    """What a write expects of the stored item: of its state, then what the user expects, then what markers expect."""
    return (
        *state_expectations(change.kind, change.conditions),
        *user_expectations(change.kind, condition, change.conditions),
        *change.rules.expectations(change),
    )
