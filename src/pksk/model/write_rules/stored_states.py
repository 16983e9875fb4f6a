"""The states of a key when a write arrives, and the states that each kind of write accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from pksk.expressions import And, Call, Compare, Condition, Not, Or, Path, Value, evaluate
from pksk.model.markers import MarkedField
from pksk.model.write_rules.prepared_write import Expectation, FailureReason
from pksk.model.writes.write_conditions import existence_condition, shared_key_condition
from pksk.values import Wire

if TYPE_CHECKING:
    from pksk.model.write_rules.rules import ItemChange, MarkerRules


class StoredState(Enum):
    """The state of the key of a write.

    An item is of a sibling if its entity shares the key and is not a subclass. An item has expired if the time in the
    TTL attribute has passed and its entity, or that of the write, has a TTL marker. A time that is NULL, or no number,
    never passes; the second itself counts as passed.
    """

    NOTHING = "nothing"
    EXPIRED = "expired"
    SIBLING = "sibling"
    OWN = "own"


WriteKind: TypeAlias = Literal[
    "put",
    "create",
    "update",
    "upsert",
    "delete",
    "delete existing",
    "check",
    "check absent",
    "move",
    "reference",
]

_NOTHING, _EXPIRED = frozenset({StoredState.NOTHING}), frozenset({StoredState.EXPIRED})
_SIBLING, _LIVE = frozenset({StoredState.SIBLING}), frozenset({StoredState.SIBLING, StoredState.OWN})
_Row: TypeAlias = tuple[tuple[FailureReason, Set[StoredState]], ...]
_MUST_EXIST: _Row = (("absent", _NOTHING), ("absent", _EXPIRED), ("other_entity", _SIBLING))
_MUST_NOT_EXIST: _Row = (("present", _LIVE),)

REJECTED_STATES: Final[Mapping[WriteKind, _Row]] = {
    "put": (),
    "create": _MUST_NOT_EXIST,
    "check absent": _MUST_NOT_EXIST,
    "move": _MUST_NOT_EXIST,  # of the new key
    "update": _MUST_EXIST,
    "delete existing": _MUST_EXIST,
    "check": _MUST_EXIST,
    # An expired item is deleted first, so that the new item does not inherit attributes.
    "upsert": (("expired", _EXPIRED), ("other_entity", _SIBLING)),
    "delete": (("other_entity", _SIBLING),),
    "reference": (("reference", _NOTHING), ("reference", _SIBLING), ("reference", _EXPIRED)),
}


class ItemConditions:
    """Makes conditions on the item that is stored under a key of an entity."""

    def __init__(self, rules: MarkerRules, now: float) -> None:
        self.rules, self.declaration, self.now = rules, rules.declaration, now

    @property
    def present(self) -> Condition:
        """There is an item."""
        return existence_condition(self.declaration.table)

    @property
    def absent(self) -> Condition:
        """There is no item."""
        return existence_condition(self.declaration.table, absent=True)

    @cached_property
    def is_own(self) -> Condition | None:
        """The item is of the entity or a subclass; None if no others share the key."""
        return shared_key_condition(self.declaration)

    @property
    def ttl_passed(self) -> Condition:
        """The time in the TTL attribute has passed; only a number meets it."""
        path = Path((self.declaration.table.ttl or "",))
        return Compare("<=", path, Value({"N": str(int(self.now))}))

    @property
    def own_expired(self) -> Condition | None:
        """The item, which is of the entity or a subclass, has expired; None if it never does."""
        return self.ttl_passed if self.rules.can_expire else None

    @cached_property
    def expired(self) -> Condition | None:
        """The item has expired, whatever its entity; None if no entity with the key expires."""
        if self.rules.can_expire:
            return self.ttl_passed
        tags = self.rules.expiring_siblings
        discriminator = self.declaration.table.discriminator or ""
        siblings = [self.attribute_equals(discriminator, {"S": tag}) for tag in tags]
        return self.all_of(self.ttl_passed, self.any_of(*siblings)) if siblings else None

    def default(self, name: str) -> Any:
        """The default of a field."""
        return self.declaration.fields[name].default

    def equals(self, name: str, wire: Wire) -> Condition:
        """A field has a value."""
        return self.attribute_equals(self.declaration.attribute(name), wire)

    def missing(self, name: str) -> Condition:
        """A field is not stored."""
        return self.attribute_absent(self.declaration.attribute(name))

    def attribute_equals(self, attribute: str, wire: Wire) -> Condition:
        """An attribute has a value."""
        return Compare("=", Path((attribute,)), Value(wire))

    def attribute_absent(self, attribute: str) -> Condition:
        """There is no such attribute."""
        return Call("attribute_not_exists", (Path((attribute,)),))

    def any_of(self, *conditions: Condition | None) -> Condition:
        """One of the conditions holds."""
        distinct = tuple(dict.fromkeys(each for each in conditions if each is not None))
        return distinct[0] if len(distinct) == 1 else Or(distinct)

    def all_of(self, *conditions: Condition) -> Condition:
        """All conditions hold."""
        return And(conditions)

    def none_of(self, condition: Condition) -> Condition:
        """The condition does not hold."""
        return Not(condition)

    def is_equality(self, name: str, condition: Condition) -> bool:
        """Whether a condition compares a field for equality, as `F.version == 3` does."""
        path = Path((self.declaration.attribute(name),))
        return isinstance(condition, Compare) and condition.operator == "=" and condition.left == path

    def number_compared(self, condition: Condition) -> str | None:
        """The number on the right of a comparison, if there is one."""
        right = condition.right if isinstance(condition, Compare) else None
        return right.wire["N"] if isinstance(right, Value) and right.kind == "N" else None

    def expect(
        self,
        reason: FailureReason,
        condition: Condition,
        user_condition: Condition | None,
        marked: MarkedField | None,
    ) -> Expectation:
        """An expectation on the item."""
        return Expectation(reason, condition, user_condition, marked)


def state_expectations(
    kind: WriteKind, conditions: ItemConditions, marked: MarkedField | None = None
) -> Iterator[Expectation]:
    """The expectation of a write on the stored item, without those of markers and user."""
    rejected: Set[StoredState] = frozenset()
    for reason, states in REJECTED_STATES[kind]:
        condition = _not_in(states, rejected, kind, conditions)
        rejected = states if not rejected else rejected | states
        if condition is not None:
            yield Expectation(reason, condition, marked=marked)


def _not_in(
    states: Set[StoredState],
    rejected: Set[StoredState],
    kind: WriteKind,
    conditions: ItemConditions,
) -> Condition | None:
    """The item is in none of the states; None if it never is."""
    if states == _NOTHING:
        return conditions.present
    if states == _EXPIRED:
        is_own = StoredState.SIBLING in rejected
        expired = conditions.own_expired if is_own else conditions.expired
        return None if expired is None else Not(expired)
    if states == _SIBLING and conditions.is_own is None:
        return None
    allowed = set(StoredState).difference(*(each for _, each in REJECTED_STATES[kind]))
    comparisons = {
        StoredState.NOTHING: conditions.absent,
        StoredState.EXPIRED: conditions.expired,
        StoredState.OWN: conditions.is_own,
    }
    return conditions.any_of(*(each for state, each in comparisons.items() if state in allowed))


def write_expectations(change: ItemChange, condition: Condition | None) -> tuple[Expectation, ...]:
    """What a write expects of the stored item: of its state, then what the user expects, then what markers expect."""
    return (
        *state_expectations(change.kind, change.conditions),
        *user_expectations(change.kind, condition, change.conditions),
        *change.rules.expectations(change),
    )


def user_expectations(
    kind: WriteKind, condition: Condition | None, conditions: ItemConditions
) -> Iterator[Expectation]:
    """The parts of the user's condition, as markers need them.

    A put or a delete treats an expired item like a missing one.
    """
    parts = list(_condition_parts(condition, conditions))
    expired = conditions.expired if kind in ("put", "create", "delete", "delete existing") else None
    if expired is None:
        yield from parts
        return
    needs_item = [part for part in parts if not evaluate(part.condition, {})]
    if needs_item:
        first = needs_item[0]
        yield Expectation("expired_for_condition", Not(expired), first.condition_for_message, first.marked)
    for part in parts:
        allowed = part.condition if part in needs_item else Or((expired, part.condition))
        yield Expectation("user_condition", allowed, part.condition_for_message, part.marked)


def _condition_parts(condition: Condition | None, conditions: ItemConditions) -> Iterator[Expectation]:
    if condition is None:
        return
    for part in condition.conditions if isinstance(condition, And) else (condition,):
        by_markers = (
            each.marker.user_condition(each.name, part, conditions) for each in conditions.rules.fields
        )
        yield next((each for each in by_markers if each is not None), Expectation("user_condition", part))
