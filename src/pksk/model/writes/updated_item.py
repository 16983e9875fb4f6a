"""The known state of an item after an update: the values of its fields, and its index keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from pksk.errors import DesignError, PkskError
from pksk.expressions import Action, Call, Path, Remove, Set, Value, apply
from pksk.expressions import Update as UpdateTree
from pksk.model.fields.facts import FieldFacts, KeySources
from pksk.model.storing.entity_values import key_value
from pksk.model.writes.field_update import UNKNOWN, FieldUpdate, store_or_remove
from pksk.values import Wire, WireItem, to_wire
from pksk.values.wire import to_boto3


class Image:
    """The known values of an item: fields of its key, values that were read, and the results of changes.

    `new_item` has the defaults of a new item, which an upsert stores. All versions of an update share
    `generated_defaults`, as a factory may make other ones each time.
    """

    def __init__(
        self,
        facts: FieldFacts,
        parts: Mapping[str, Any],
        changes: Iterable[FieldUpdate],
        read_values: Mapping[str, Wire | None],
        *,
        is_upsert: bool,
        generated_defaults: dict[str, Any] | None = None,
    ) -> None:
        self.facts, self.parts, self.read_values, self.is_upsert = facts, parts, read_values, is_upsert
        self._generated_defaults: dict[str, Any] = {} if generated_defaults is None else generated_defaults
        self.changes: dict[str, list[FieldUpdate]] = {}
        for change in changes:
            self.changes.setdefault(change.field, []).append(change)
        self._before = {*read_values, *(name for name in facts.fields_whole_in_key if name in parts)}
        self.new_item = self._new_item()
        self.after = self._after()

    @property
    def changed(self) -> frozenset[str]:
        """The fields that change."""
        return frozenset(self.changes)

    def unread_fields(self, name: str) -> frozenset[str]:
        """The fields that must be read to know the value of this one."""
        changes = self.changes.get(name)
        if not changes:
            return frozenset({name})
        return frozenset().union(*(change.reads for change in changes)) - self._before

    def _new_item(self) -> dict[str, Any]:
        """The values of unchanged fields: the defaults of a new item, or the values of missing attributes."""
        fresh: dict[str, Any] = {}
        names = self.facts.stored if self.is_upsert else [n for n, v in self.read_values.items() if v is None]
        for name in names:
            known = self.changes[name][0].value if name in self.changes else UNKNOWN
            if known is not UNKNOWN:
                fresh[name] = known
            elif name in self.parts:
                fresh[name] = self.parts[name]
            elif self.is_upsert and not self.facts.declaration.fields[name].required:
                if name not in self._generated_defaults:
                    self._generated_defaults[name] = self.facts.default(name, fresh)
                fresh[name] = self._generated_defaults[name]
            else:
                fresh[name] = self.facts.value_when_absent(name)
        return fresh

    def _after(self) -> dict[str, Any]:
        after = {name: self._unchanged(name) for name in self._before if name not in self.changes}
        relative: list[FieldUpdate] = []
        for name, changes in self.changes.items():
            if changes[0].value is not UNKNOWN:
                after[name] = changes[0].value
            elif not self.unread_fields(name):
                relative += changes
        if relative:
            after |= self._applied(relative)
        return after | self._computed(after)

    def _computed(self, after: dict[str, Any]) -> dict[str, Any]:
        """The computed fields, if all other fields are known."""
        declaration = self.facts.declaration
        computed = [name for name, each in declaration.fields.items() if each.computed]
        if not computed or not after.keys() >= set(self.facts.stored):
            return {}
        entity, values = declaration.entity.model_construct(**after), {}
        for name in computed:
            try:
                values[name] = key_value(declaration, entity, name)
            except PkskError:
                # It is not stored, so only keys need it.
                if name in declaration.key_sources:
                    raise
        return values

    def _unchanged(self, name: str) -> Any:
        if name not in self.read_values:
            return self.parts[name]
        wire = self.read_values[name]
        return self.new_item[name] if wire is None else self.facts.values.read(name, wire)

    def _stored(self) -> WireItem:
        """The known values of the stored item."""
        values = self.facts.values
        parts = {
            name: values.stored(name, self.parts[name])
            for name in self._before
            if name not in self.read_values
        }
        known = {**parts, **self.read_values}
        attribute = self.facts.declaration.attribute
        return {attribute(name): wire for name, wire in known.items() if wire is not None}

    def _applied(self, changes: list[FieldUpdate]) -> dict[str, Any]:
        """The results of changes to values that were read, exactly as in DynamoDB."""
        actions: tuple[Action, ...] = tuple(change.action for change in changes)
        result = apply(UpdateTree(actions), self._stored())
        values = {}
        for name in dict.fromkeys(change.field for change in changes):
            wire = result.get(self.facts.declaration.attribute(name))
            values[name] = (
                self.facts.value_when_absent(name) if wire is None else self.facts.values.read(name, wire)
            )
        return values


class IndexKeys:
    """The index keys of an item in an update."""

    def __init__(self, image: Image) -> None:
        self._image = image
        self._facts = image.facts

    @cached_property
    def _touched(self) -> dict[str, tuple[str, ...]]:
        """The attributes of each key that may change with these fields."""
        changed = self._image.changed
        touched = {sources.key.name: sources.touched(changed) for sources in self._facts.keys}
        if self._image.is_upsert:
            # A new item needs all attributes of the key.
            touched = {
                sources.key.name: (
                    *sources.parts,
                    *(a for a in touched[sources.key.name] if a in sources.field_attributes),
                )
                for sources in self._facts.keys
                if touched[sources.key.name] or sources.computed
            }
        return {name: attributes for name, attributes in touched.items() if attributes}

    @cached_property
    def _filled(self) -> dict[str, tuple[str, ...]]:
        """The attributes of unchanged keys, which a new item needs too."""
        if not self._image.is_upsert:
            return {}
        fresh = self._image.new_item
        return {
            sources.key.name: tuple(sources.parts)
            for sources in self._facts.keys
            if sources.key.name not in self._touched and sources.is_in_index(fresh) is not False
        }

    @property
    def touched(self) -> dict[str, tuple[str, ...]]:
        """The attributes that are written, by key."""
        written = {**self._touched, **self._filled}
        every = set().union(*written.values())
        # An attribute that several keys share changes all their indexes.
        names = {
            key.key.name: tuple(part.attribute for part in key.key.parts if part.attribute in every)
            for key in self._facts.keys
        }
        return {name: attributes for name, attributes in names.items() if attributes}

    @cached_property
    def _written(self) -> dict[str, list[KeySources]]:
        """The attributes to write, each with all keys that have it."""
        names = dict.fromkeys(
            attribute
            for each in (self._touched, self._filled)
            for attributes in each.values()
            for attribute in attributes
        )
        names |= dict.fromkeys(self._completing())
        writers = {name: self._writers(name) for name in names}
        return {name: keys for name, keys in writers.items() if keys}

    def _writers(self, attribute: str) -> list[KeySources]:
        return [each for each in self._facts.keys if attribute in each.parts]

    def _completing(self) -> Iterator[str]:
        """The other attributes of changed keys, as far as they are known without further reads.

        Most items have them already. An item from before the index has none of them, and half a key would leave it out
        of the index.
        """
        after = self._image.after
        for sources in self._facts.keys:
            if sources.key.name not in self._touched or not sources.is_in_index(after):
                continue
            for attribute in sources.parts:
                field_sets = (
                    each.membership_fields | each.parts[attribute] for each in self._writers(attribute)
                )
                if attribute not in sources.random_shard_attributes and all(
                    fields <= after.keys() for fields in field_sets
                ):
                    yield attribute

    @cached_property
    def fields_to_read(self) -> tuple[str, ...]:
        """The fields that must be read first, in model order."""
        after = self._image.after
        missing: set[str] = set()
        for attribute, writers in self._written.items():
            memberships = [writer.is_in_index(after) for writer in writers]
            for writer, membership in zip(writers, memberships, strict=True):
                if membership is not False:
                    missing |= (writer.membership_fields | writer.parts[attribute]) - after.keys()
            own = self._facts.field_of.get(attribute)
            if own is not None and not any(membership is not False for membership in memberships):
                missing |= {own} - after.keys()
        if self._facts.primary_is_computed and (self._image.changes or self._image.is_upsert):
            missing |= set(self._facts.stored) - after.keys()
        unread_fields = frozenset().union(
            *(self._image.unread_fields(name) for name in missing if name in self._facts.stored)
        )
        return tuple(name for name in self._facts.stored if name in unread_fields)

    def actions(self) -> dict[str, Action]:
        """The action on each attribute, when all needed values are known."""
        rendered: dict[str, Any] = {}
        for sources in self._facts.keys:
            own = {name for name, writers in self._written.items() if sources in writers}
            if own and sources.is_in_index(self._image.after):
                rendered |= sources.render(own, self._image.after)
        unchanged = set().union(*self._filled.values()) - set().union(*self._touched.values())
        actions = {name: self._action(name, rendered, unchanged) for name in self._written}
        return {name: action for name, action in actions.items() if action is not None}

    def _action(self, attribute: str, rendered: dict[str, Any], unchanged: set[str]) -> Action | None:
        path = Path((attribute,))
        if attribute in rendered:
            value = Value(to_wire(rendered[attribute]))
            # An unchanged key stays as it is, as it may have a random shard.
            return Set(path, Call("if_not_exists", (path, value)) if attribute in unchanged else value)
        field = self._facts.field_of.get(attribute)
        if field is not None:
            return store_or_remove(self._facts, field, self._image.after[field]).action
        return None if attribute in unchanged else Remove(path)

    def check_primary_key(self, key: WireItem) -> None:
        """Reject an update that would change a computed field of the primary key."""
        declaration = self._facts.declaration
        if not self._facts.primary_is_computed or not (self._image.changes or self._image.is_upsert):
            return
        after = declaration.primary.render(self._image.after)
        now = {name: to_boto3(to_wire(value)) for name, value in after.items()}
        if now != key:
            raise DesignError(
                "write-key-field",
                f"{declaration.name}.{declaration.primary.name}.update: the changes would change the primary key "
                f"from {key} to {now}, which an update cannot do.",
                fix="move it with a store: db.move(entity, field=...).",
            )
