"""Writes as the machine operations them: plain data, from which the store's own values are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pksk import Entity, F, Put
from pksk.model import BoundKey

__all__ = ["Address", "Change", "Entry", "Look", "Removal", "When", "Write", "address_of"]

# The partition and the sort key of an item.
Address = tuple[str, str]


@dataclass(frozen=True)
class When:
    """That a number is at least so much."""

    field: str
    least: int

    @property
    def condition(self) -> Any:
        return F[self.field] >= self.least

    def holds(self, entity: Entity | None) -> bool:
        return entity is not None and getattr(entity, self.field) >= self.least


@dataclass(frozen=True)
class Entry:
    """An entity to be put, or to be created."""

    entity: Entity
    absent: bool = False
    when: When | None = None

    @property
    def address(self) -> Address:
        return address_of(Put(self.entity).item)

    @property
    def value(self) -> Any:
        made = Put(self.entity)
        made = made.if_absent() if self.absent else made
        return made.when(self.when.condition) if self.when else made


@dataclass(frozen=True)
class _Place:
    kind: type[Entity]
    parts: Mapping[str, Any]

    @property
    def key(self) -> BoundKey[Any]:
        return BoundKey(self.kind, "primary")

    @property
    def address(self) -> Address:
        return address_of(self.key.get(**self.parts).request["Key"])


@dataclass(frozen=True)
class Change(_Place):
    """An update: each field with its verb and a value."""

    changes: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    upsert: bool = False
    when: When | None = None

    @property
    def value(self) -> Any:
        made = self.key.update(**self.parts)
        for name, (verb, value) in self.changes.items():
            if verb in ("set", "add", "append", "discard"):
                made = getattr(made, verb)(**{name: value})
            elif verb == "remove":
                made = made.remove(name)
            else:
                made = made.apply(_acted(F[name], verb, value))
        made = made.upsert() if self.upsert else made
        return made.when(self.when.condition) if self.when else made


def _acted(path: Any, verb: str, value: Any) -> Any:
    """An action of F: on the whole field, or inside of it."""
    if verb == "plus":
        return path.set(path + value)
    return path.street.set(value) if verb == "street" else path.number.set(path.number + value)


@dataclass(frozen=True)
class Removal(_Place):
    """A deletion by the key."""

    present: bool = False
    when: When | None = None

    @property
    def value(self) -> Any:
        made = self.key.delete(**self.parts)
        made = made.if_present() if self.present else made
        return made.when(self.when.condition) if self.when else made


@dataclass(frozen=True)
class Look(_Place):
    """A check, in a transaction."""

    absent: bool = False
    when: When | None = None

    @property
    def value(self) -> Any:
        made = self.key.check(**self.parts)
        made = made.absent() if self.absent else made
        return made.when(self.when.condition) if self.when else made


Write = Entry | Change | Removal | Look


def address_of(item: Mapping[str, Any]) -> Address:
    """The key of an item."""
    return item["pk"]["S"], item["sk"]["S"]
