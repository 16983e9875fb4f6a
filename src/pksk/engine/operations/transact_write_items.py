"""TransactWriteItems: up to 100 writes and condition checks, all or nothing."""

from __future__ import annotations

from pksk.engine.core import Answer, Core, Request
from pksk.engine.items.transactions import read_action, transact_write


def transact_write_items(core: Core, request: Request) -> Answer:
    """Answer a TransactWriteItems request."""
    actions = [read_action(member) for member in request["TransactItems"]]
    for action in actions:
        action.find_table(core)
    return transact_write(core, request, "TransactItems", actions)
