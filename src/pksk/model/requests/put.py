"""The Put request: one whole item, made from an entity."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.dataclass import dataclass
from pksk.errors import DesignError, quote
from pksk.expressions import Condition, describe, evaluate
from pksk.model.requests.keyed_request import E_co, ItemRequest
from pksk.model.requests.request import copy_request
from pksk.model.writes.field_update import reject
from pksk.model.writes.size_limits import check_item_size, surely_fits
from pksk.model.writes.write_conditions import (
    check_condition,
    condition_request,
    existence_condition,
    join_conditions,
    user_condition,
)
from pksk.values import WireItem, item_size
from pksk.values.boto3_form import item_to_boto3, to_boto3

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration


@dataclass(frozen=True, init=False)
class Put(ItemRequest[E_co]):
    """An entity to store, replacing any item with the same key.

    The item is made at once: what happens to the entity later does not change it.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> put = Put(Order(id="7")).if_absent()
        >>> put.item["pk"], put.request["ConditionExpression"]
        ({'S': 'ORDER#7'}, 'attribute_not_exists(pk)')
    """

    kind = "put"
    operation = "PutItem"
    action = "Put"
    batchable = True
    same_cost_per_entity = True
    example = "Put({}(...))"
    run_by = "put(...)"

    value: E_co = field(compare=False)
    _item: WireItem = field(repr=False)
    condition: Condition | None
    requires_absence: bool

    def __init__(self, entity: E_co) -> None:
        kind = type(entity)
        item = _declaration(kind, entity).to_item(entity)
        # As a frozen dataclass, it has no other way to set its fields.
        self.__dict__.update(entity=kind, value=entity, _item=item, condition=None, requires_absence=False)
        if not surely_fits(item):
            check_item_size(f"Put: the item of {kind.__name__}", self.size)

    def replace(self, **values: Any) -> Put[E_co]:
        """The same put with some fields replaced; the item stays."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, **values)
        made.__dict__.pop("_conditions", None)
        return made

    def __hash__(self) -> int:
        return hash((self.entity, repr(self.item_key), self.condition, self.requires_absence))

    @cached_property
    def size(self) -> int:
        """The bytes of the item, as DynamoDB counts them."""
        return item_size(self._item)

    @property
    def item(self) -> WireItem:
        """The whole item, in DynamoDB's JSON."""
        return copy_request(self._item)

    @property
    def item_key(self) -> WireItem:
        """The key attributes of the item, as boto3 takes them."""
        return {name: to_boto3(self._item[name]) for name in self.declaration.table.key_attributes}

    def when(self, condition: Condition) -> Put[E_co]:
        """The same, if a condition on fields holds for what is stored under the key."""
        check_condition(self.declaration, condition)
        return self.replace(condition=join_conditions(self.condition, condition))._consistent()

    def if_absent(self) -> Put[E_co]:
        """The same, and an error if an item with the key exists."""
        return self.replace(requires_absence=True)._consistent()

    def _consistent(self) -> Put[E_co]:
        """Refuse a creation under a condition that nothing can meet: where no item is, there are no fields."""
        if not self.requires_absence or self.condition is None:
            return self
        asked = user_condition(self.declaration, self.condition)
        if asked is not None and not evaluate(asked, {}):
            reject(
                "write-absent-condition",
                f"Put of {self.declaration.name}: it is stored where no item is, and {describe(self.condition)} never "
                "holds there.",
                fix="leave the condition out; or use put, which replaces an item that meets it.",
            )
        return self

    @property
    def conditional(self) -> bool:
        """Whether it can fail by a condition."""
        return self.requires_absence or self.condition is not None

    @cached_property
    def _conditions(self) -> dict[str, Any]:
        free = existence_condition(self.declaration.table, absent=True) if self.requires_absence else None
        return condition_request((free, user_condition(self.declaration, self.condition)))

    @property
    def request(self) -> dict[str, Any]:
        """The PutItem request."""
        request = {"TableName": self.entity.__pksk__.table.name, "Item": item_to_boto3(self._item)}
        return request | copy_request(self._conditions) if self.conditional else request

    @property
    def batch_member(self) -> dict[str, Any]:
        """The put as a batch takes it."""
        return {"PutRequest": {"Item": item_to_boto3(self._item)}}


def _declaration(kind: type[Any], entity: object) -> Declaration[Any]:
    found: Declaration[Any] | None = getattr(kind, "__pksk__", None)
    if found is not None and found.entity is kind:
        return found
    # A subclass without table= has its base's keys, and fields that the base would not store.
    unknown = [name for name in kind.__pydantic_fields__ if name not in found.fields] if found else []
    if found is None:
        _check_entity(entity)
    if found is None or unknown:
        also = f", and {found.name} has no field {unknown[0]!r}" if found else ""
        raise DesignError(
            "write-no-table",
            f"Put: {quote(entity)} is of {kind.__name__}, which has no table{also}.",
            fix=f"declare class {kind.__name__}(..., table=...).",
        )
    return found


def _check_entity(value: object) -> None:
    """Reject what is not an entity of any class: a class, a dict, None."""
    from pydantic import BaseModel

    if hasattr(type(value), "__pksk_options__"):
        return
    fix = "make the entity first: Put(Order(**values)), with your class in place of Order."
    if isinstance(value, type):
        fix = f"write Put({value.__name__}(...))."
    elif isinstance(value, BaseModel):
        fix = f"declare class {type(value).__name__}(Entity, table=...)."
    raise DesignError(
        "write-not-an-entity",
        f"Put: {quote(value)} is {'a class' if isinstance(value, type) else 'not an entity'}.",
        expected="Put takes one entity: an object of a class that is declared with table=.",
        fix=fix,
    )
