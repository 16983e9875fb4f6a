"""What an entity was read from: the part of its item that its fields do not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pksk.dataclass import dataclass, replace
from pksk.errors import DesignError, InvalidValue, PkskError
from pksk.keys.parts.part import type_name
from pksk.keys.parts.part_types import field_type
from pksk.model.entity_of_item import match_primary_key
from pksk.model.storing.attributes import Field
from pksk.model.storing.round_trip import is_identical
from pksk.model.storing.stored_shape import OPEN, Shape, stored_shape, unknown_members
from pksk.model.storing.stored_value import stored_value
from pksk.values import Wire, WireItem, from_wire, to_wire
from pksk.values.wire import normalize_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity
    from pksk.model.storing.items import Items


@dataclass(frozen=True, slots=True)
class Origin:
    """The key that an entity was read under, and what of its item its fields do not hold.

    `unknown` are the attributes that its model does not know. `stored` has, by field, the stored values that the
    entity would store in another form, such as maps with members that the nested model does not know; `own` has these
    forms, as long as the fields are unchanged. `partial` says how it was read, if attributes of the item may be
    missing.
    """

    key: WireItem
    unknown: WireItem
    stored: WireItem
    own: WireItem
    partial: str | None = None

    def is_of(self, item: Mapping[str, Any]) -> bool:
        """Whether an item has the key that the entity was read under."""
        return all(item.get(name) == wire for name, wire in self.key.items())


class ReadFields(set[str]):
    """The fields of an entity that were set, as Pydantic keeps them for every object, and what else its item held.

    Pydantic takes this set along wherever it copies, pickles or validates an object again. Dumps and comparisons do not
    see it, other objects have no room for it, and models may have slots of their own.
    """

    origin: Origin | None = None

    def __repr__(self) -> str:
        return repr(set(self))


def origin(entity: Entity) -> Origin | None:
    """What an entity carries of the item that it was read from; None if its fields hold everything."""
    return getattr(entity.__pydantic_fields_set__, "origin", None)


def set_origin(entity: Entity, item_origin: Origin) -> None:
    """Let an entity carry what its fields do not hold, where neither Pydantic nor equality sees it."""
    fields = ReadFields(entity.__pydantic_fields_set__)
    fields.origin = item_origin
    object.__setattr__(entity, "__pydantic_fields_set__", fields)


def mark_partial(declaration: Declaration, entity: Entity, item: Mapping[str, Any], read: str) -> None:
    """Let an entity carry that it was `read` in a way that may leave out attributes of its item."""
    item_origin = origin(entity) or Origin(_key(declaration, item), {}, {}, {})
    set_origin(entity, replace(item_origin, partial=read))


def _key(declaration: Declaration, item: Mapping[str, Any]) -> WireItem:
    """The key of an item as pksk writes it: boto3 gives bytes, and other programs may write 1.0 for 1."""
    names = declaration.table.key_attributes
    return {name: to_wire(from_wire(normalize_wire(item[name]))) if name in item else {} for name in names}


def _holds_all(value: Any, wire: Wire) -> bool:
    """Whether a value has every member of its stored form, for types that leave several possible."""
    try:
        return to_wire(stored_value(value, "")) == wire
    except PkskError:
        return False


class OtherFormat(InvalidValue):
    """Stored values have another type or format than their fields; `problems` has all of them, by path."""

    problems: Mapping[str, str]

    def with_problems(self, problems: Mapping[str, str]) -> OtherFormat:
        """The error, with what is wrong at each path."""
        self.problems = problems
        return self


class Origins:
    """Lets entities of one class carry what their fields do not hold, and writes it back."""

    def __init__(self, items: Items) -> None:
        self._items, self._declaration, self._name = items, items.declaration, items.name
        self._drops = self._declaration.unknown == "drop"
        shard = self._declaration.primary.shard
        # A put must find the item that was read, although the shard in its key is random.
        self.keeps_key = shard is not None and shard.of is None
        self.shapes = {name: self._shape(each) for name, each in items.fields.items()}
        # Fields for which NULL is read as None, and for None nothing is stored.
        self.optional = [(name, each.attribute) for name, each in items.fields.items() if each.absent_is_none]
        self._readers: dict[str, Callable[[Any], Any]] = {}

    def _shape(self, each: Field) -> Shape:
        if each.schema is None or self._items.user_code_reads:
            return OPEN
        shape = stored_shape(*each.schema, each.stored_form)
        return shape._replace(test=None, source="") if self._items.trims else shape

    def keep(self, entity: Entity, item: Mapping[str, Any]) -> None:
        """Let an entity carry what of its item its fields do not hold, or reject it."""
        unknown: WireItem = {} if self._drops else self._unknown(item)
        stored: WireItem = {}
        own: WireItem = {}
        for name, wire in self._other_forms(item, entity.__dict__):
            own_form = self._own(entity, name)
            if own_form != wire:
                self.check_format(name, wire)
                stored[name] = wire
                own |= {} if own_form is None else {name: own_form}
        if not self._drops:
            for name, attribute in self.optional:
                if attribute in item and entity.__dict__.get(name, self) is None:
                    stored[name] = normalize_wire(item[attribute])
        if not (unknown or stored or self.keeps_key):
            return
        item_origin = Origin(_key(self._declaration, item), unknown, stored, own)
        if self._declaration.unknown == "error":
            self._reject(item_origin)
        if self._drops:
            item_origin = _without_unknown(item_origin)
        if unknown or item_origin.stored or self.keeps_key:
            set_origin(entity, item_origin)

    def _unknown(self, item: Mapping[str, Any]) -> WireItem:
        items, known = self._items, self._declaration.known_attributes
        # Where a model takes extra values, only attributes of the table's own are left.
        names = (name for name in item if name not in known and (not items.extra or name in items.reserved))
        return {name: normalize_wire(item[name]) for name in names}

    def _other_forms(self, item: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[tuple[str, Wire]]:
        """The stored values that the entity may store in another form."""
        for name, shape in self.shapes.items():
            wire = item.get(self._items.fields[name].attribute)
            if wire is None or name not in values or (shape.test is not None and shape.test(wire)):
                continue
            wire = normalize_wire(wire)
            each = self._items.fields[name]
            if each.stored_form is not None or each.is_set or not _holds_all(values[name], wire):
                yield name, wire

    def _own(self, entity: Entity, name: str) -> Wire | None:
        """The form in which the entity would store a field; None if it would not."""
        try:
            own = self._items.value(name, entity.__dict__.get(name))
            return None if self._items.is_absent(name, own) else to_wire(own)
        except Exception:  # a put would raise the same, unless the field is unchanged
            return {"M": {}}

    def unchanged(self, entity: Entity, name: str) -> Wire | None:
        """The stored value of a field that the entity could not store itself, if the field has not changed since."""
        item_origin = origin(entity)
        wire = item_origin.stored.get(name) if item_origin is not None else None
        if wire is None:
            return None
        if name not in self._readers:
            self._readers[name] = self._items.reader(name)
        return wire if is_identical(entity.__dict__.get(name), self._readers[name](from_wire(wire))) else None

    def check_format(self, name: str, wire: Wire) -> None:
        """Reject a stored value of another type or format than the field reads."""
        error = self.format_error({self._items.fields[name].attribute: wire}, (name,))
        if error is not None:
            raise error

    def format_error(self, item: Mapping[str, Any], names: Iterable[str] = ()) -> InvalidValue | None:
        """The error for stored values that have another type or format than their fields; None if all fit."""
        problems: dict[str, str] = {}
        for name in names or self.shapes:
            wire = normalize_wire(item.get(self._items.fields[name].attribute))
            problems |= self.shapes[name].find(wire, name) if wire else ()
        if not problems:
            return None
        first = next(iter(problems))
        field = self._items.fields[first.partition(".")[0].partition("[")[0]]
        is_time = field_type(field.annotation).type is datetime
        return OtherFormat(
            "entity-format",
            f"{self._name}.{first} is {problems[first]}.",
            fix=f"declare the format that is stored: Annotated[{type_name(field.declared_as)}, Stored(...)]"
            + (", or list it in reads=[...]." if is_time else ", with a CustomFormat; or correct the item."),
        ).with_problems(problems)

    def _reject(self, item_origin: Origin) -> None:
        members = [path for name in item_origin.stored for path in _unknown_members(item_origin, name)]
        names = ", ".join(map(repr, [*item_origin.unknown, *members]))
        if names:
            raise InvalidValue(
                "entity-unknown-attributes",
                f"{self._name}: the item holds attributes that {self._name} does not know: {names}.",
                fix='declare fields for them, or declare the class with unknown="keep" or unknown="drop".',
            )

    def complete(self, item_origin: Origin, item: WireItem) -> WireItem:
        """The item of an entity with what it carries, if the item has the key that the entity was read under."""
        if self.keeps_key and self._differ_in_shard_only(item_origin.key, item):
            item = {**item, **item_origin.key}
        if not item_origin.is_of(item):
            return item
        if item_origin.partial is not None:
            raise DesignError(
                "entity-partial",
                f"{self._name}: the entity was read {item_origin.partial}, and a put replaces the whole item.",
                expected="Attributes that were not read would be lost.",
                fix="read the whole item, by db.get or .hydrate(), or change fields by an update or db.move.",
            )
        return self.write_back(item_origin, item)

    def _differ_in_shard_only(self, key: WireItem, item: WireItem) -> bool:
        names = self._declaration.primary.fields
        read, own = (match_primary_key(self._declaration, each) or {} for each in (key, item))
        return bool(read and own) and all(read[name] == own[name] for name in names)

    def write_back(self, item_origin: Origin, item: WireItem) -> WireItem:
        """The item of an entity with what it carries: unknown attributes, and unchanged fields as they were stored."""
        complete = {**item_origin.unknown, **item}
        for name, wire in item_origin.stored.items():
            attribute = self._items.fields[name].attribute
            if complete.get(attribute) == item_origin.own.get(name):
                complete[attribute] = wire
            elif complete.get(attribute) != wire:
                self._check_dropped(item_origin, name)
        return complete

    def _check_dropped(self, item_origin: Origin, name: str) -> None:
        """Reject a changed field that would drop members of its stored map."""
        members = list(_unknown_members(item_origin, name))
        if members:
            raise InvalidValue(
                "entity-unknown-members",
                f"{self._name}.{name} was changed, and its stored value has members that the model does not know: "
                f"{', '.join(map(repr, members))}.",
                expected="Writing the changed value would remove them.",
                fix="declare them, change single members by an update, or declare the class with "
                'unknown="drop".',
            )


def _without_unknown(item_origin: Origin) -> Origin:
    """Without stored values that have members which the entity drops."""
    stored = {
        name: wire
        for name, wire in item_origin.stored.items()
        if not any(_unknown_members(item_origin, name))
    }
    return replace(item_origin, stored=stored)


def _unknown_members(item_origin: Origin, name: str) -> Iterator[str]:
    """The stored members of a field that the nested model of its value does not know."""
    return unknown_members(item_origin.stored[name], item_origin.own.get(name, {}), name)
