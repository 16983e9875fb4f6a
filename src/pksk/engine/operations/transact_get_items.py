"""TransactGetItems: reads up to a hundred items as they are at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.capacity.units import read_units
from pksk.engine.consumed import Spending
from pksk.engine.core import Answer, Core
from pksk.engine.expressions import TRANSACT_GET, read_expressions
from pksk.engine.faults import validation
from pksk.engine.keys import lookup_key
from pksk.engine.reading import returned
from pksk.engine.storage import Row
from pksk.engine.tables.table import Table
from pksk.engine.texts import transactions as texts
from pksk.engine.transactions.cancelled import conflicting, each
from pksk.engine.values import check_item
from pksk.expressions import Projection
from pksk.limits import TRANSACTION_BYTES

__all__ = ["transact_get_items"]


class _Asked:
    """One get of a transaction: what it asks, before and after its table is known."""

    __slots__ = ("_key", "key", "name", "projection", "table")

    def __init__(self, get: Mapping[str, Any]) -> None:
        self.projection: Projection | None = read_expressions(get, TRANSACT_GET).projection
        self._key, _ = check_item(get["Key"])
        self.name: str = get["TableName"]

    def find(self, core: Core) -> None:
        """Look the table up."""
        self.table: Table = core.catalogue.table(self.name)

    def place(self) -> None:
        """Hold the key against the table."""
        self.key = lookup_key(self.table, self._key)


def transact_get_items(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a TransactGetItems request."""
    asked = [_Asked(member["Get"]) for member in request["TransactItems"]]
    for one in asked:
        one.find(core)
    each(asked, _Asked.place)
    items = [(one.table.rows.space, one.key) for one in asked]
    if len(set(items)) < len(items):
        raise validation(texts.ITEM_TWICE)
    if core.settings.conflicts:
        ongoing = core.conflicts.ongoing(items)
        if ongoing:
            raise conflicting(item in ongoing for item in items)
    return _answer(request, asked, _rows(core, items))


def _rows(core: Core, items: list[tuple[int, bytes]]) -> list[Row | None]:
    with core.storage.reading() as reader:
        rows = [reader.get(space, key) for space, key in items]
    if sum(row.size for row in rows if row is not None) > TRANSACTION_BYTES:
        raise validation(texts.TOO_LARGE)
    return rows


def _answer(request: Mapping[str, Any], asked: list[_Asked], rows: list[Row | None]) -> Answer:
    responses: list[dict[str, Any]] = []
    spending = Spending()
    for one, row in zip(asked, rows, strict=True):
        item = None if row is None else returned(one.projection, row)
        # An item of which the projection leaves nothing is not shown at all.
        responses.append({} if item is None or item == {} else {"Item": item})
        spending.add(one.name, one.table, read_units(0 if row is None else row.size, transactional=True))
    return {"Responses": responses, **spending.shown(request, "Read")}
