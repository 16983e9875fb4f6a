"""Unique: guard items that keep values unique, one for each value, beside the items that hold them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from pksk.dataclass import dataclass
from pksk.errors import DesignError, PkskError
from pksk.expressions import Call, Compare, Condition, Not, Or, Path, Value
from pksk.keys import KeyPair, Template
from pksk.keys.comparison import overlap
from pksk.model.entity_of_item import GUARD_DISCRIMINATOR, GUARD_KEY_PREFIX
from pksk.model.markers import Unique
from pksk.model.markers.marker_rules import MarkerRules, expired_condition
from pksk.model.markers.ttl import expiry_seconds
from pksk.model.writes.prepared_write import Expectation, ItemAction, expectation_request
from pksk.schema import VectorIndex

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.schema import Table
    from pksk.values import WireItem

__all__ = [
    "GuardItems",
    "ItemState",
    "guard_changes",
    "guard_items",
    "guard_owner",
    "leave_foreign_guard",
    "merge_guard_actions",
]

# The attribute that names the item whose value a guard keeps; another one where the table has this for itself.
_OWNER: Final = "owner"
_PREFIX: Final = "pksk:"
_SORT_KEY: Final = "unique"
# The other parts of a guard's key, beside the unique field itself.
_ENTITY: Final = "pksk_entity"
_FIELD: Final = "pksk_field"


@dataclass(frozen=True)
class ItemState:
    """An item before or after a write: of which entity, its key, and the values of fields that guards hold.

    Before, it is as it was `found`, whoever has stored it: what no guard can be made of has none.
    """

    marks: MarkerRules
    key: WireItem
    values: Mapping[str, Any]
    found: bool = False

    @property
    def guards(self) -> dict[str, tuple[str, WireItem]]:
        """The guards of its unique values."""
        if not self.marks.unique:
            return {}
        guards = guard_items(self.marks)
        values = {name: value for name, value in self.values.items() if self._can_be_guarded(guards, name)}
        return guards.of(values)

    def _can_be_guarded(self, guards: GuardItems, name: str) -> bool:
        if not self.found or name not in self.marks.unique or self.values[name] is None:
            return True
        try:
            guards.key(name, self.values[name])
        except PkskError:
            return False
        return True

    @property
    def until(self) -> int | None:
        """The second that it ends with, if it does."""
        return guard_items(self.marks).until(self.values) if self.marks.unique else None

    def is_over(self, now: float) -> bool:
        """Whether its time is over."""
        until = self.until
        return until is not None and until <= int(now)


class GuardItems:
    """The guards of one entity's unique fields."""

    def __init__(self, marks: MarkerRules) -> None:
        self.marks, self.table = marks, marks.declaration.table
        self._owner, *_ = self._owners = _owner_attributes(self.table)
        self._scopes = {name: _uniqueness_scope(marks.declaration, name).tag for name in marks.unique}
        self._templates = {name: self._template(name) for name in marks.unique}

    def key(self, field: str, value: Any) -> WireItem:
        """The key of the guard of a value."""
        values = {_ENTITY: self._scopes[field], _FIELD: field, field: value}
        keys = {self.table.pk: self._templates[field].render(values)}
        if self.table.sk is not None:
            keys[self.table.sk] = _SORT_KEY
        return {name: {"S": text} for name, text in keys.items()}

    def of(self, values: Mapping[str, Any]) -> dict[str, tuple[str, WireItem]]:
        """The guards of an item with these values: the field of each, and its key, by the text of that."""
        given = ((field, values.get(field)) for field in self.marks.unique)
        keys = ((field, self.key(field, value)) for field, value in given if value is not None)
        return {key[self.table.pk]["S"]: (field, key) for field, key in keys}

    def taken(
        self, field: str, key: WireItem, state: ItemState, before: ItemState | None, now: float
    ) -> ItemAction:
        """The guard of a value, taken for an item: where it is free, or that item's before."""
        item = {**key, self._owner: {"M": state.key}}
        if self.table.discriminator:
            item[self.table.discriminator] = {"S": GUARD_DISCRIMINATOR}
        free = [self._absent(), *self._owned_by(state.key)]
        if before:
            free += self._owned_by(before.key)
        if self.marks.ends_under_key:
            # It goes when its item goes, and counts no longer when that does not.
            until = self.until(state.values)
            if until is not None:
                item[self.table.ttl or ""] = {"N": str(until)}
            free.append(expired_condition(self.marks.declaration, now))
        asked = (Expectation("unique", Or(tuple(free))),)
        request = {"TableName": self.table.name, "Item": item, **expectation_request(asked)}
        return ItemAction("Put", request, asked, {"field": field, "value": state.values[field]})

    def given_back(self, field: str, key: WireItem, state: ItemState) -> ItemAction:
        """The guard of a value, given back by an item: where it is that item's, or there is none."""
        asked = (Expectation("guard", Or((self._absent(), *self._owned_by(state.key)))),)
        request = {"TableName": self.table.name, "Key": key, **expectation_request(asked)}
        return ItemAction("Delete", request, asked, {"field": field, "value": state.values[field]})

    def until(self, values: Mapping[str, Any]) -> int | None:
        """The second that an item with these values ends with."""
        name = self.marks.expiry
        seconds: int | None = None if name is None else expiry_seconds(values.get(name), name)
        return seconds

    def _absent(self) -> Condition:
        return Call("attribute_not_exists", (Path((self.table.pk,)),))

    def _owned_by(self, key: WireItem) -> list[Condition]:
        """That a guard is that of an item, one for each name that its owner may be under."""
        return [Compare("=", Path((name,)), Value({"M": key})) for name in self._owners]

    def _template(self, field: str) -> Template:
        declaration = self.marks.declaration
        where = f"{declaration.name}.{field}"
        primary = self.table.primary
        if {part.type for part in (*primary.partition_key, *primary.sort_key)} != {"S"}:
            raise DesignError(
                "store-unique-key",
                f"{where} is unique, and the keys of table {self.table.name!r} are not text.",
                expected="The guard of a value is an item of the same table, whose key is text.",
                fix="declare the key attributes as text, or keep the entity in another table.",
            )
        types = {_ENTITY: str, _FIELD: str, field: declaration.fields[field].annotation}
        text = f"{GUARD_KEY_PREFIX}{{{_ENTITY}}}#{{{_FIELD}}}#{{{field}}}"
        made = Template(text, types, where=where)
        self._check_apart(made, where)
        return made

    def _check_apart(self, guard: Template, where: str) -> None:
        """Refuse guards that an entity of the table could stand on."""
        mine = KeyPair(guard, Template(_SORT_KEY, {}, role="sort") if self.table.sk is not None else None)
        for other in self.table.entities:
            met = overlap(mine, other.primary.pair)
            if met.verdict != "never" and not other.primary.disjoint:
                raise DesignError(
                    "store-unique-key",
                    f"{where} is unique, and the guards of its values can stand under keys of {other.name}.",
                    expected=f"{met}.",
                    fix=f"begin the key of {other.name} with a literal of its own, or say why they never meet: "
                    'disjoint="...".',
                )


def guard_changes(now: float, before: ItemState | None, after: ItemState | None) -> Iterator[ItemAction]:
    """The guards to be taken, given back or handed over, between two states of an item.

    The guards of an item whose time is over have ended with it, and others may have them.
    """
    if before and before.is_over(now):
        before = None
    old, new = before.guards if before else {}, after.guards if after else {}
    for text, (field, key) in old.items():
        if before and text not in new:
            yield guard_items(before.marks).given_back(field, key, before)
    same = before is not None and after is not None and (before.key, before.until) == (after.key, after.until)
    for text, (field, key) in new.items():
        if after and not (same and text in old):
            yield guard_items(after.marks).taken(field, key, after, before, now)


def merge_guard_actions(one: ItemAction, other: ItemAction) -> ItemAction | None:
    """One action for what two writes do to the same guard; None where both take it.

    What one gives back and another takes changes hands.
    """
    if one.action == other.action == "Put":
        return None
    chief = other if other.action == "Put" else one
    (mine,), (theirs,) = one.asked, other.asked
    either = Or(tuple(dict.fromkeys((*_alternatives(mine), *_alternatives(theirs)))))
    asked = (Expectation(chief.asked[0].meaning, either),)
    names = [name for name in ("TableName", "Item", "Key") if name in chief.request]
    request = {**{name: chief.request[name] for name in names}, **expectation_request(asked)}
    return ItemAction(chief.action, request, asked, chief.about)


def leave_foreign_guard(given_back: ItemAction) -> ItemAction:
    """Instead of giving a guard back, the check that it belongs to another item, or is not there.

    Without it, the guard could become that of the item in the meantime, and stay behind.
    """
    owners = tuple(each for each in _alternatives(given_back.asked[0]) if isinstance(each, Compare))
    asked = tuple(Expectation("read", Not(each)) for each in owners)
    request = {name: given_back.request[name] for name in ("TableName", "Key")}
    return ItemAction("ConditionCheck", {**request, **expectation_request(asked)}, asked, given_back.about)


def _alternatives(asked: Expectation) -> tuple[Condition, ...]:
    assert isinstance(asked.condition, Or)
    return asked.condition.conditions


def guard_items(marks: MarkerRules) -> GuardItems:
    """The guards of an entity; checked again where a further entity was declared since."""
    declaration = marks.declaration
    question = ("guards", declaration.table.entity_count)
    found = declaration.remembered.get(question)
    if found is None:
        found = declaration.remembered[question] = GuardItems(marks)
    guards: GuardItems = found
    return guards


def guard_owner(table: Table, guard: WireItem | None) -> WireItem | None:
    """The key of the item whose value a guard keeps; None where it does not say."""
    named = ((guard or {}).get(name, {}).get("M") for name in _owner_attributes(table))
    return next((key for key in named if key), None)


def _owner_attributes(table: Table) -> tuple[str, ...]:
    """The attributes that may name the owner of a guard: the one that is written first, then those of other designs.

    A table may have got or lost an index over such an attribute since a guard was written.
    """
    # What the table needs for itself holds no map: its keys, those of its indexes, vectors, the discriminator, the end.
    vectors = {index.attribute for index in table.indexes if isinstance(index, VectorIndex)}
    taken = {*table.attribute_types, *vectors, table.discriminator, table.ttl}
    own = _OWNER
    while own in taken:
        own = _PREFIX + own
    never = {*table.key_attributes, table.discriminator, table.ttl}
    others = (name for name in (_OWNER, _PREFIX + _OWNER) if name not in never)
    return tuple(dict.fromkeys((own, *others)))


def _uniqueness_scope(declaration: Declaration[Any], field: str) -> Declaration[Any]:
    """The entity among whose items a value is unique: the topmost that marks the field and shares the key."""
    marked = [
        each
        for each in declaration.table.entities
        if declaration.is_kind_of(each) and any(name == field for name, _ in each.marked(Unique))
    ]
    return min(marked, key=lambda each: len(each.entity.__mro__), default=declaration)
