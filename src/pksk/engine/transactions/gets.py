"""A transaction that reads: items of any tables as they are at one moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from pksk.capacity.units import read_units
from pksk.engine.consumed import Spending
from pksk.engine.core import Answer, Core
from pksk.engine.faults import validation
from pksk.engine.storage import Row
from pksk.engine.tables.table import Table
from pksk.engine.texts import transactions as texts
from pksk.limits import TRANSACTION_BYTES

from .cancelled import conflicting

__all__ = ["Get", "got"]


class Get(NamedTuple):
    """One read of a transaction: of which item, and what is shown of it."""

    # As the request names it.
    table_name: str
    table: Table
    key: bytes
    shown: Callable[[Row], Any]


def got(core: Core, request: Mapping[str, Any], gets: Sequence[Get]) -> Answer:
    """The answer to a transaction that reads."""
    items = [(get.table.rows.space, get.key) for get in gets]
    if len(set(items)) < len(items):
        raise validation(texts.ITEM_TWICE)
    if core.settings.conflicts:
        ongoing = core.conflicts.ongoing(items)
        if ongoing:
            raise conflicting(item in ongoing for item in items)
    return _answer(core, request, gets, _rows(core, items))


def _rows(core: Core, items: list[tuple[int, bytes]]) -> list[Row | None]:
    with core.storage.reading() as reader:
        rows = [reader.get(space, key) for space, key in items]
    if sum(row.size for row in rows if row is not None) > TRANSACTION_BYTES:
        raise validation(texts.TOO_LARGE)
    return rows


def _answer(
    core: Core, request: Mapping[str, Any], gets: Sequence[Get], rows: Sequence[Row | None]
) -> Answer:
    responses: list[dict[str, Any]] = []
    spending = Spending()
    for get, row in zip(gets, rows, strict=True):
        item = None if row is None else get.shown(row)
        # An item of which nothing is to be shown is not shown at all.
        responses.append({} if item is None or item == {} else {"Item": item})
        size = 0 if row is None else row.size
        units = read_units(size, transactional=True)
        core.meter.read(get.table, get.key, units, size)
        spending.add(get.table_name, get.table, units)
    return {"Responses": responses, **spending.shown(request, "Read")}
