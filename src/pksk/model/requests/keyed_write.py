"""The base of writes that name one item by the parts of its primary key."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from pksk.dataclass import dataclass
from pksk.model.fields.field_facts import FieldFacts, field_facts
from pksk.model.frozen_values import FrozenValues
from pksk.model.item_key import render_item_key, resolve_item_key
from pksk.model.requests.request import Request, copy_request

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity
    from pksk.values import WireItem

__all__ = ["KeyedWrite"]

E_co = TypeVar("E_co", bound="Entity", covariant=True)


@dataclass(frozen=True)
class KeyedWrite(Request, Generic[E_co]):
    """An item of an entity, by all parts of its primary key."""

    entity: type[E_co]
    key: str
    given: FrozenValues

    @classmethod
    def at(cls, entity: type[Any], key: str, given: Mapping[str, Any], verb: str) -> Self:
        """The write of the item with these parts, as the model holds them; refused unless all are given."""
        parts, item_key = resolve_item_key(entity, key, given, verb)
        made = object.__new__(cls)
        # Past the guard of a frozen dataclass: of the rest, the defaults of the class hold.
        made.__dict__.update(entity=entity, key=key, given=parts, _item_key=item_key)
        return made

    def replace(self, **values: Any) -> Self:
        """The same write with other values in some of its fields; the item that it is about stays."""
        made = super().replace(**values)
        if "_item_key" in self.__dict__ and values.keys().isdisjoint(("entity", "key", "given")):
            made.__dict__["_item_key"] = self.__dict__["_item_key"]
        return made

    @property
    def declaration(self) -> Declaration[Any]:
        """The design of the entity."""
        return self.entity.__pksk__

    @property
    def facts(self) -> FieldFacts:
        """What is known of the entity's fields and keys."""
        return field_facts(self.declaration)

    @property
    def table_name(self) -> str:
        """The table that the item stands in."""
        return self.declaration.table.name

    @cached_property
    def _item_key(self) -> WireItem:
        return render_item_key(self.declaration, self.key, self.given, "write")

    @property
    def item_key(self) -> WireItem:
        """The key attributes of the item, as boto3 takes them."""
        return copy_request(self._item_key)

    @property
    def target(self) -> dict[str, Any]:
        """What every request about one item begins with."""
        return {"TableName": self.table_name, "Key": self.item_key}
