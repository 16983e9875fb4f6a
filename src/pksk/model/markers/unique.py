"""Unique: guard items that keep values unique, one for each value, beside the items that hold them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pksk.dataclass import dataclass
from pksk.errors import ConditionFailed, DesignError, PkskError, TemplateError, UniqueViolation, quote
from pksk.keys import KeyPair, Template
from pksk.model.markers.marker import MarkedField, Marker, field_text
from pksk.schema import VectorIndex

if TYPE_CHECKING:
    from pksk.expressions import Condition
    from pksk.model.cost.marker_bill import EstimatedChange, MarkerBill
    from pksk.model.declaration import Declaration
    from pksk.model.storing.attributes import Field
    from pksk.model.writes.item_change import ItemChange, ItemState
    from pksk.model.writes.marker_rules import MarkerRules
    from pksk.model.writes.prepared_write import FailedAction, ItemAction
    from pksk.schema import Table
    from pksk.values import WireItem

# Guard items belong to no entity: their discriminator, and how their keys begin.
GUARD_DISCRIMINATOR: Final = "pksk:unique"
_KEY_PREFIX: Final = "unique#"
_SORT_KEY: Final = "unique"
# The other parts of a guard's key, beside the unique field itself.
_ENTITY: Final = "pksk_entity"
_FIELD: Final = "pksk_field"
# The attribute that names the item whose value a guard keeps; another one where the table uses this one itself.
_OWNER: Final = "owner"
_PREFIX: Final = "pksk:"


@dataclass(frozen=True)
class GuardedValue:
    """The value that a guard item keeps unique."""

    field: str
    value: Any


class Unique(Marker):
    """No two items of the entity hold the same value; None may repeat: `email: Annotated[str, Unique()]`.

    Example:
        >>> from typing import Annotated
        >>> Annotated[str, Unique()].__metadata__
        (Unique(),)
    """

    has_guards: ClassVar[bool] = True

    def check_field(self, where: str, field: Field) -> None:
        """Reject a field whose values cannot be part of a key."""
        try:
            Template(f"UNIQUE#{{{field.name}}}", {field.name: field.annotation}, where=where)
        except TemplateError as error:
            raise DesignError(
                "marker-type",
                f"{where}: Unique is kept by a key, and the field is {field_text(field)}.",
                expected=error.problem,
                fix="mark a field of text, a whole number, a Decimal, a UUID, a date or an enum.",
            ) from None

    def fields_before(self, name: str, rules: MarkerRules) -> tuple[str, ...]:
        """The value, and the time at which the item expires: its guard expires with it."""
        return (name,) if rules.ttl is None else (name, rules.ttl)

    fields_after = fields_before

    def is_concerned(self, name: str, change: ItemChange) -> bool:
        """A guard names the key of its item, keeps its value, and expires with it."""
        changed = change.changed
        return changed is None or change.moves or name in changed or change.rules.ttl in changed

    def release(self, name: str, change: ItemChange) -> Iterator[ItemAction]:
        """Delete the guard of the old value, if it belongs to the item or there is none."""
        before = change.before
        key = None if before is None else _guard_key(before, name)
        if before is not None and key is not None and key != _guard_key(change.after, name):
            guards = guard_items(before.rules)
            allowed = change.conditions.any_of(guards.absent(change), *guards.owned_by(before.key, change))
            yield change.action(
                "Delete",
                {"Key": key},
                "guard",
                allowed,
                MarkedField(name, self),
                GuardedValue(name, before.values[name]),
            )

    def acquire(self, name: str, change: ItemChange) -> Iterator[ItemAction]:
        """Put the guard of the new value, if it is free or belongs to the item."""
        before, after = change.before, change.after
        key = _guard_key(after, name)
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
            GuardedValue(name, after.values[name]),
        )

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
        guarded: Any = action.subject
        return DesignError(
            "store-transaction-clash",
            f"{where}: {owner}.{guarded.field} is unique, but two writes in a transaction take {quote(guarded.value)}.",
            expected="One item can hold a value; it may change hands in a transaction.",
            fix="give them values of their own.",
        )

    def failure(self, failed: FailedAction) -> ConditionFailed:
        """Another item has the value."""
        guarded: Any = failed.action.subject
        owner = guard_owner(failed.declaration.table, failed.item)
        by = f" by the item {failed.key_in_words(owner)}" if owner else ""
        made = UniqueViolation(
            "store-unique-taken",
            f"{failed.where}: {guarded.field} = {quote(guarded.value)} is unique, and taken{by}.",
            fix="choose another value, or change the item that holds it.",
        )
        made.field, made.value, made.owner, made.item = guarded.field, guarded.value, owner, failed.item
        return made

    def batch_problem(self, name: str, change: ItemChange) -> str:
        """A batch cannot write a guard on a condition."""
        if change.kind == "delete":
            return f"{name!r} is unique, and its guard goes with the item"
        return f"{name!r} is a unique value, which is guarded"

    def charge(self, name: str, change: EstimatedChange, bill: MarkerBill) -> None:
        """A write for each guard, and a read of the stored item before a put."""
        if change.kind == "delete":
            bill.write_guard(name, "its guard is deleted too")
        elif change.kind in ("put", "create"):
            if change.values[name] is not None:
                bill.write_guard(name, "one more item")
            if change.kind == "put":
                bill.read_before_put()
        elif name in change.changed:
            bill.write_guard(name, "the guard of the old value is deleted")
            if change.values.get(name, name) is not None:
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
        if change.kind == "update" and (name in change.changed or change.changes_ttl):
            return "the item is read before, for the guard of its old value"
        return ""

    def note(self, label: str, kind: str) -> str:
        """A write of a unique value is a transaction."""
        return f"{label} is unique"


class GuardItems:
    """The keys and attributes of the guard items of one entity."""

    def __init__(self, rules: MarkerRules) -> None:
        self.rules, self.table = rules, rules.declaration.table
        self._owners = _owner_attributes(self.table)
        names = rules.names(Unique)
        self._scopes = {name: _uniqueness_scope(rules.declaration, name).tag for name in names}
        self._templates = {name: self._template(name) for name in names}

    def key(self, field: str, value: Any) -> WireItem:
        """The key of the guard of a value."""
        values = {_ENTITY: self._scopes[field], _FIELD: field, field: value}
        keys = {self.table.pk: self._templates[field].render(values)}
        if self.table.sk is not None:
            keys[self.table.sk] = _SORT_KEY
        return {name: {"S": text} for name, text in keys.items()}

    def item(self, key: WireItem, owner: ItemState) -> WireItem:
        """The guard under a key, of an item with which it expires."""
        item = {**key, self._owners[0]: {"M": owner.key}}
        if self.table.discriminator:
            item[self.table.discriminator] = {"S": GUARD_DISCRIMINATOR}
        if self.rules.anything_can_expire and owner.expires_at is not None:
            item[self.table.ttl or ""] = {"N": str(owner.expires_at)}
        return item

    def absent(self, change: ItemChange) -> Condition:
        """There is no guard."""
        return change.conditions.attribute_absent(self.table.pk)

    def owned_by(self, key: WireItem, change: ItemChange) -> list[Condition]:
        """The guard belongs to an item: one condition for each attribute that may name its owner."""
        return [change.conditions.attribute_equals(name, {"M": key}) for name in self._owners]

    def _template(self, field: str) -> Template:
        declaration = self.rules.declaration
        where = f"{declaration.name}.{field}"
        primary = self.table.primary
        if {part.type for part in (*primary.partition_key, *primary.sort_key)} != {"S"}:
            raise DesignError(
                "store-unique-key",
                f"{where} is unique, and the keys of table {self.table.name!r} are not text.",
                expected="Each unique value has a guard item in the same table, whose key is text.",
                fix="declare the key attributes as text, or keep the entity in another table.",
            )
        types = {_ENTITY: str, _FIELD: str, field: declaration.fields[field].annotation}
        made = Template(f"{_KEY_PREFIX}{{{_ENTITY}}}#{{{_FIELD}}}#{{{field}}}", types, where=where)
        self._check_collisions(made, where)
        return made

    def _check_collisions(self, guard: Template, where: str) -> None:
        """Reject guards whose keys an entity of the table can have."""
        from pksk.keys.comparison import overlap  # not at start-up

        mine = KeyPair(guard, Template(_SORT_KEY, {}, role="sort") if self.table.sk is not None else None)
        for other in self.table.entities:
            met = overlap(mine, other.primary.pair)
            if met.verdict != "never" and not other.primary.disjoint:
                raise DesignError(
                    "store-unique-key",
                    f"{where} is unique, and the guards of its values can have keys of {other.name}.",
                    expected=f"{met}.",
                    fix=f"begin the key of {other.name} with a literal of its own, or say why they never meet: "
                    'disjoint="...".',
                )


def guard_items(rules: MarkerRules) -> GuardItems:
    """The guards of an entity; checked again after a further entity is declared."""
    declaration = rules.declaration
    name = ("guards", declaration.table.entity_count)
    found = declaration.cache.get(name)
    if found is None:
        found = declaration.cache[name] = GuardItems(rules)
    guards: GuardItems = found
    return guards


def _guard_key(state: ItemState | None, field: str) -> WireItem | None:
    """The key of the guard of an item's value; None if it has no value, or one that no guard can have."""
    if state is None or state.values.get(field) is None or field not in state.rules.names(Unique):
        return None
    try:
        return guard_items(state.rules).key(field, state.values[field])
    except PkskError:
        if state.is_stored:  # by other programs
            return None
        raise


def _is_kept(before: ItemState, after: ItemState, field: str) -> bool:
    """Whether the guard of a value stays as it is."""
    same = (before.key, before.expires_at) == (after.key, after.expires_at)
    return same and _guard_key(before, field) == _guard_key(after, field)


def is_guard_item(table: Table, key: WireItem, item: Mapping[str, Any] | None) -> bool:
    """Whether an item is one that the store keeps for a unique field.

    Example:
        >>> from pksk import Table
        >>> is_guard_item(Table("orders"), {"pk": {"S": "unique#Order#email#a@b.c"}}, None)
        True
    """
    tag = None if item is None else item.get(table.discriminator or "")
    return (
        str(key[table.pk].get("S")).startswith(_KEY_PREFIX)
        if tag is None
        else tag == {"S": GUARD_DISCRIMINATOR}
    )


def guard_owner(table: Table, guard: WireItem | None) -> WireItem | None:
    """The key of the item whose value a guard keeps; None if the guard does not name it."""
    named = ((guard or {}).get(name, {}).get("M") for name in _owner_attributes(table))
    return next((key for key in named if key), None)


def _owner_attributes(table: Table) -> tuple[str, ...]:
    """The attributes that may name the owner of a guard: the one that is written first, then those of other designs.

    A table may have got or lost an index over such an attribute since a guard was written.
    """
    # What the table needs for itself holds no map: its keys, those of its indexes, vectors, discriminator and TTL.
    vectors = {index.attribute for index in table.indexes if isinstance(index, VectorIndex)}
    used = {*table.attribute_types, *vectors, table.discriminator, table.ttl}
    own = _OWNER
    while own in used:
        own = _PREFIX + own
    never = {*table.key_attributes, table.discriminator, table.ttl}
    others = (name for name in (_OWNER, _PREFIX + _OWNER) if name not in never)
    return tuple(dict.fromkeys((own, *others)))


def _uniqueness_scope(declaration: Declaration[Any], field: str) -> Declaration[Any]:
    """The entity among whose items a value is unique: the topmost that marks the field and shares the key."""
    marked = [
        each
        for each in declaration.table.entities
        if declaration.is_subclass_of(each) and any(name == field for name, _ in each.marked(Unique))
    ]
    return min(marked, key=lambda each: len(each.entity.__mro__), default=declaration)
