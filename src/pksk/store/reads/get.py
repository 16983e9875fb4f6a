"""Reads one item by its key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.client import ServiceError
from pksk.store.expect import expect
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.sending.send import Again, send
from pksk.store.sending.steps import Call, Steps

if TYPE_CHECKING:
    from pksk.model import Get
    from pksk.store.core import Core

__all__ = ["get"]


def get(core: Core, request: Get[Any]) -> Steps[Any]:
    """The entity of a Get, or None."""
    expect("get", request, "get")
    asked = request.request
    if core.hooks or core.meters:
        core.meters.used(request)
        answer = yield from send(core, "GetItem", asked, request)
    else:
        # The commonest read, which nobody watches: sent without further ado.
        try:
            answer = yield Call("GetItem", asked)
        except ServiceError as error:
            answer = yield from Again(core, "GetItem", asked, request).answer(error)
        else:
            core.quota.give_back()
    item = answer.get("Item")
    if item is None:
        return None
    return entity_reader(request.entity.__pksk__).found(item, core.clock())
