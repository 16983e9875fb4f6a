"""One write of one item for the markers of its entity: what they need, expect and add."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pksk.dataclass import dataclass, field, replace
from pksk.errors import DesignError
from pksk.expressions import Condition
from pksk.model.declaration import Declaration
from pksk.model.fields.facts import field_facts
from pksk.model.item_key import render_item_key, wire_key
from pksk.model.markers import MARKERS, TTL, MarkedField, Marker
from pksk.model.markers.ttl import expiry_seconds
from pksk.model.storing.entity_values import key_value
from pksk.model.write_rules.prepared_write import Expectation, FailureReason, ItemAction, expectation_request
from pksk.model.write_rules.stored_states import ItemConditions, WriteKind, state_expectations
from pksk.values import WireItem

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.model.requests.keyed_request import ItemRequest
    from pksk.model.requests.update import Update

    E = TypeVar("E", bound=Entity)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class MarkerRules:
    """The marked fields of an entity in the order of MARKERS, and its siblings, which share its primary key."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.fields = tuple(
            MarkedField(name, marker)
            for kind in MARKERS
            for name, marker in declaration.marked(kind)
            if kind.acts_on_writes
        )
        self.siblings = tuple(
            each
            for each in declaration.table.entities
            if each is not declaration and each.shares_key_with(declaration)
        )
        self.ttl: str | None = next(iter(self.names(TTL)), None)

    def names(self, kind: type[Marker]) -> tuple[str, ...]:
        """The fields with a marker."""
        return tuple(each.name for each in self.fields if isinstance(each.marker, kind))

    @cached_property
    def is_empty(self) -> bool:
        """Whether a put is a plain put: without markers, and without guard items of what it replaces."""
        return not self.fields and not self.replaces_guarded

    @cached_property
    def store_managed(self) -> tuple[str, ...]:
        """The fields that the store sets."""
        return tuple(each.name for each in self.fields if each.marker.is_store_managed)

    @cached_property
    def detects_changes(self) -> bool:
        """Whether a field shows by itself that an item was written."""
        return any(each.marker.detects_changes for each in self.fields)

    @cached_property
    def tells_writes_apart(self) -> bool:
        """Whether no two writes store the same item, unless a validator rounds the time."""
        own = (each.name for each in self.fields if each.marker.tells_writes_apart)
        return any(
            not self.declaration.fields[name].form.runs_user_code and name not in self._coarse_times
            for name in own
        )

    @cached_property
    def _coarse_times(self) -> dict[str, timedelta]:
        """The times that the store sets and that are stored coarser than the clock, with the step of each."""
        forms = ((name, self.declaration.fields[name].stored_form) for name in self.store_managed)
        steps = (
            (name, form.resolution)
            for name, form in forms
            if form is not None and form.resolution is not None
        )
        return {name: step for name, step in steps if step > timedelta(microseconds=1)}

    def _clock_time(self, name: str, now: datetime) -> datetime:
        step = self._coarse_times.get(name) if self._coarse_times else None
        return now if step is None else now - (now - _EPOCH) % step

    @cached_property
    def replaces_guarded(self) -> bool:
        """Whether an item under the key, of this entity or a sibling, may have guard items."""
        return self._has_guards(self.declaration, *self.siblings)

    @cached_property
    def deletes_guarded(self) -> bool:
        """Whether an item of the entity, or of a subclass, may have guard items."""
        return self._has_guards(self.declaration, *self._subclasses)

    @cached_property
    def can_expire(self) -> bool:
        """Whether items that are read as the entity can expire: its own, or those of a subclass."""
        return any(each.marked(TTL) for each in (self.declaration, *self._subclasses))

    @cached_property
    def anything_can_expire(self) -> bool:
        """Whether anything under the key can expire."""
        return any(each.marked(TTL) for each in (self.declaration, *self.siblings))

    @cached_property
    def expiring_siblings(self) -> tuple[str, ...]:
        """The discriminators of siblings that can expire and are not subclasses."""
        others = (each for each in self.siblings if not each.is_subclass_of(self.declaration))
        return tuple(each.tag for each in others if marker_rules(each).can_expire)

    @cached_property
    def _subclasses(self) -> tuple[Declaration, ...]:
        return tuple(each for each in self.siblings if each.is_subclass_of(self.declaration))

    @staticmethod
    def _has_guards(*declarations: Declaration) -> bool:
        guarding = [kind for kind in MARKERS if kind.has_guards]
        return any(each.marked(kind) for each in declarations for kind in guarding)

    def has_same_markers(self, other: MarkerRules) -> bool:
        """Whether both entities have the same markers on the same fields."""
        mine, theirs = (
            {(type(marker), marker.own_fields(name)) for name, marker in rules.fields}
            for rules in (self, other)
        )
        return mine == theirs

    @cached_property
    def fields_before(self) -> tuple[str, ...]:
        """The fields of a stored item that markers need when it is replaced or deleted."""
        return self._fields(each.marker.fields_before(each.name, self) for each in self.fields)

    def values(self, entity: Entity) -> dict[str, Any]:
        """The values of an entity that markers need."""
        after = self._fields(each.marker.fields_after(each.name, self) for each in self.fields)
        return {
            name: key_value(self.declaration, entity, name)
            for name in dict.fromkeys((*self.fields_before, *after))
        }

    @staticmethod
    def _fields(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for names in groups for name in names))

    # Loops over the markers

    def stamp(self, entity: E, now: datetime) -> E:
        """The entity with the fields that the store sets."""
        values: dict[str, Any] = {}
        # The validators of the field may change the time.
        validated = field_facts(self.declaration).values.validated
        for name, marker in self.fields:
            time = self._clock_time(name, now)
            values.update(marker.stamp(name, getattr(entity, name), time, validated))
        return entity.model_copy(update=values) if values else entity

    def stamp_update(self, update: Update, now: datetime) -> Update:
        """The update with the fields that the store sets; rejects one that changes them itself."""
        for name in self.store_managed:
            if name in update.changed_fields:
                raise DesignError(
                    "store-managed-field",
                    f"{update.declaration.name}.{name} is changed by an update, and the store sets it.",
                    fix=f"leave {name!r} out; to compare it, write .when(F.{name} == ...).",
                )
        for name, marker in self.fields:
            update = marker.stamp_update(name, update, self._clock_time(name, now))
        return update

    def expected(self, entity: Entity) -> dict[str, Any]:
        """What the caller has read of the fields that the store sets."""
        return {name: getattr(entity, name) for name in self.store_managed}

    def update_fields(self, change: ItemChange) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The fields whose values before, and after, markers need if these fields change."""
        concerned = [each for each in self.fields if each.marker.is_concerned(each.name, change)]
        if not concerned:
            return (), ()
        return (
            self._fields(each.marker.fields_before(each.name, self) for each in concerned),
            self._fields(each.marker.fields_after(each.name, self) for each in concerned),
        )

    def expectations(self, change: ItemChange) -> Iterator[Expectation]:
        """What markers expect of the stored item."""
        for name, marker in self.fields:
            yield from marker.expectations(name, change)

    def batch_problem(self, change: ItemChange) -> str:
        """Why a batch cannot honour the markers; empty if it can."""
        problems = (each.marker.batch_problem(each.name, change) for each in self.fields)
        return next((text for text in problems if text), "")

    def request_differences(self, kind: str) -> Iterator[str]:
        """What makes two requests of the same write differ."""
        for name, marker in self.fields:
            text = marker.request_difference(name, f"{self.declaration.name}.{name}", kind)
            if text:
                yield text


def marker_actions(change: ItemChange) -> tuple[ItemAction, ...]:
    """What markers do to other items: first for the state before, then for the state after.

    The guards of an expired item have expired with it, and other items may have them.
    """
    before, after = change.before, change.after
    if before is not None and before.is_expired(change.now):
        change = replace(change, before=None)
    actions: list[ItemAction] = []
    if change.before is not None:
        for name, marker in change.before.rules.fields:
            if marker.is_concerned(name, change):
                actions += marker.release(name, change)
    if after is not None:
        for name, marker in after.rules.fields:
            if marker.is_concerned(name, change):
                actions += marker.acquire(name, change)
    return tuple(actions)


def marker_rules(declaration: Declaration) -> MarkerRules:
    """The rules of an entity, cached until a further entity is declared: a put takes 15 to 30 % less."""
    return declaration.once(("markers", declaration.table.entity_count), lambda: MarkerRules(declaration))


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
    write: ItemRequest | None = None
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
        self, other: Declaration, key: WireItem, marked: MarkedField, subject: object
    ) -> ItemAction:
        """A check that an item of an entity exists and has not expired."""
        conditions = ItemConditions(marker_rules(other), self.now)
        expectations = tuple(state_expectations("reference", conditions, marked))
        request = {"TableName": other.table.name, "Key": key, **expectation_request(expectations)}
        return ItemAction("ConditionCheck", request, expectations, subject)

    def key_of(self, other: Declaration, parts: Mapping[str, Any]) -> WireItem:
        """The key of an item of another entity."""
        return wire_key(render_item_key(other, other.primary.name, parts, "check"))
