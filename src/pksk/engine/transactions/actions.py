"""The members of a transaction that writes: each one put, update, delete or check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from pksk.engine.core import Core
from pksk.engine.expressions import TRANSACT_CHECK, TRANSACT_DELETE, TRANSACT_PUT, TRANSACT_UPDATE
from pksk.engine.faults import ServiceError, validation
from pksk.engine.tables.table import Table
from pksk.engine.texts import transactions as texts
from pksk.engine.writes.delete import Delete, read_check, read_delete
from pksk.engine.writes.put import Put, read_put
from pksk.engine.writes.update import UpdateOf, read_update
from pksk.engine.writes.write import Write

from .cancelled import Reason, reason

__all__ = ["Action", "Does", "read_action"]

Does: TypeAlias = Put | UpdateOf | Delete

_KINDS: Final[dict[str, Callable[[Mapping[str, Any]], Does]]] = {
    "ConditionCheck": lambda member: read_check(member, TRANSACT_CHECK),
    "Put": lambda member: read_put(member, TRANSACT_PUT),
    "Update": lambda member: read_update(member, TRANSACT_UPDATE),
    "Delete": lambda member: read_delete(member, TRANSACT_DELETE),
}


class Action:
    """One member of a transaction: what it does, and to which table."""

    __slots__ = ("_does", "_wants_item", "table", "table_name")

    def __init__(self, does: Does, table_name: str, *, wants_item: bool = False) -> None:
        self._does = does
        # As the request names it: this may be the table's ARN, and so it is shown.
        self.table_name = table_name
        self._wants_item = wants_item

    def find(self, core: Core) -> None:
        """Look its table up."""
        self.table: Table = core.catalogue.table(self.table_name)

    def write(self) -> Write:
        """The write that it is in its table."""
        return self._does.on(self.table)

    def reason(self, error: ServiceError) -> Reason:
        """Why it fails, as a cancellation shows it."""
        return reason(error, with_item=self._wants_item)


def read_action(member: Mapping[str, Any]) -> Action:
    """The action of one member, checked as far as it can be without its table."""
    kinds = [kind for kind in _KINDS if kind in member]
    if not kinds:
        raise validation(texts.NO_ACTION)
    if len(kinds) > 1:
        raise validation(texts.TWO_ACTIONS)
    asked = member[kinds[0]]
    wants_item = asked.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    return Action(_KINDS[kinds[0]](asked), asked["TableName"], wants_item=wants_item)
