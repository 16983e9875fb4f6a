"""PutItem: writes an item, over one with the same key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from pksk.engine.core import Answer, Core
from pksk.engine.expressions import PUT_ITEM
from pksk.engine.faults import refused
from pksk.engine.texts import items as texts
from pksk.engine.writes.put import Put
from pksk.engine.writes.single import single

__all__ = ["put_item"]


def put_item(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a PutItem request."""
    put = Put(request, PUT_ITEM)
    returned = request.get("ReturnValues", "NONE")
    if returned not in {"NONE", "ALL_OLD"}:
        raise refused(texts.RETURN_VALUES)
    write = put.on(core.catalogue.table(request["TableName"]))
    outcome, answer = single(core, request, write)
    if returned == "ALL_OLD" and outcome.old is not None:
        answer["Attributes"] = orjson.Fragment(outcome.old.data)
    return answer
