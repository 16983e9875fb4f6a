"""Reads one item by its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.client import ServiceError
from pksk.errors import ItemUnreadable
from pksk.model.requests.get import Get
from pksk.sending import Call, Core, RetriedRequest, Steps, send
from pksk.store.arguments import (
    E,
    UnreadableItems,
    check_request_kind,
    check_unreadable_list,
    collect_unreadable,
    keyed_request,
)
from pksk.store.reads.entity_reader import entity_reader


def get(
    core: Core,
    item: Get[E] | type[E],
    unreadable: UnreadableItems = None,
    parts: Mapping[str, Any] | None = None,
) -> Steps[E | None]:
    """The entity of a Get, or of a class and the parts of its primary key; None too if its item is unreadable."""
    request: Get[E] = item  # type: ignore[assignment]
    if request.__class__ is not Get or parts:
        request = keyed_request("get", Get, item, parts or {})  # type: ignore[assignment]
        check_request_kind("get", request, "Get")
    if unreadable is not None:
        check_unreadable_list("get", unreadable)
    if core.hooks or core.meters:
        core.meters.used(request)
        answer = yield from send(core, "GetItem", request.request, request)
    else:
        # A db.get without hooks and meters is a seventh faster this way.
        api_request = request.shared_request
        try:
            answer = yield Call("GetItem", api_request)
        except ServiceError as error:
            answer = yield from RetriedRequest(core, "GetItem", api_request, request).answer(error)
        else:
            core.quota.give_back()
    try:
        return entity_reader(request.entity.__pksk__).live_entity(  # type: ignore[return-value]
            answer.get("Item"), core.clock(), request.parts
        )
    except ItemUnreadable as error:
        collect_unreadable(unreadable, error)
        return None
