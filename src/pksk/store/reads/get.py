"""Reads one item, or several at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.store.reads.entity_reader import entity_reader
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps

if TYPE_CHECKING:
    from pksk.model import Get
    from pksk.store.core import Core

__all__ = ["get"]


def get(core: Core, request: Get[Any]) -> Steps[Any]:
    """The entity of a Get, or None."""
    if core.meters:
        core.meters.used(request)
    answer = yield from send(core, "GetItem", request.request, request)
    item = answer.get("Item")
    if item is None:
        return None
    return entity_reader(request.entity.__pksk__).found(item, core.clock())
