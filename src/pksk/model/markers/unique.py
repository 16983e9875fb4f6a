"""Unique: guard items that keep values unique, one for each value, beside the items that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pksk.dataclass import dataclass
from pksk.errors import (
    ConditionFailed,
    DesignError,
    PkskError,
    TemplateError,
    UniqueViolation,
    did_you_mean,
    quote,
)
from pksk.keys import Template
from pksk.model.markers.guard_items import GuardItems, UniqueField, guard_owner
from pksk.model.markers.marker import MarkedField, Marker, field_text, key_in_words, reject_marker
from pksk.values import WireItem

if TYPE_CHECKING:
    from pksk.expressions import Condition
    from pksk.model.cost.marker_bill import EstimatedChange, MarkerBill
    from pksk.model.declaration import Declaration
    from pksk.model.storing.attributes import Field
    from pksk.model.write_rules.prepared_write import FailedAction, ItemAction
    from pksk.model.write_rules.rules import ItemChange, ItemState, MarkerRules


@dataclass(frozen=True)
class GuardedValue:
    """The value that a guard item keeps unique, among items with the same values of other fields."""

    field: str
    value: Any
    within: Mapping[str, Any]

    @property
    def rule(self) -> str:
        """In words, that the value is unique."""
        others = ", ".join(f"{name} = {quote(value)}" for name, value in self.within.items())
        return f"is unique within {others}" if others else "is unique"


@dataclass(frozen=True, init=False)
class Unique(Marker):
    """No two items of the entity hold the same value; None may repeat: `email: Annotated[str, Unique()]`.

    With `within`, no two items that have the same values of these fields: a room's name is unique `within="building"`,
    and a seat `within=("show", "day")` makes the combination of show, day and seat unique. An item in which one of
    the fields is None does not count.

    Example:
        >>> from typing import Annotated
        >>> Annotated[str, Unique()].__metadata__
        (Unique(),)
        >>> Unique(within="tenant")
        Unique(within=('tenant',))
    """

    has_guards: ClassVar[bool] = True

    within: tuple[str, ...]

    def __init__(self, *, within: str | Iterable[str] = ()) -> None:
        is_one = isinstance(within, str) or not isinstance(within, Iterable)
        object.__setattr__(self, "within", (within,) if is_one else tuple(within))

    def __repr__(self) -> str:
        return f"Unique(within={self.within!r})" if self.within else "Unique()"

    def own_fields(self, name: str) -> tuple[str, ...]:
        """The fields whose combination is unique."""
        return (*self.within, name)

    def check_entity(self, name: str, declaration: Declaration) -> None:
        """Reject other fields that do not exist, or whose values cannot be part of a key."""
        if not self.within:
            return
        where, fields = f"{declaration.name}.{name}", declaration.fields
        for each in self.within:
            if not isinstance(each, str):
                reject_marker(
                    where, "marker-within", f"Unique(within=...): {quote(each)} is not the name of a field.",
                    "write within='tenant', or several names as a tuple.",
                )  # fmt: skip
            if each not in fields:
                near = did_you_mean(str(each), fields)
                reject_marker(
                    where, "marker-within", f"Unique(within=...) names {quote(each)}, which is not a field.",
                    f"did you mean {near!r}?" if near else "name fields of the entity.",
                )  # fmt: skip
            if each == name or self.within.count(each) > 1:
                what = "the marked field itself" if each == name else f"{each!r} twice"
                reject_marker(where, "marker-within", f"Unique(within=...) names {what}.", "leave it out.")
            if fields[each].computed or any(marker.is_store_managed for marker in fields[each].markers):
                why = "is computed, and not stored" if fields[each].computed else "is set by the store"
                reject_marker(
                    where, "marker-within", f"Unique(within=...) names {each!r}, which {why}.",
                    "name fields that your program sets.",
                )  # fmt: skip
        try:
            UniqueField(name, self.within, declaration.tag).template(declaration)
        except TemplateError as error:
            reject_marker(
                where, "marker-type", f"Unique(within=...) writes the values into a key: {error.problem}",
                "name fields of text, whole numbers, Decimals, UUIDs, dates or enums.", expected=error.expected,
            )  # fmt: skip

    def check_field(self, where: str, field: Field) -> None:
        """Reject a field whose values cannot be part of a key."""
        try:
            Template(f"UNIQUE#{{{field.name}}}", {field.name: field.annotation}, where=where)
        except TemplateError as error:
            raise DesignError(
                "marker-type",
                f"{where}: Unique writes the value into a key, but the field is {field_text(field)}.",
                expected=error.problem,
                fix="mark a field of text, a whole number, a Decimal, a UUID, a date or an enum.",
            ) from None

    def fields_before(self, name: str, rules: MarkerRules) -> tuple[str, ...]:
        """The value, and the time at which the item expires: its guard expires with it."""
        own = self.own_fields(name)
        return own if rules.ttl is None else (*own, rules.ttl)

    fields_after = fields_before

    def is_concerned(self, name: str, change: ItemChange) -> bool:
        """A guard names the key of its item, keeps its value, and expires with it."""
        changed = change.changed
        if changed is None or change.moves or change.rules.ttl in changed:
            return True
        return not changed.isdisjoint(self.own_fields(name))

    def release(self, name: str, change: ItemChange) -> Iterator[ItemAction]:
        """Delete the guard of the old value, if it belongs to the item or there is none."""
        before = change.before
        key = None if before is None else guard_key(before, name)
        if before is not None and key is not None and key != guard_key(change.after, name):
            guards = guard_items(before.rules)
            allowed = change.conditions.any_of(guards.absent(change), *guards.owned_by(before.key, change))
            yield change.action(
                "Delete",
                {"Key": key},
                "guard",
                allowed,
                MarkedField(name, self),
                self._guarded(name, before),
            )

    def acquire(self, name: str, change: ItemChange) -> Iterator[ItemAction]:
        """Put the guard of the new value, if it is free or belongs to the item."""
        before, after = change.before, change.after
        key = guard_key(after, name)
        if after is None or key is None:
            return
        if before is not None and _is_kept(before, after, name):
            return
        guards = guard_items(after.rules)
        allowed: list[Condition | None] = [guards.absent(change), *guards.owned_by(after.key, change)]
        if before is not None:
            allowed += guards.owned_by(before.key, change)
        if after.rules.anything_can_expire:
            allowed.append(change.conditions.ttl_passed)
        yield change.action(
            "Put",
            {"Item": guards.item(key, after)},
            "unique",
            change.conditions.any_of(*allowed),
            MarkedField(name, self),
            self._guarded(name, after),
        )

    def _guarded(self, name: str, state: ItemState) -> GuardedValue:
        return GuardedValue(name, state.values[name], {each: state.values[each] for each in self.within})

    def merge(self, one: ItemAction, other: ItemAction) -> ItemAction | None:
        """A value that one write releases and another acquires changes hands; two cannot acquire it."""
        if one.action == other.action == "Put":
            return None
        return (other if other.action == "Put" else one).accepting(one, other)

    def without_release(self, action: ItemAction) -> ItemAction:
        """A check that the guard still belongs to another item: it may become that of the item in the meantime."""
        return action.opposite_check()

    def clash(self, where: str, owner: str, action: ItemAction) -> DesignError:
        """Two writes of one transaction acquire the same value."""
        guarded = _guarded_value(action)
        return DesignError(
            "store-transaction-clash",
            f"{where}: {owner}.{guarded.field} {guarded.rule}, but two writes in a transaction set it to "
            f"{quote(guarded.value)}.",
            expected="Only one item can have the value; a transaction can move it from one item to another.",
            fix="use a different value for each item.",
        )

    def failure(self, failed: FailedAction) -> ConditionFailed:
        """Another item has the value."""
        guarded = _guarded_value(failed.action)
        owner = guard_owner(failed.declaration.table, failed.item)
        by = f" by the item {key_in_words(owner)}" if owner else ""
        error = UniqueViolation(
            "store-unique-violation",
            f"{failed.where}: {guarded.field} = {quote(guarded.value)} {guarded.rule}, and is already used{by}.",
            fix="choose another value, or change the item that has it.",
        )
        error.field, error.value, error.owner, error.item = guarded.field, guarded.value, owner, failed.item
        error.within = dict(guarded.within)
        return error

    def batch_problem(self, name: str, change: ItemChange) -> str:
        """A batch cannot write a guard on a condition."""
        if change.kind == "delete":
            return f"{name!r} is unique, and its guard goes with the item"
        return f"{name!r} is a unique value, which is guarded"

    def charge(self, name: str, change: EstimatedChange, bill: MarkerBill) -> None:
        """A write for each guard, and a read of the stored item before a put."""
        own = self.own_fields(name)
        if change.kind == "delete":
            bill.write_guard(name, "its guard is deleted too")
        elif change.kind in ("put", "create"):
            if all(change.values[each] is not None for each in own):
                bill.write_guard(name, "one more item")
            if change.kind == "put":
                bill.read_before_put()
        elif not change.changed.isdisjoint(own):
            bill.write_guard(name, "the guard of the old value is deleted")
            if all(change.values.get(each, each) is not None for each in own):
                bill.write_guard(name, "one more item")
        elif change.moves or change.changes_ttl:
            bill.write_guard(
                name,
                "its guard changes with it" if change.kind == "move" else "its guard ends when the item does",
            )

    def read_reason(self, name: str, change: EstimatedChange) -> str:
        """The guard of the old value has to be found."""
        if change.kind == "delete":
            return "the item is read before, since its guards go with it"
        changes = not change.changed.isdisjoint(self.own_fields(name))
        if change.kind == "update" and (changes or change.changes_ttl):
            return "the item is read before, for the guard of its old value"
        return ""

    def note(self, label: str, kind: str) -> str:
        """A write of a unique value is a transaction."""
        return f"{label} is unique"


def _guarded_value(action: ItemAction) -> GuardedValue:
    """The value whose guard an action writes."""
    assert isinstance(action.subject, GuardedValue)
    return action.subject


def guard_items(rules: MarkerRules) -> GuardItems:
    """The guards of an entity; made again after a further entity is declared, which may be the scope of a value."""
    declaration = rules.declaration
    return declaration.once(
        ("guards", declaration.table.entity_count), lambda: GuardItems(rules, unique_fields(declaration))
    )


def unique_fields(declaration: Declaration) -> Iterator[UniqueField]:
    """The unique fields of an entity, and the entities among whose items they are unique."""
    for name, marker in declaration.marked(Unique):
        scope = _uniqueness_scope(declaration, name, marker)
        yield UniqueField(name, marker.within, scope.tag)


def _uniqueness_scope(declaration: Declaration, field: str, marker: Unique) -> Declaration:
    """The entity among whose items a value is unique: the topmost that marks the field alike and shares the key."""
    marked = [
        each
        for each in declaration.table.entities
        if declaration.is_subclass_of(each)
        and any(
            name == field and set(other.within) == set(marker.within) for name, other in each.marked(Unique)
        )
    ]
    return min(marked, key=lambda each: len(each.entity.__mro__), default=declaration)


def guard_key(state: ItemState | None, field: str) -> WireItem | None:
    """The key of the guard of an item's value; None if it has no value, or one that no guard can have."""
    if state is None or state.values.get(field) is None or field not in state.rules.names(Unique):
        return None
    try:
        return guard_items(state.rules).key(field, state.values)
    except PkskError:
        if state.is_stored:  # by other programs
            return None
        raise


def _is_kept(before: ItemState, after: ItemState, field: str) -> bool:
    """Whether the guard of a value stays as it is."""
    same = (before.key, before.expires_at) == (after.key, after.expires_at)
    return same and guard_key(before, field) == guard_key(after, field)
