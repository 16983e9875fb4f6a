"""Searches vector indexes: the nearest entities with their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.model.reads.strangers import owns
from pksk.store.expect import expect
from pksk.store.reads.batch_get import batch_get_items
from pksk.store.reads.results import one_result
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps

if TYPE_CHECKING:
    from pksk.model import Nearest, Scored
    from pksk.store.core import Core

__all__ = ["search"]


def search(core: Core, nearest: Nearest[Any]) -> Steps[list[Scored[Any]]]:
    """The results of a search, the nearest first; without those that are gone or whose time is over."""
    from pksk.model import Scored

    expect("nearest", nearest, "nearest")
    if core.meters:
        core.meters.used(nearest)
    answer = yield from send(core, "SearchVectors", nearest.request, nearest)
    found = answer.get("SearchResults", [])
    items = [each["Item"] for each in found]
    if nearest.hydrates and items:
        table = nearest.entity.__pksk__.table
        keys = [{name: item[name] for name in table.key_attributes} for item in items]
        items = yield from batch_get_items(core, table.name, keys, nearest)
    now, declaration, mixed = core.clock(), nearest.entity.__pksk__, nearest.plan.mixed
    read = [
        None
        if item is None or (mixed and not owns(declaration, item))
        else one_result(declaration, nearest.model, item, now)
        for item in items
    ]
    return [
        Scored(each["Score"], value) for each, value in zip(found, read, strict=True) if value is not None
    ]
