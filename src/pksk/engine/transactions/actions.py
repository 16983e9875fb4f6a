"""The members of a TransactWriteItems request: each one put, update, delete or check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pksk.engine.core import Core
from pksk.engine.expressions import TRANSACT_CHECK, TRANSACT_DELETE, TRANSACT_PUT, TRANSACT_UPDATE
from pksk.engine.faults import validation
from pksk.engine.tables.table import Table
from pksk.engine.texts import transactions as texts
from pksk.engine.writes.delete import Check, Delete
from pksk.engine.writes.put import Put
from pksk.engine.writes.update import UpdateOf
from pksk.engine.writes.write import Write

__all__ = ["Action", "read_action"]

_KINDS: Final[dict[str, Callable[[Mapping[str, Any]], Put | UpdateOf | Delete]]] = {
    "ConditionCheck": lambda member: Check(member, TRANSACT_CHECK),
    "Put": lambda member: Put(member, TRANSACT_PUT),
    "Update": lambda member: UpdateOf(member, TRANSACT_UPDATE),
    "Delete": lambda member: Delete(member, TRANSACT_DELETE),
}


class Action:
    """One member of a transaction: what it does, and to which table."""

    __slots__ = ("_does", "table", "table_name", "wants_item")

    def __init__(self, kind: str, member: Mapping[str, Any]) -> None:
        self._does = _KINDS[kind](member)
        # As the request names it: this may be the table's ARN, and so it is shown.
        self.table_name: str = member["TableName"]
        self.wants_item = member.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"

    def find(self, core: Core) -> None:
        """Look its table up."""
        self.table: Table = core.catalogue.table(self.table_name)

    def write(self) -> Write:
        """The write that it is in its table."""
        return self._does.on(self.table)


def read_action(member: Mapping[str, Any]) -> Action:
    """The action of one member, checked as far as it can be without its table."""
    kinds = [kind for kind in _KINDS if kind in member]
    if not kinds:
        raise validation(texts.NO_ACTION)
    if len(kinds) > 1:
        raise validation(texts.TWO_ACTIONS)
    return Action(kinds[0], member[kinds[0]])
