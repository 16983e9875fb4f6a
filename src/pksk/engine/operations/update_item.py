"""UpdateItem: changes attributes of an item, and creates the item if it does not exist."""

from __future__ import annotations

from typing import Any

from pksk.engine.core import Answer, Core, Request
from pksk.engine.expressions.parameters import UPDATE_ITEM
from pksk.engine.expressions.updates import updated_attributes
from pksk.engine.items import perform, write_requests
from pksk.engine.state import Outcome


def update_item(core: Core, request: Request) -> Answer:
    """Answer an UpdateItem request."""
    update = write_requests.read_update(request, UPDATE_ITEM, charged=True)
    write = update.write_to(core.catalogue.table(request["TableName"]))
    outcome, answer = perform.write_item(core, request, write)
    attributes = _attributes(request.get("ReturnValues", "NONE"), update, outcome)
    if attributes:
        answer["Attributes"] = attributes
    return answer


def _attributes(return_values: str, update: write_requests.ItemUpdate, outcome: Outcome) -> Any:
    if return_values == "ALL_NEW":
        return outcome.new_item
    if return_values not in {"UPDATED_OLD", "UPDATED_NEW"} or update.update is None:
        return None
    image = outcome.old_item if return_values == "UPDATED_OLD" else outcome.new_item
    return updated_attributes(update.update, image or {})
