"""DeleteItem: deletes an item by its key."""

from __future__ import annotations

from pksk.engine.core import Answer, Core, Request
from pksk.engine.expressions.parameters import DELETE_ITEM
from pksk.engine.items import perform, write_requests


def delete_item(core: Core, request: Request) -> Answer:
    """Answer a DeleteItem request."""
    delete = write_requests.read_delete(request, DELETE_ITEM)
    write = delete.write_to(core.catalogue.table(request["TableName"]))
    _, answer = perform.write_item(core, request, write)
    return answer
