"""The put, update, delete and condition check of a request, checked as far as possible without the table."""

from __future__ import annotations

from typing import Final

from pksk.engine import texts
from pksk.engine.expressions.parameters import AttributeUpdates, Parameters
from pksk.engine.expressions.read_expressions import read_with_check
from pksk.engine.expressions.updates import apply_update, update_charge
from pksk.engine.request import Request, check_item
from pksk.engine.service_errors import InvalidRequest, invalid_parameter, invalid_request, validation
from pksk.engine.state import Table, Test, Write
from pksk.expressions import Delete as DeleteMembers
from pksk.expressions import Remove, Set, Update, Value
from pksk.limits import ITEM_BYTES
from pksk.schema.quotas import LSI_COUNT
from pksk.values import WireItem

from .keys import (
    check_index_keys,
    check_set_index_keys,
    check_updated_index_keys,
    lookup_key,
    put_key,
    read_key,
)


def _fits_with_entries(table: Table, item: WireItem, size: int) -> bool:
    """Whether an item and its entries in all local indexes fit the item size limit.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items-size-
    secondary-indexes
    """
    if table.collection_space is None or size * (1 + LSI_COUNT) <= ITEM_BYTES:
        return True
    total = size
    for index in table.indexes.values():
        if index.kind == "lsi" and index.includes(item):
            total += index.entry_size(item, size)
    return total <= ITEM_BYTES


def _check_return_values(request: Request) -> None:
    """Raise for ReturnValues that only UpdateItem supports."""
    if request.get("ReturnValues", "NONE") not in {"NONE", "ALL_OLD"}:
        raise invalid_request("ReturnValues can only be ALL_OLD or NONE")


class ItemPut:
    """A put whose request is checked as far as possible without the table."""

    __slots__ = ("_condition", "_size", "item")

    def __init__(self, item: WireItem, size: int, condition: Test | None) -> None:
        if size > ITEM_BYTES:
            raise validation(texts.ITEM_TOO_LARGE)
        self.item, self._size, self._condition = item, size, condition

    def write_to(self, table: Table) -> Write:
        """The write for a table; raises if the item does not match the table's keys."""
        key = put_key(table, self.item)
        if table.indexes:
            check_index_keys(table, self.item)
            if not _fits_with_entries(table, self.item, self._size):
                raise validation(texts.ITEM_TOO_LARGE)
        new = (self.item, self._size)
        return Write(table, key, self.item, lambda _old: new, self._condition)


def read_put(request: Request, parameters: Parameters) -> ItemPut:
    """The put of a request, or of a member of one."""
    expressions, (item, size) = read_with_check(request, parameters, _check_put)
    condition = expressions.condition
    return ItemPut(item, size, None if condition is None else condition.test)


def _check_put(request: Request) -> tuple[WireItem, int]:
    item, size = check_item(request["Item"])
    _check_return_values(request)
    # DynamoDB checks the size before the expressions.
    if size > ITEM_BYTES:
        raise validation(texts.ITEM_TOO_LARGE)
    return item, size


_REMOVING_ACTIONS: Final = (Remove, DeleteMembers)


class ItemUpdate:
    """An update whose request is checked as far as possible without the table."""

    __slots__ = ("_condition", "_key", "update")

    def __init__(self, key: WireItem, update: Update | None, condition: Test | None) -> None:
        self._key, self.update, self._condition = key, update, condition

    def write_to(self, table: Table) -> Write:
        """The write for a table; raises if the key does not match, or if the update changes key attributes."""
        key = lookup_key(table, self._key)
        touched = _updated_names(self.update)
        for attribute in table.layout.keys:
            if attribute.name in touched:
                raise invalid_parameter(
                    f"Cannot update attribute {attribute.name}. This attribute is part of the key"
                )

        if self.update is not None and not table.index_attributes.isdisjoint(touched):
            check_set_index_keys(table, _values_set(self.update))

        def change(old: WireItem | None) -> tuple[WireItem | None, int]:
            return self._changed(table, touched, old)

        return Write(table, key, self._key, change, self._condition, reads_old=True)

    def _changed(self, table: Table, touched: set[str], old: WireItem | None) -> tuple[WireItem | None, int]:
        update = self.update
        new, size = _apply(update, self._key if old is None else old, exists=old is not None)
        if (
            old is None
            and update is not None
            and all(isinstance(a, _REMOVING_ACTIONS) for a in update.actions)
        ):
            # Removing from a missing item does not create one.
            return None, 0
        if size > ITEM_BYTES:
            raise validation(texts.UPDATE_TOO_LARGE)
        if table.indexes:
            legacy = type(update) is AttributeUpdates
            (check_index_keys if legacy else check_updated_index_keys)(table, new, touched)
            if not _fits_with_entries(table, new, size):
                raise validation(texts.UPDATE_TOO_LARGE)
        return new, size


def read_update(request: Request, parameters: Parameters, *, charged: bool = False) -> ItemUpdate:
    """The update of a request, or of a member of one.

    `charged` also limits the size that UpdateItem computes from the request alone.
    """
    expressions, (key, _) = read_with_check(request, parameters, read_key)
    update, condition = expressions.update, expressions.condition
    if charged and update is not None and update_charge(update) > ITEM_BYTES:
        raise validation(texts.UPDATE_TOO_LARGE)
    return ItemUpdate(key, update, None if condition is None else condition.test)


def _updated_names(update: Update | None) -> set[str]:
    return set() if update is None else {str(action.path.elements[0]) for action in update.actions}


def _values_set(update: Update) -> WireItem:
    """The attributes that an update sets to values of the request."""
    return {
        str(action.path.elements[0]): action.value.wire
        for action in update.actions
        if type(action) is Set and type(action.value) is Value and len(action.path.elements) == 1
    }


def _apply(update: Update | None, item: WireItem, *, exists: bool) -> tuple[WireItem, int]:
    """The item after an update, and its size."""
    new = dict(item) if update is None else apply_update(update, item, exists=exists)
    try:
        return check_item(new)
    except InvalidRequest:
        # Each value is valid; together they are nested too deep.
        raise validation(texts.TOO_DEEP) from None


class ItemDelete:
    """A delete whose request is checked as far as possible without the table."""

    __slots__ = ("_condition", "_key")

    def __init__(self, key: WireItem, condition: Test | None) -> None:
        self._key, self._condition = key, condition

    def write_to(self, table: Table) -> Write:
        """The write for a table; raises if the key does not match the table's key schema."""
        key = lookup_key(table, self._key)
        return Write(table, key, self._key, lambda _old: (None, 0), self._condition)


class ConditionCheck(ItemDelete):
    """A condition check: a delete that changes nothing."""

    __slots__ = ()

    def write_to(self, table: Table) -> Write:
        """The write for a table, without a change."""
        write = super().write_to(table)
        write.change = None
        return write


def read_delete(request: Request, parameters: Parameters) -> ItemDelete:
    """The delete of a request, or of a member of one."""
    return ItemDelete(*_read_key_and_condition(request, parameters))


def read_condition_check(request: Request, parameters: Parameters) -> ConditionCheck:
    """The condition check of a transaction member."""
    return ConditionCheck(*_read_key_and_condition(request, parameters))


def _read_key_and_condition(request: Request, parameters: Parameters) -> tuple[WireItem, Test | None]:
    expressions, key = read_with_check(request, parameters, _check_key_and_return_values)
    condition = expressions.condition
    return key, None if condition is None else condition.test


def _check_key_and_return_values(request: Request) -> WireItem:
    key, _ = read_key(request)
    _check_return_values(request)
    return key
