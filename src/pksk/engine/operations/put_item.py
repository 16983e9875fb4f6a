"""PutItem: writes an item, and replaces the item with the same key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.expressions.parameters import PUT_ITEM
from pksk.engine.items.perform import write_item
from pksk.engine.items.put import read_put


def put_item(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a PutItem request."""
    put = read_put(request, PUT_ITEM)
    write = put.write_to(core.catalogue.table(request["TableName"]))
    _, answer = write_item(core, request, write)
    return answer
