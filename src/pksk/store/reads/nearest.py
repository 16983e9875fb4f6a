"""Searches vector indexes: the nearest entities with their scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pksk.errors import ItemUnreadable
from pksk.expressions import evaluate
from pksk.store.expect import expect
from pksk.store.reads.aside import Aside, check_aside, put_aside
from pksk.store.reads.asked import asked_of
from pksk.store.reads.hydrated import Still, hydrated
from pksk.store.reads.owner import owner
from pksk.store.reads.results import one_result
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps

if TYPE_CHECKING:
    from pksk.model import Nearest, Scored
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["search"]


def search(core: Core, nearest: Nearest[Any], aside: Aside = None) -> Steps[list[Scored[Any]]]:
    """The results of a search, the nearest first; without those that are gone or whose time is over."""
    from pksk.model import Scored

    expect("nearest", nearest, "nearest")
    check_aside("nearest", aside)
    if core.meters:
        core.meters.used(nearest)
    answer = yield from send(core, "SearchVectors", nearest.request, nearest)
    found = answer.get("SearchResults", [])
    items = [each["Item"] for each in found]
    if nearest.hydrates and items:
        items = yield from _hydrated(core, nearest, items)
    now = core.clock()
    read = [None if item is None else _result(nearest, item, now, aside) for item in items]
    return [
        Scored(each["Score"], value) for each, value in zip(found, read, strict=True) if value is not None
    ]


def _hydrated(core: Core, nearest: Nearest[Any], items: list[WireItem]) -> Steps[list[WireItem | None]]:
    """The whole items; None where one is gone, or no longer what is searched for: indexes lag."""
    table, request = nearest.entity.__pksk__.table, nearest.request
    still = _still(request)
    rows = [({name: item[name] for name in table.key_attributes}, still) for item in items]
    return (yield from hydrated(core, table.name, rows, nearest))


def _still(request: Mapping[str, Any]) -> Still:
    asked = asked_of(request)
    return lambda item: item if item is not None and all(evaluate(each, item) for each in asked) else None


def _result(nearest: Nearest[Any], item: WireItem, now: float, aside: Aside) -> Any:
    try:
        own = owner([nearest.entity.__pksk__], item, mixed=nearest.plan.mixed)
        return None if own is None else one_result(own, nearest.model, item, now)
    except ItemUnreadable as error:
        put_aside(aside, error)
        return None
