"""Holds the fields of an entity against the key that its item stands under."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from pksk.errors import ItemUnreadable, PkskError, quote
from pksk.keys import ScalarKey
from pksk.model.shard import SHARD_FIELD
from pksk.store.reads.unreadable import unreadable
from pksk.values import from_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity_key import KeyPart
    from pksk.values import WireItem

__all__ = ["OwnKey", "misplaced"]


class OwnKey:
    """Whether items of an entity stand under the key that their fields make.

    A key attribute that is a field itself is what the field holds, and a shard that was drawn is in no field: of those
    nothing is asked.
    """

    def __init__(self, declaration: Declaration[Any]) -> None:
        key = self._key = declaration.primary
        self._parts = [part for part in key.parts if _tells(declaration, part)]
        of = key.shard.of if key.shard else None
        self.names = key.fields if of is None else (*key.fields, of)
        # What they are made of; computed fields are no values of the object.
        is_plain = not any(declaration.fields[name].computed for name in self.names)
        self.values: Callable[[Any], Mapping[str, Any]] = attrgetter("__dict__") if is_plain else self._values
        texts = [part for part in self._parts if not isinstance(part.writer, ScalarKey)]
        is_quick = key.shard is None and texts == self._parts != []
        self.stands: Callable[[Mapping[str, Any], WireItem], bool] = (
            _texts_stand(texts) if is_quick else self._stands
        )

    @property
    def is_told(self) -> bool:
        """Whether there is anything to be looked at."""
        return bool(self._parts)

    def _values(self, entity: Any) -> Mapping[str, Any]:
        return {name: getattr(entity, name) for name in self.names}

    def made(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes of the key, as the fields make them."""
        if self._key.shard is not None and self._key.shard.of is not None:
            values = {**values, SHARD_FIELD: self._key.shard.number(dict(values))}
        return {part.attribute: part.writer.render(values) for part in self._parts}

    def _stands(self, values: Mapping[str, Any], item: WireItem) -> bool:
        made = self.made(values)
        return all(from_wire(item[name]) == value for name, value in made.items() if name in item)


def _tells(declaration: Declaration[Any], part: KeyPart) -> bool:
    """Whether an attribute of the key is made of fields that stand elsewhere, too, and of nothing else."""
    shard = declaration.primary.shard
    if not part.fields or (SHARD_FIELD in part.fields and shard is not None and shard.of is None):
        return False
    if not isinstance(part.writer, ScalarKey):
        return True
    field = declaration.fields.get(part.writer.field)
    return field is not None and not field.computed and field.attribute != part.attribute


def _texts_stand(parts: list[KeyPart]) -> Callable[[Mapping[str, Any], WireItem], bool]:
    """The same for keys of texts, of which nearly all are; for each item that is read."""
    first, last = parts[0], parts[-1]
    partition, sort = first.attribute, last.attribute if last is not first else None
    render_partition, render_sort = first.writer.render, last.writer.render
    sources = itemgetter(*first.fields)
    known: tuple[Any, Any] = (None, None)

    def stands(values: Mapping[str, Any], item: WireItem) -> bool:
        nonlocal known
        # Not reckoned again for one item after the other of a partition.
        if partition in item and (found := (item[partition], sources(values))) != known:
            if found[0].get("S") != render_partition(values):
                return False
            known = found
        return sort is None or sort not in item or item[sort].get("S") == render_sort(values)

    return stands


def misplaced(
    declaration: Declaration[Any], own: OwnKey, values: Mapping[str, Any], item: WireItem
) -> ItemUnreadable:
    """The error for an entity whose fields make another key: written again, it would be another item."""
    try:
        told = "the key " + ", ".join(f"{name} = {quote(value)}" for name, value in own.made(values).items())
    except PkskError as error:
        told = error.problem
    names = ", ".join(declaration.primary.fields)
    return unreadable(declaration, item, None, {names: f"these fields make {told}"})
