"""The bases of requests about one item: of an entity, by its whole key, and on a condition."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from pksk.dataclass import dataclass
from pksk.errors import PkskError, shorten_traceback
from pksk.expressions import Condition
from pksk.model.fields.field_facts import FieldFacts, field_facts
from pksk.model.frozen_values import FrozenValues
from pksk.model.item_key import render_item_key, resolve_item_key
from pksk.model.requests.request import Request, copy_request
from pksk.model.writes.write_conditions import check_condition, join_conditions

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity
    from pksk.values import WireItem

E_co = TypeVar("E_co", bound="Entity", covariant=True)


@dataclass(frozen=True)
class ItemRequest(Request, Generic[E_co]):
    """A request about one item of an entity."""

    entity: type[E_co]

    @property
    def declaration(self) -> Declaration[Any]:
        """The design of the entity."""
        return self.entity.__pksk__

    @property
    def table_name(self) -> str:
        """The table of the entity."""
        return self.entity.__pksk__.table.name

    @property
    def item_key(self) -> WireItem:
        """The key attributes of the item, as boto3 takes them."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """The bytes that the request certainly writes into the item."""
        return 0

    @property
    def fields_to_read(self) -> tuple[str, ...]:
        """The fields that must be read before the request can be made; none for most requests."""
        return ()


@dataclass(frozen=True)
class KeyedRequest(ItemRequest[E_co]):
    """A request about one item, by all parts of its primary key."""

    key: str
    parts: FrozenValues

    @classmethod
    def for_item(cls, entity: type[Any], key: str, parts: Mapping[str, Any]) -> Self:
        """The request about the item with these parts; raises if one is missing, unknown or a range."""
        try:
            validated, item_key = resolve_item_key(entity, key, parts, cls.kind)
        except PkskError as error:
            raise shorten_traceback(error)  # noqa: B904 - the error itself
        made = object.__new__(cls)
        # The other fields have the defaults of the class. A get takes 4 % longer with `cls(...)`.
        made.__dict__.update(entity=entity, key=key, parts=validated, _item_key=item_key)
        return made

    def replace(self, **values: Any) -> Self:
        """The same request, of the same pattern, with some fields replaced."""
        made = super().replace(**values)
        if "_item_key" in self.__dict__ and values.keys().isdisjoint(("entity", "key", "parts")):
            made.__dict__["_item_key"] = self.__dict__["_item_key"]
        return made

    @property
    def facts(self) -> FieldFacts:
        """What is known of the entity's fields and keys."""
        return field_facts(self.declaration)

    @cached_property
    def _item_key(self) -> WireItem:
        return render_item_key(self.declaration, self.key, self.parts, self.kind)

    @property
    def item_key(self) -> WireItem:
        """The key attributes of the item, as boto3 takes them."""
        return copy_request(self._item_key)

    @property
    def table_and_key(self) -> dict[str, Any]:
        """The part that all requests about one item have in common."""
        return {"TableName": self.table_name, "Key": self.item_key}


@dataclass(frozen=True)
class KeyedWrite(KeyedRequest[E_co]):
    """A write of one item, or a check, by all parts of its primary key and perhaps on a condition."""

    condition: Condition | None = None

    def when(self, condition: Condition) -> Self:
        """The same, if a condition on fields holds for the stored item."""
        check_condition(self.declaration, condition)
        return self.replace(condition=join_conditions(self.condition, condition))
