"""Runs vector searches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from pksk import model
from pksk.errors import ItemUnreadable
from pksk.expressions import evaluate
from pksk.model.entity_of_item import requested_entity
from pksk.sending import Core, Steps, send
from pksk.store.arguments import (
    M,
    UnreadableItems,
    check_request_kind,
    check_unreadable_list,
    collect_unreadable,
)
from pksk.store.reads.request_expressions import request_conditions
from pksk.store.reads.results import ItemCheck, one_result, read_whole_items
from pksk.values import WireItem

if TYPE_CHECKING:
    from pksk.model import Nearest, SearchResult


def search_vectors(
    core: Core, nearest: Nearest[M], unreadable: UnreadableItems = None
) -> Steps[list[SearchResult[M]]]:
    """The results of a search, the nearest first; without deleted and expired items."""
    check_request_kind("nearest", nearest, "Nearest")
    check_unreadable_list("nearest", unreadable)
    if core.meters:
        core.meters.used(nearest)
    answer = yield from send(core, "SearchVectors", nearest.request, nearest)
    results = answer.get("SearchResults", [])
    items = [each["Item"] for each in results]
    if nearest.reads_table and items:
        items = yield from _whole_items(core, nearest, items)
    now = core.clock()
    read = [None if item is None else _result(nearest, item, now, unreadable) for item in items]
    return [
        model.SearchResult(each["Score"], value)
        for each, value in zip(results, read, strict=True)
        if value is not None
    ]


def _whole_items(core: Core, nearest: Nearest[M], items: list[WireItem]) -> Steps[list[WireItem | None]]:
    """The whole items; None if one is deleted or no longer matches: indexes lag."""
    table, request = nearest.entity.__pksk__.table, nearest.request
    still = _item_check(request)
    rows = [({name: item[name] for name in table.key_attributes}, still) for item in items]
    return (yield from read_whole_items(core, table.name, rows, nearest))


def _item_check(request: Mapping[str, Any]) -> ItemCheck:
    conditions = request_conditions(request)
    return lambda item: (
        item if item is not None and all(evaluate(each, item) for each in conditions) else None
    )


def _result(nearest: Nearest[M], item: WireItem, now: float, unreadable: UnreadableItems) -> M | None:
    try:
        own = requested_entity(
            [nearest.entity.__pksk__], item, has_foreign_items=nearest.plan.has_foreign_items
        )
        # A search returns vectors rounded, so that entities are read from the table.
        return None if own is None else cast("M | None", one_result(own, nearest.model, item, now))
    except ItemUnreadable as error:
        collect_unreadable(unreadable, error)
        return None
