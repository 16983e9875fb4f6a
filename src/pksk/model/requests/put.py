"""The Put request: one whole item, made from an entity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from pydantic import BaseModel

from pksk.dataclass import dataclass, field
from pksk.errors import DesignError, quote
from pksk.expressions import Condition, describe, evaluate
from pksk.model.declaration import Declaration, E_co
from pksk.model.request_values import copy_request
from pksk.model.requests.keyed_request import ItemRequest
from pksk.model.writes import write_conditions as conditions
from pksk.model.writes.field_update import reject
from pksk.model.writes.size_limits import check_item_size, surely_fits
from pksk.values import WireItem, item_size
from pksk.values.wire import item_to_boto3, to_boto3


@dataclass(frozen=True, init=False)
class Put(ItemRequest[E_co, E_co]):
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
        item = declaration_to_put(kind, entity).to_item(entity)
        # As a frozen dataclass, it has no other way to set its fields.
        self.__dict__.update(entity=kind, value=entity, _item=item, condition=None, requires_absence=False)
        if not surely_fits(item):
            check_item_size(f"Put: the item of {kind.__name__}", self.size)

    def replace(self, **values: Any) -> Put[E_co]:
        """The same put with some fields replaced; the item stays."""
        put = object.__new__(type(self))
        put.__dict__.update(self.__dict__, **values)
        put.__dict__.pop("_conditions", None)
        return put

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
        conditions.check_condition(self.declaration, condition)
        return self.replace(condition=conditions.join_conditions(self.condition, condition))._checked()

    def if_absent(self) -> Put[E_co]:
        """The same, and an error if an item with the key exists."""
        return self.replace(requires_absence=True)._checked()

    def _checked(self) -> Put[E_co]:
        """Reject a creation with a condition that never holds: a missing item has no fields."""
        if not self.requires_absence or self.condition is None:
            return self
        own = conditions.user_condition(self.declaration, self.condition)
        if own is not None and not evaluate(own, {}):
            reject(
                "write-absent-condition",
                f"Put of {self.declaration.name}: it creates an item, and the condition "
                f"{describe(self.condition)} is false if there is no item yet.",
                fix="leave the condition out; or use put, which replaces an item that meets it.",
            )
        return self

    @property
    def conditional(self) -> bool:
        """Whether it can fail by a condition."""
        return self.requires_absence or self.condition is not None

    @cached_property
    def _conditions(self) -> dict[str, Any]:
        free = (
            conditions.existence_condition(self.declaration.table, absent=True)
            if self.requires_absence
            else None
        )
        return conditions.condition_request(
            (free, conditions.user_condition(self.declaration, self.condition))
        )

    @property
    def request(self) -> dict[str, Any]:
        """The PutItem request."""
        request = {"TableName": self.entity.__pksk__.table.name, "Item": item_to_boto3(self._item)}
        return request | copy_request(self._conditions) if self.conditional else request

    @property
    def batch_member(self) -> dict[str, Any]:
        """The put as a batch takes it."""
        return {"PutRequest": {"Item": item_to_boto3(self._item)}}


def declaration_to_put(kind: type[Any], entity: object) -> Declaration:
    """The declaration by which an entity is stored; raises if its class has none, or one that lacks its fields."""
    declaration: Declaration | None = getattr(kind, "__pksk__", None)
    if declaration is not None and declaration.entity is kind:
        return declaration
    # A subclass without table= has its base's keys, and fields that the base would not store.
    unknown = (
        [name for name in kind.__pydantic_fields__ if name not in declaration.fields] if declaration else []
    )
    if declaration is None:
        _check_entity(entity)
    if declaration is None or unknown:
        also = f", and {declaration.name} has no field {unknown[0]!r}" if declaration else ""
        raise DesignError(
            "write-no-table",
            f"Put: {quote(entity)} is of {kind.__name__}, which has no table{also}.",
            fix=f"declare class {kind.__name__}(..., table=...).",
        )
    return declaration


def _check_entity(value: object) -> None:
    """Reject what is not an entity of any class: a class, a dict, None."""
    if hasattr(type(value), "__pksk_options__"):
        return
    fix = "make the entity first: Put(Order(**values)), with your class in place of Order."
    if isinstance(value, type):
        fix = f"write Put({value.__name__}(...))."
    elif isinstance(value, BaseModel):
        fix = f"declare class {type(value).__name__}(Entity, table=...)."
    elif isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
        fix = "pass one entity; batch_put of a store takes an iterable of them: db.batch_put(entities)."
    raise DesignError(
        "write-not-an-entity",
        f"Put: {quote(value)} is {'a class' if isinstance(value, type) else 'not an entity'}.",
        expected="Put takes one entity: an object of a class that is declared with table=.",
        fix=fix,
    )
