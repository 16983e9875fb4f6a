"""The bases of requests about one item: of an entity, by its whole key, and on a condition."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Generic, Self

from pksk.dataclass import dataclass
from pksk.errors import PkskError, shorten_traceback
from pksk.expressions import Condition
from pksk.model.declaration import Declaration, E_co
from pksk.model.fields.facts import FieldFacts, field_facts
from pksk.model.item_key import render_item_key, resolve_item_key
from pksk.model.request_values import FrozenValues, copy_request
from pksk.model.requests.request import R_co, Request
from pksk.model.writes.write_conditions import check_condition, join_conditions
from pksk.values import WireItem


@dataclass(frozen=True)
class ItemRequest(Request[R_co], Generic[E_co, R_co]):
    """A request about one item of an entity."""

    entity: type[E_co]

    @property
    def declaration(self) -> Declaration:
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
class Move(ItemRequest):
    """A move of an item to another key, in messages and estimates: its entity, and the fields that change."""

    kind = "move"
    operation = "TransactWriteItems"

    changed: frozenset[str]


@dataclass(frozen=True)
class Refresh(ItemRequest):
    """A refresh of one stored item, in messages and estimates: its entity, and the attributes that change.

    It also writes guard items, and checks that other items still lack the values of guards that name them.
    """

    kind = "refresh"
    operation = "UpdateItem"

    changed: frozenset[str]
    guards: int = 0
    checks: int = 0


@dataclass(frozen=True)
class KeyedRequest(ItemRequest[E_co, R_co]):
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
        request = object.__new__(cls)
        # The other fields have the defaults of the class. A get takes 4 % longer with `cls(...)`.
        request.__dict__.update(entity=entity, key=key, parts=validated, _item_key=item_key)
        return request

    def replace(self, **values: Any) -> Self:
        """The same request, of the same pattern, with some fields replaced."""
        request = super().replace(**values)
        if "_item_key" in self.__dict__ and values.keys().isdisjoint(("entity", "key", "parts")):
            request.__dict__["_item_key"] = self.__dict__["_item_key"]
        return request

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
class KeyedWrite(KeyedRequest[E_co, R_co]):
    """A write of one item, or a check, by all parts of its primary key and perhaps on a condition."""

    condition: Condition | None = None

    def when(self, condition: Condition) -> Self:
        """The same, if a condition on fields holds for the stored item."""
        check_condition(self.declaration, condition)
        return self.replace(condition=join_conditions(self.condition, condition))
