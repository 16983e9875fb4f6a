"""Runs vector searches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pksk.errors import ItemUnreadable
from pksk.expressions import evaluate
from pksk.model.entity_of_item import requested_entity
from pksk.store.argument_checks import check_request_kind
from pksk.store.reads.paginator import request_conditions
from pksk.store.reads.results import ItemCheck, one_result, read_whole_items
from pksk.store.reads.unreadable_items import UnreadableItems, check_unreadable_list, collect_unreadable
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps

if TYPE_CHECKING:
    from pksk.model import Nearest, SearchResult
    from pksk.store.core import Core
    from pksk.values import WireItem


def search_vectors(
    core: Core, nearest: Nearest[Any], unreadable: UnreadableItems = None
) -> Steps[list[SearchResult[Any]]]:
    """The results of a search, the nearest first; without deleted and expired items."""
    from pksk.model import SearchResult

    check_request_kind("nearest", nearest, "Nearest")
    check_unreadable_list("nearest", unreadable)
    if core.meters:
        core.meters.used(nearest)
    answer = yield from send(core, "SearchVectors", nearest.request, nearest)
    found = answer.get("SearchResults", [])
    items = [each["Item"] for each in found]
    if nearest.reads_table and items:
        items = yield from _whole_items(core, nearest, items)
    now = core.clock()
    read = [None if item is None else _result(nearest, item, now, unreadable) for item in items]
    return [
        SearchResult(each["Score"], value)
        for each, value in zip(found, read, strict=True)
        if value is not None
    ]


def _whole_items(core: Core, nearest: Nearest[Any], items: list[WireItem]) -> Steps[list[WireItem | None]]:
    """The whole items; None where one is gone, or no longer what is searched for: indexes lag."""
    table, request = nearest.entity.__pksk__.table, nearest.request
    still = _item_check(request)
    rows = [({name: item[name] for name in table.key_attributes}, still) for item in items]
    return (yield from read_whole_items(core, table.name, rows, nearest))


def _item_check(request: Mapping[str, Any]) -> ItemCheck:
    asked = request_conditions(request)
    return lambda item: item if item is not None and all(evaluate(each, item) for each in asked) else None


def _result(nearest: Nearest[Any], item: WireItem, now: float, unreadable: UnreadableItems) -> Any:
    try:
        own = requested_entity(
            [nearest.entity.__pksk__], item, has_foreign_items=nearest.plan.has_foreign_items
        )
        return None if own is None else one_result(own, nearest.model, item, now)
    except ItemUnreadable as error:
        collect_unreadable(unreadable, error)
        return None
