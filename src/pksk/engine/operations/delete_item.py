"""DeleteItem: deletes an item by its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.expressions.parameters import DELETE_ITEM
from pksk.engine.items.delete import read_delete
from pksk.engine.items.perform import write_item


def delete_item(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DeleteItem request."""
    delete = read_delete(request, DELETE_ITEM)
    write = delete.write_to(core.catalogue.table(request["TableName"]))
    _, answer = write_item(core, request, write)
    return answer
