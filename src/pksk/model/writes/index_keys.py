"""Keeps index keys correct in an update: which change, which fields must be read, and the new values."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.errors import DesignError
from pksk.expressions import Action, Call, Path, Remove, Set, Value
from pksk.model.writes.field_update import store_or_remove
from pksk.values import to_wire
from pksk.values.boto3_form import to_boto3

if TYPE_CHECKING:
    from pksk.model.fields.field_facts import KeySources
    from pksk.model.writes.image import Image
    from pksk.values import WireItem


class IndexKeys:
    """The index keys of an item in an update."""

    def __init__(self, image: Image) -> None:
        self._image = image
        self._facts = image.facts

    @cached_property
    def _touched(self) -> dict[str, tuple[str, ...]]:
        """The attributes of each key that may change with these fields."""
        changed = self._image.changed
        found = {sources.key.name: sources.touched(changed) for sources in self._facts.keys}
        if self._image.is_upsert:
            # A new item needs all attributes of the key.
            found = {
                sources.key.name: (
                    *sources.parts,
                    *(a for a in found[sources.key.name] if a in sources.field_attributes),
                )
                for sources in self._facts.keys
                if found[sources.key.name] or sources.computed
            }
        return {name: attributes for name, attributes in found.items() if attributes}

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
        found = {
            key.key.name: tuple(part.attribute for part in key.key.parts if part.attribute in every)
            for key in self._facts.keys
        }
        return {name: attributes for name, attributes in found.items() if attributes}

    @cached_property
    def _written(self) -> dict[str, list[KeySources]]:
        """The attributes to write, each with all keys that have it."""
        wanted = dict.fromkeys(
            attribute
            for each in (self._touched, self._filled)
            for found in each.values()
            for attribute in found
        )
        wanted |= dict.fromkeys(self._completing())
        writers = {name: self._writers(name) for name in wanted}
        return {name: found for name, found in writers.items() if found}

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
                needed = (each.membership_fields | each.parts[attribute] for each in self._writers(attribute))
                if attribute not in sources.random_shard_attributes and all(
                    fields <= after.keys() for fields in needed
                ):
                    yield attribute

    @cached_property
    def fields_to_read(self) -> tuple[str, ...]:
        """The fields that must be read first, in model order."""
        after = self._image.after
        lacking: set[str] = set()
        for attribute, writers in self._written.items():
            memberships = [writer.is_in_index(after) for writer in writers]
            for writer, membership in zip(writers, memberships, strict=True):
                if membership is not False:
                    lacking |= (writer.membership_fields | writer.parts[attribute]) - after.keys()
            own = self._facts.field_of.get(attribute)
            if own is not None and not any(membership is not False for membership in memberships):
                lacking |= {own} - after.keys()
        if self._facts.primary_is_computed and (self._image.changes or self._image.is_upsert):
            lacking |= set(self._facts.stored) - after.keys()
        unread_fields = frozenset().union(
            *(self._image.unread_fields(name) for name in lacking if name in self._facts.stored)
        )
        return tuple(name for name in self._facts.stored if name in unread_fields)

    def actions(self) -> dict[str, Action]:
        """The action on each attribute, when all needed values are known."""
        rendered: dict[str, Any] = {}
        for sources in self._facts.keys:
            own = {name for name, writers in self._written.items() if sources in writers}
            if own and sources.is_in_index(self._image.after):
                rendered |= sources.render(own, self._image.after)
        kept = set().union(*self._filled.values()) - set().union(*self._touched.values())
        found = {name: self._action(name, rendered, kept) for name in self._written}
        return {name: action for name, action in found.items() if action is not None}

    def _action(self, attribute: str, rendered: dict[str, Any], kept: set[str]) -> Action | None:
        path = Path((attribute,))
        if attribute in rendered:
            value = Value(to_wire(rendered[attribute]))
            # An unchanged key stays as it is, as it may have a random shard.
            return Set(path, Call("if_not_exists", (path, value)) if attribute in kept else value)
        field = self._facts.field_of.get(attribute)
        if field is not None:
            return store_or_remove(self._facts, field, self._image.after[field]).action
        return None if attribute in kept else Remove(path)

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
