"""UpdateItem: changes attributes of an item, which it makes where it is not there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.expressions import UPDATE_ITEM, touched
from pksk.engine.writes.single import single
from pksk.engine.writes.update import UpdateOf, read_update
from pksk.engine.writes.write import Outcome

__all__ = ["update_item"]


def update_item(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an UpdateItem request."""
    update = read_update(request, UPDATE_ITEM, charged=True)
    write = update.on(core.catalogue.table(request["TableName"]))
    outcome, answer = single(core, request, write)
    attributes = _attributes(request.get("ReturnValues", "NONE"), update, outcome)
    if attributes:
        answer["Attributes"] = attributes
    return answer


def _attributes(wanted: str, update: UpdateOf, outcome: Outcome) -> Any:
    if wanted == "ALL_NEW":
        return outcome.new_item
    if wanted not in {"UPDATED_OLD", "UPDATED_NEW"} or update.update is None:
        return None
    image = outcome.old_item if wanted == "UPDATED_OLD" else outcome.new_item
    return touched(update.update, image or {})
