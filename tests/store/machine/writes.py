"""Writes of the machine as plain data, which builds the requests of the store."""

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
    """A condition that a number has at least this value."""

    field: str
    least: int

    @property
    def condition(self) -> Any:
        return F[self.field] >= self.least

    def holds(self, entity: Entity | None) -> bool:
        return entity is not None and getattr(entity, self.field) >= self.least


@dataclass(frozen=True)
class Entry:
    """A put or a create of an entity."""

    entity: Entity
    absent: bool = False
    when: When | None = None

    @property
    def address(self) -> Address:
        return address_of(Put(self.entity).item)

    @property
    def value(self) -> Any:
        request = Put(self.entity)
        request = request.if_absent() if self.absent else request
        return request.when(self.when.condition) if self.when else request


@dataclass(frozen=True)
class _Keyed:
    kind: type[Entity]
    parts: Mapping[str, Any]

    @property
    def key(self) -> BoundKey[Any]:
        return BoundKey(self.kind, "primary")

    @property
    def address(self) -> Address:
        return address_of(self.key.get(**self.parts).request["Key"])


@dataclass(frozen=True)
class Change(_Keyed):
    """An update: each field with its verb and a value."""

    changes: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    upsert: bool = False
    when: When | None = None

    @property
    def value(self) -> Any:
        request = self.key.update(**self.parts)
        for name, (verb, value) in self.changes.items():
            if verb in ("set", "add", "append", "discard"):
                request = getattr(request, verb)(**{name: value})
            elif verb == "remove":
                request = request.remove(name)
            else:
                request = request.apply(_action(F[name], verb, value))
        request = request.upsert() if self.upsert else request
        return request.when(self.when.condition) if self.when else request


def _action(path: Any, verb: str, value: Any) -> Any:
    """An action of F: on the whole field, or on a member of it."""
    if verb == "plus":
        return path.set(path + value)
    return path.street.set(value) if verb == "street" else path.number.set(path.number + value)


@dataclass(frozen=True)
class Removal(_Keyed):
    """A deletion by the key."""

    present: bool = False
    when: When | None = None

    @property
    def value(self) -> Any:
        request = self.key.delete(**self.parts)
        request = request.if_present() if self.present else request
        return request.when(self.when.condition) if self.when else request


@dataclass(frozen=True)
class Look(_Keyed):
    """A check, in a transaction."""

    absent: bool = False
    when: When | None = None

    @property
    def value(self) -> Any:
        request = self.key.check(**self.parts)
        request = request.absent() if self.absent else request
        return request.when(self.when.condition) if self.when else request


Write = Entry | Change | Removal | Look


def address_of(item: Mapping[str, Any]) -> Address:
    """The key of an item."""
    return item["pk"]["S"], item["sk"]["S"]
