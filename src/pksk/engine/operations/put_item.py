"""PutItem: writes an item, and replaces the item with the same key."""

from __future__ import annotations

from pksk.engine.core import Answer, Core, Request
from pksk.engine.expressions.parameters import PUT_ITEM
from pksk.engine.items import perform, write_requests


def put_item(core: Core, request: Request) -> Answer:
    """Answer a PutItem request."""
    put = write_requests.read_put(request, PUT_ITEM)
    write = put.write_to(core.catalogue.table(request["TableName"]))
    _, answer = perform.write_item(core, request, write)
    return answer
