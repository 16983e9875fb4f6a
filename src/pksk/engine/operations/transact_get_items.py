"""TransactGetItems: reads up to 100 items at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.expressions.parameters import TRANSACT_GET
from pksk.engine.expressions.read_expressions import read_expressions
from pksk.engine.items.item_key import lookup_key
from pksk.engine.items.page import returned_item
from pksk.engine.items.transactions import Get, for_each_member, transact_get
from pksk.engine.request.attribute_values import check_item
from pksk.engine.state.table import Table
from pksk.expressions import Projection


class _GetMember:
    """One get of a transaction, before and after its table is known."""

    __slots__ = ("_key", "_name", "_projection", "_table")

    def __init__(self, get: Mapping[str, Any]) -> None:
        self._projection: Projection | None = read_expressions(get, TRANSACT_GET).projection
        self._key, _ = check_item(get["Key"])
        self._name: str = get["TableName"]

    def find(self, core: Core) -> None:
        """Look up the table."""
        self._table: Table = core.catalogue.table(self._name)

    def get(self) -> Get:
        """The read in its table."""
        key = lookup_key(self._table, self._key)
        return Get(self._name, self._table, key, partial(returned_item, self._projection))


def transact_get_items(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a TransactGetItems request."""
    members = [_GetMember(member["Get"]) for member in request["TransactItems"]]
    for member in members:
        member.find(core)
    return transact_get(core, request, for_each_member(members, _GetMember.get))
