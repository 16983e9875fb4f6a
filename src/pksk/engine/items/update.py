"""An update: actions on the attributes of one item, which is created if it does not exist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.expressions.parameters import AttributeUpdates, Parameters
from pksk.engine.expressions.read_expressions import read_with_check
from pksk.engine.expressions.updates import apply_update, update_charge
from pksk.engine.items.item_key import lookup_key
from pksk.engine.request.attribute_values import check_item
from pksk.engine.service_errors import InvalidRequest, validation
from pksk.engine.state.table import Table
from pksk.engine.texts import items as texts
from pksk.expressions import Delete, Remove, Update
from pksk.limits import ITEM_BYTES
from pksk.values import WireItem

from ..state.write import Condition, Write
from .item_key import check_index_keys, check_updated_index_keys
from .put import fits_with_entries

_REMOVING_ACTIONS: Final = (Remove, Delete)


class ItemUpdate:
    """An update whose request is checked as far as possible without the table."""

    __slots__ = ("_condition", "_key", "update")

    def __init__(self, key: WireItem, update: Update | None, condition: Condition | None) -> None:
        self._key, self.update, self._condition = key, update, condition

    def write_to(self, table: Table) -> Write:
        """The write for a table; raises if the key does not match, or if the update changes key attributes."""
        key = lookup_key(table, self._key)
        touched = _updated_names(self.update)
        for attribute in table.layout.keys:
            if attribute.name in touched:
                raise validation(texts.cannot_update(attribute.name))

        def change(old: WireItem | None) -> tuple[WireItem | None, int]:
            return self._changed(table, touched, old)

        return Write(table, key, self._key, change, self._condition, reads_old=True)

    def _changed(self, table: Table, touched: set[str], old: WireItem | None) -> tuple[WireItem | None, int]:
        update = self.update
        new, size = _apply(update, old if old is not None else dict(self._key))
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
            if not fits_with_entries(table, new, size):
                raise validation(texts.UPDATE_TOO_LARGE)
        return new, size


def read_update(request: Mapping[str, Any], parameters: Parameters, *, charged: bool = False) -> ItemUpdate:
    """The update of a request, or of a member of one.

    `charged` also limits the size that UpdateItem computes from the request alone.
    """
    expressions, (key, _) = read_with_check(request, parameters, _check_key)
    update, condition = expressions.update, expressions.condition
    if charged and update is not None and update_charge(update) > ITEM_BYTES:
        raise validation(texts.UPDATE_TOO_LARGE)
    return ItemUpdate(key, update, None if condition is None else condition.test)


def _check_key(request: Mapping[str, Any]) -> tuple[WireItem, int]:
    return check_item(request["Key"])


def _updated_names(update: Update | None) -> set[str]:
    return set() if update is None else {str(action.path.elements[0]) for action in update.actions}


def _apply(update: Update | None, item: WireItem) -> tuple[WireItem, int]:
    """The item after an update, and its size."""
    new = item if update is None else apply_update(update, item)
    try:
        return check_item(new)
    except InvalidRequest:
        # Each value is valid; together they are nested too deep.
        raise validation(texts.NESTED_TOO_DEEP) from None
