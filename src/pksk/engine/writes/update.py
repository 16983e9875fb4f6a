"""An update: actions on the attributes of one item, which it makes where it is not there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.expressions import AttributeUpdates, Parameters, applied, read_expressions, update_charge
from pksk.engine.faults import RequestRefused, validation
from pksk.engine.keys import lookup_key
from pksk.engine.tables.table import Table
from pksk.engine.texts import items as texts
from pksk.engine.values import check_item
from pksk.expressions import Delete, Remove, Update
from pksk.limits import ITEM_BYTES
from pksk.values import WireItem

from .index_keys import check_index_keys, check_updated_index_keys
from .size import fits_with_entries
from .write import Condition, Write

__all__ = ["UpdateOf", "read_update"]

_TAKES_AWAY: Final = (Remove, Delete)


class UpdateOf:
    """An update of the item with a key that was checked, as far as it can be without its table."""

    __slots__ = ("_condition", "_key", "update")

    def __init__(self, key: WireItem, update: Update | None, condition: Condition | None) -> None:
        self._key, self.update, self._condition = key, update, condition

    def on(self, table: Table) -> Write:
        """The write that this is in a table; refuses a key that is not the table's, and changes of it."""
        key = lookup_key(table, self._key)
        touched = _touched(self.update)
        for attribute in table.rows.keys:
            if attribute.name in touched:
                raise validation(texts.cannot_update(attribute.name))

        def change(old: WireItem | None) -> tuple[WireItem | None, int]:
            return self._changed(table, touched, old)

        return Write(table, key, self._key, change, self._condition, reads_old=True)

    def _changed(self, table: Table, touched: set[str], old: WireItem | None) -> tuple[WireItem | None, int]:
        update = self.update
        new, size = _made(update, old if old is not None else dict(self._key))
        if old is None and update is not None and all(isinstance(a, _TAKES_AWAY) for a in update.actions):
            # Nothing is taken from an item that is not there, and nothing is made.
            return None, 0
        if size > ITEM_BYTES:
            raise validation(texts.UPDATE_TOO_LARGE)
        if table.indexes:
            legacy = type(update) is AttributeUpdates
            (check_index_keys if legacy else check_updated_index_keys)(table, new, touched)
            if not fits_with_entries(table, new, size):
                raise validation(texts.UPDATE_TOO_LARGE)
        return new, size


def read_update(request: Mapping[str, Any], parameters: Parameters, *, charged: bool = False) -> UpdateOf:
    """The update that a request, or a member of one, says.

    `charged` holds it also to the charge that UpdateItem computes from the request alone.
    """
    asked = _Asked()
    expressions = read_expressions(request, parameters, asked.check)
    update, condition = expressions.update, expressions.condition
    if charged and update is not None and update_charge(update) > ITEM_BYTES:
        raise validation(texts.UPDATE_TOO_LARGE)
    return UpdateOf(asked.key, update, None if condition is None else condition.test)


class _Asked:
    """What is read of a request between its placeholders and its expressions."""

    __slots__ = ("key",)

    def check(self, request: Mapping[str, Any]) -> None:
        self.key, _ = check_item(request["Key"])


def _touched(update: Update | None) -> set[str]:
    return set() if update is None else {str(action.path.elements[0]) for action in update.actions}


def _made(update: Update | None, item: WireItem) -> tuple[WireItem, int]:
    """The item after an update, and its size."""
    new = item if update is None else applied(update, item)
    try:
        return check_item(new)
    except RequestRefused:
        # All its values are right; what they can be together is nested too deep.
        raise validation(texts.NESTED_TOO_DEEP) from None
