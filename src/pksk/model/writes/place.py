"""Where the item of a write stands: the parts of its primary key, checked, and the key that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pksk.keys import Operator
from pksk.model.given import Given
from pksk.model.reads.whole_key import whole_key
from pksk.model.request import Request
from pksk.model.writes.facts import WriteFacts, write_facts
from pksk.model.writes.fresh import fresh

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity
    from pksk.values import WireItem

__all__ = ["Place", "parts_of"]

E_co = TypeVar("E_co", bound="Entity", covariant=True)


def parts_of(entity: type[Entity], key: str, given: Mapping[str, Any], verb: str) -> Given:
    """The parts of a primary key as the model holds them; refused unless all are given, as plain values."""
    declaration = entity.__pksk__
    facts = write_facts(declaration)
    parts = {
        name: facts.values.validated(name, value)
        if name in facts.primary and name in facts.stored and not isinstance(value, Operator)
        else value
        for name, value in given.items()
    }
    whole_key(declaration, key, parts, verb)
    return Given(parts)


@dataclass(frozen=True)
class Place(Request, Generic[E_co]):
    """An item of an entity, by all parts of its primary key."""

    entity: type[E_co]
    key: str
    given: Given

    @property
    def declaration(self) -> Declaration[Any]:
        """The design of the entity."""
        return self.entity.__pksk__

    @property
    def facts(self) -> WriteFacts:
        """What is known of the entity's fields and keys."""
        return write_facts(self.declaration)

    @property
    def table_name(self) -> str:
        """The table that the item stands in."""
        return self.declaration.table.name

    @cached_property
    def _item_key(self) -> WireItem:
        return whole_key(self.declaration, self.key, self.given, "write")

    @property
    def item_key(self) -> WireItem:
        """The key attributes of the item, as boto3 takes them."""
        return fresh(self._item_key)

    @property
    def target(self) -> dict[str, Any]:
        """What every request about one item begins with."""
        return {"TableName": self.table_name, "Key": self.item_key}
