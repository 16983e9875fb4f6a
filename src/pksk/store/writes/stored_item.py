"""A stored item with what a refresh writes: the attributes that differ, and the guard items that it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from pksk.errors import DesignError, ExpressionError, quote
from pksk.expressions import Condition, Placeholders, render
from pksk.expressions import update as update_tree
from pksk.model import Entity
from pksk.model.declaration import Declaration
from pksk.model.markers.guard_items import guard_owner
from pksk.model.markers.marker import key_in_words
from pksk.model.markers.unique import GuardedValue, guard_key
from pksk.model.requests.keyed_request import Refresh
from pksk.model.write_rules.prepared_write import (
    Expectation,
    ItemAction,
    PreparedWrite,
    expectation_request,
    first_failed,
)
from pksk.model.write_rules.rules import ItemChange, ItemState, marker_rules
from pksk.model.writes.refreshed_item import RefreshedItem, RefreshOptions, refreshed_item
from pksk.model.writes.write_conditions import existence_condition, join_conditions, same_value_conditions
from pksk.store.writes.read_current import CurrentItem, same_discriminator, whole_item_unchanged
from pksk.values import WireItem


class StoredGuard(NamedTuple):
    """A guard item as it was read, and the other item that it names."""

    item: WireItem | None
    owner: CurrentItem | None = None


class Duplicate:
    """Two items with the same unique value: `owner` has the guard item, and the item under `key` has none."""

    def __init__(self, stored: StoredItem, value: GuardedValue, owner: WireItem | None) -> None:
        self.entity, self.key, self.owner = stored.declaration.entity, stored.key, owner
        self.field, self.value, self.within = value.field, value.value, dict(value.within)

    def __repr__(self) -> str:
        values = ", ".join(
            f"{name}={quote(value)}" for name, value in (self.within | {self.field: self.value}).items()
        )
        owner = key_in_words(self.owner) if self.owner else "another item"
        return f"{self.entity.__name__}({values}): {key_in_words(self.key)}, already used by {owner}"


class StoredItem:
    """An item as it was read, and its entity; `entity` may be that of another discriminator value."""

    def __init__(self, entity: Entity, item: WireItem, options: RefreshOptions, now: float) -> None:
        self.entity, self.item, self._options, self._now = entity, item, options, now
        self.differing = refreshed_item(entity, item, options)
        self._guards = self._guard_actions()

    @property
    def declaration(self) -> Declaration:
        """The design of the entity."""
        return type(self.entity).__pksk__

    @cached_property
    def key(self) -> WireItem:
        """The key of the item."""
        return self._key_of(self.item)

    @property
    def after(self) -> WireItem:
        """The item with its changes, except those it loses."""
        return {**self.item, **{n: wire for n, wire in self.differing.changes.items() if wire is not None}}

    @property
    def guard_keys(self) -> dict[str, WireItem]:
        """The keys of the guards that the item must have."""
        return {name: self._key_of(action.request["Item"]) for name, action in self._guards.items()}

    def _key_of(self, item: WireItem) -> WireItem:
        return {name: item[name] for name in self.declaration.table.key_attributes}

    def _guard_actions(self, before: ItemState | None = None) -> dict[str, ItemAction]:
        """The actions that write the guards of the item, by field; those of another item become its own."""
        rules = marker_rules(self.declaration)
        after = ItemState(rules, self.key, rules.values(self.entity))
        change = ItemChange("put", rules, self._now, before, after)
        return {
            name: action
            for name, marker in rules.fields
            if marker.has_guards
            for action in marker.acquire(name, change)
        }

    def other_owners(self, guards: Mapping[str, WireItem | None]) -> dict[str, WireItem]:
        """The keys of other items that guards name, by field."""
        table, owners = self.declaration.table, dict[str, WireItem]()
        for name, action in self._guards.items():
            owner = guard_owner(table, guards[name])
            if owner is not None and first_failed(action.expectations, guards[name]) is not None:
                # Guards are in tables with keys of text; another program may have written anything.
                owners |= {name: owner} if _is_key_of_text(table.key_attributes, owner) else {}
        return owners

    def missing_guards(
        self, guards: Mapping[str, StoredGuard]
    ) -> tuple[dict[str, tuple[ItemAction, ...]], list[Duplicate]]:
        """The writes of guards that are missing or differ, by field; and the guards that another item has.

        A guard that names an item without the value, because another program has deleted or changed that item, is taken
        over.
        """
        missing, duplicates = dict[str, tuple[ItemAction, ...]](), list[Duplicate]()
        for name, action in self._guards.items():
            guard = guards[name]
            if guard.item == action.request["Item"]:
                continue
            if first_failed(action.expectations, guard.item) is None:
                missing[name] = (action,)
            elif guard.owner is not None and not self._has_value(guard.owner, name):
                missing[name] = self._guard_transfer(guard.owner, name)
            else:
                duplicates.append(self.duplicate(name, guard_owner(self.declaration.table, guard.item)))
        return missing, duplicates

    def _has_value(self, owner: CurrentItem, field: str) -> bool:
        """Whether another item has the same value in a unique field."""
        return owner.state is not None and guard_key(owner.state, field) == self.guard_keys[field]

    def _guard_transfer(self, owner: CurrentItem, field: str) -> tuple[ItemAction, ...]:
        """The write of a guard that names another item, and the check that this has not got the value since."""
        before = owner.state or ItemState(owner.rules, owner.key, {})
        unchanged = owner.unchanged
        request = {
            "TableName": self.declaration.table.name,
            "Key": owner.key,
            **expectation_request(unchanged),
        }
        return self._guard_actions(before)[field], ItemAction("ConditionCheck", request, unchanged)

    def duplicate(self, field: str, owner: WireItem | None) -> Duplicate:
        """The report that another item has the value of a unique field."""
        value = self._guards[field].subject
        assert isinstance(value, GuardedValue)
        return Duplicate(self, value, owner)

    def prepared(self, missing: Mapping[str, tuple[ItemAction, ...]]) -> tuple[frozenset[str], PreparedWrite]:
        """The attributes that change, and the write of these and of guards, if what they depend on is unchanged."""
        differing = self.differing
        if missing:
            rules = marker_rules(self.declaration)
            own = (
                each.marker.fields_after(each.name, rules) for each in rules.fields if each.name in missing
            )
            guarded = {name for names in own for name in names}
            differing = refreshed_item(self.entity, self.item, self._options, guarded)
        changed = frozenset(differing.changes)
        others = list[ItemAction]()
        for action in (each for actions in missing.values() for each in actions):
            # Several guards may name the same item.
            if action not in others:
                others.append(action)
        checks = len(others) - len(missing)
        write = Refresh(self.declaration.entity, changed, guards=len(missing), checks=checks)
        return changed, PreparedWrite(write, (self._action(differing),), tuple(others), has_read=True)

    def _action(self, differing: RefreshedItem) -> ItemAction:
        """An update, or a check if only guards are written."""
        conditions = self._unchanged(differing.sources)
        try:
            request = self._request(differing, conditions)
        except ExpressionError:
            self._check_update(differing)
            # Too many fields, for a computed key.
            conditions = whole_item_unchanged(marker_rules(self.declaration), self.item, "refresh")
            request = self._request(differing, conditions)
        expectations = tuple(Expectation("stale_read", each) for each in conditions)
        return ItemAction("Update" if differing.actions else "ConditionCheck", request, expectations)

    def _check_update(self, differing: RefreshedItem) -> None:
        """Reject an update that is too long even without a condition."""
        try:
            if differing.actions:
                render(update_tree(*differing.actions), Placeholders())
        except ExpressionError as error:
            raise DesignError(
                "store-refresh-option",
                f"refresh: {len(differing.changes):,} attributes of the item {key_in_words(self.key)} change at once: "
                f"{error.problem}",
                fix="drop fewer attributes at a time.",
            ) from error

    def _request(self, differing: RefreshedItem, conditions: Sequence[Condition]) -> dict[str, Any]:
        request: dict[str, Any] = {"TableName": self.declaration.table.name, "Key": self.key}
        placeholders, condition = Placeholders(), join_conditions(*conditions)
        assert condition is not None
        if differing.actions:
            request["UpdateExpression"] = render(update_tree(*differing.actions), placeholders).text
        request["ConditionExpression"] = render(condition, placeholders).text
        return request | placeholders.request()

    def _unchanged(self, sources: Iterable[str]) -> list[Condition]:
        """The item still exists, is of the same entity, and has the same values in these fields."""
        declaration, item = self.declaration, self.item
        attributes = {name: declaration.attribute(name) for name in sorted(sources)}
        keys = declaration.table.key_attributes
        wires = {name: item.get(each) for name, each in attributes.items() if each not in keys}
        return [
            existence_condition(declaration.table),
            *same_discriminator(declaration, item),
            *same_value_conditions(declaration, wires),
        ]


def _is_key_of_text(names: Sequence[str], key: WireItem) -> bool:
    return key.keys() == set(names) and all(wire.get("S") for wire in key.values())
