"""The values of an item's fields after an update, as far as they are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pksk.errors import PkskError
from pksk.expressions import Action, apply
from pksk.expressions import Update as UpdateTree
from pksk.model.storing.entity_values import key_value
from pksk.model.writes.field_update import UNKNOWN, FieldUpdate

if TYPE_CHECKING:
    from pksk.model.fields.field_facts import FieldFacts
    from pksk.values import Wire, WireItem


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
        wanted = (
            self.facts.stored if self.is_upsert else [n for n, v in self.read_values.items() if v is None]
        )
        for name in wanted:
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
        made, found = declaration.entity.model_construct(**after), {}
        for name in computed:
            try:
                found[name] = key_value(declaration, made, name)
            except PkskError:
                # It is not stored, so only keys need it.
                if name in declaration.key_sources:
                    raise
        return found

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
        found = {}
        for name in dict.fromkeys(change.field for change in changes):
            wire = result.get(self.facts.declaration.attribute(name))
            found[name] = (
                self.facts.value_when_absent(name) if wire is None else self.facts.values.read(name, wire)
            )
        return found
