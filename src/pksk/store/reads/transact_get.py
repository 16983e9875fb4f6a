"""Reads several items at one moment, by a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.model import Get
from pksk.store.reads.aside import Aside
from pksk.store.reads.entity_reader import entities
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps

if TYPE_CHECKING:
    from pksk.model import Transaction
    from pksk.store.core import Core

__all__ = ["transact_get"]


def transact_get(core: Core, request: Transaction[Any], aside: Aside = None) -> Steps[list[Any]]:
    """The entity of each Get of a transaction or None, in their order."""
    answer = yield from send(core, "TransactGetItems", request.request, request)
    gets = [each for each in request.members if isinstance(each, Get)]
    items = [found.get("Item") or None for found in answer["Responses"]]
    return entities(zip(gets, items, strict=True), core.clock(), aside)
