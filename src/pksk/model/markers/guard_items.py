"""Guard items: the keys and attributes of the items that keep unique values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from pksk.dataclass import dataclass
from pksk.errors import DesignError
from pksk.keys import KeyPair, ScalarKey, Template
from pksk.schema import Table, VectorIndex
from pksk.values import WireItem

if TYPE_CHECKING:
    from pksk.expressions import Condition
    from pksk.model.declaration import Declaration
    from pksk.model.write_rules.rules import ItemChange, ItemState, MarkerRules

# Guard items belong to no entity: their discriminator, and how their keys begin.
GUARD_DISCRIMINATOR: Final = "pksk:unique"
_KEY_PREFIX: Final = "unique#"
_SORT_KEY: Final = "unique"
# The other parts of a guard's key, beside the values.
_ENTITY: Final = "pksk_entity"
_FIELD: Final = "pksk_field"
# The attribute that names the item whose value a guard keeps; another one where the table uses this one itself.
_OWNER: Final = "owner"
_PREFIX: Final = "pksk:"


@dataclass(frozen=True)
class UniqueField:
    """A field of an entity whose values are unique within others, among the items of the entity `scope`."""

    name: str
    within: tuple[str, ...]
    scope: str

    @property
    def names(self) -> tuple[str, ...]:
        """The fields in the key of a guard. Those of `within` are sorted: their declared order may change."""
        return (*sorted(self.within), self.name)

    def template(self, declaration: Declaration) -> Template:
        """The key of guards: the entity, the names of the fields, and their values."""
        types: dict[str, Any] = {name: Literal[text] for name, text in self._own_parts.items()}
        types |= {name: declaration.fields[name].annotation for name in self.names}
        parts = "#".join(f"{{{name}}}" for name in (_ENTITY, _FIELD, *self.names))
        return Template(_KEY_PREFIX + parts, types, where=f"{declaration.name}.{self.name}")

    def key_values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The parts of the key of a guard for an item with these values; no field's name contains a plus sign."""
        return self._own_parts | {name: values[name] for name in self.names}

    @property
    def _own_parts(self) -> dict[str, Any]:
        return {_ENTITY: self.scope, _FIELD: "+".join(self.names)}


class GuardItems:
    """The keys and attributes of the guard items of one entity."""

    def __init__(self, rules: MarkerRules, fields: Iterable[UniqueField]) -> None:
        self.rules, self.table = rules, rules.declaration.table
        self._owners = _owner_attributes(self.table)
        self._fields = {each.name: each for each in fields}
        self._templates = {each.name: self._template(each) for each in self._fields.values()}

    def key(self, field: str, values: Mapping[str, Any]) -> WireItem | None:
        """The key of the guard for an item with these values; None if one of them is None."""
        unique = self._fields[field]
        if any(values.get(name) is None for name in unique.names):
            return None
        keys = {self.table.pk: self._templates[field].render(unique.key_values(values))}
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

    def _template(self, field: UniqueField) -> Template:
        where = f"{self.rules.declaration.name}.{field.name}"
        primary = self.table.primary
        if {part.type for part in (*primary.partition_key, *primary.sort_key)} != {"S"}:
            raise DesignError(
                "store-unique-key",
                f"{where} is unique, and the keys of table {self.table.name!r} are not text.",
                expected="Each unique value has a guard item in the same table, whose key is text.",
                fix="declare the key attributes as text, or keep the entity in another table.",
            )
        return field.template(self.rules.declaration)


def check_guard_keys(declaration: Declaration, field: UniqueField, other: Declaration) -> None:
    """Reject a unique field whose guard items can have the keys of an entity of the table."""
    partition, *sort = other.primary.pair.keys
    if not all(map(_may_begin_alike, (partition, *sort), (_KEY_PREFIX, _SORT_KEY))):
        return
    from pksk.keys.comparison import overlap  # most keys begin with another literal

    guard = field.template(declaration)
    collision = overlap(
        KeyPair(guard, Template(_SORT_KEY, {}, role="sort") if sort else None), other.primary.pair
    )
    if collision.verdict != "never" and not other.primary.disjoint:
        raise DesignError(
            "store-unique-key",
            f"{declaration.name}.{field.name} is unique, and the keys of its guard items can collide with keys of "
            f"{other.name}.",
            expected=f"{collision}.",
            fix=f"begin the key of {other.name} with a literal of its own, or say why they cannot collide: "
            'disjoint="...".',
        )


def _may_begin_alike(key: Template | ScalarKey, literal: str) -> bool:
    first = key.literals[0] if isinstance(key, Template) else ""
    return first.startswith(literal) or literal.startswith(first)


def is_guard_item(table: Table, key: WireItem, item: Mapping[str, Any] | None) -> bool:
    """Whether an item is one that the store keeps for a unique field."""
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
