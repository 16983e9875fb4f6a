"""TransactGetItems: reads up to 100 items at one moment."""

from __future__ import annotations

from functools import partial

from pksk.engine.core import Answer, Core, Request
from pksk.engine.expressions.parameters import TRANSACT_GET
from pksk.engine.expressions.read_expressions import read_expressions
from pksk.engine.items import keys, page, transactions
from pksk.engine.request import check_item, error_in_transaction
from pksk.engine.service_errors import InvalidRequest


class _GetMember:
    """One get of a transaction, before and after its table is known."""

    __slots__ = ("_key", "_name", "_projection", "_table")

    def __init__(self, get: Request) -> None:
        self._projection = read_expressions(get, TRANSACT_GET).projection
        try:
            self._key, _ = check_item(get["Key"])
        except InvalidRequest as error:
            raise error_in_transaction(error, get["Key"]) from None
        self._name: str = get["TableName"]

    def find(self, core: Core) -> None:
        """Look up the table."""
        self._table = core.catalogue.table(self._name)

    def get(self) -> transactions.Get:
        """The read in its table."""
        key = keys.lookup_key(self._table, self._key)
        return transactions.Get(self._name, self._table, key, partial(page.returned_item, self._projection))


def transact_get_items(core: Core, request: Request) -> Answer:
    """Answer a TransactGetItems request."""
    members = [_GetMember(member["Get"]) for member in request["TransactItems"]]
    for member in members:
        member.find(core)
    return transactions.transact_get(core, request, transactions.for_each_member(members, _GetMember.get))
