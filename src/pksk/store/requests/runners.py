"""Runs any request, by its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from pksk.errors import DesignError, quote
from pksk.model import Get
from pksk.model.requests.request import Request
from pksk.store.reads.unreadable_items import UnreadableItems, check_unreadable_list, reject_unreadable_list
from pksk.store.requests.batch_get import batch_get
from pksk.store.requests.get import get
from pksk.store.requests.nearest import search_vectors
from pksk.store.requests.query import all_results
from pksk.store.sending.steps import Steps
from pksk.store.writes.batch_write import batch_write
from pksk.store.writes.write import delete, put, transaction, update

if TYPE_CHECKING:
    from pksk.model import Batch
    from pksk.store.core import Core

__all__ = ["steps_of"]


def steps_of(core: Core, request: Any, unreadable: UnreadableItems = None) -> Steps[Any]:
    """The steps of a request, whose result is what it finds or stores."""
    kind = request.kind if isinstance(request, Request) else None
    if kind not in _READS and kind not in _WRITES:
        raise DesignError(
            "store-not-a-request",
            f"run({quote(request)}): this is no read or write"
            + (", and a check is a member of a transaction." if kind == "check" else "."),
            fix="run what E.primary(...), Put(...), transaction(...) and the like give.",
        )
    check_unreadable_list("run", unreadable)
    if kind in _READS:
        return _READS[kind](core, request, unreadable)
    reject_unreadable_list("run", unreadable, request)
    return _WRITES[kind](core, request)


def _batch(core: Core, batch: Batch[Any], unreadable: UnreadableItems) -> Steps[Any]:
    gets = [each for each in batch.members if isinstance(each, Get)]
    if gets:
        return batch_get(core, gets, unreadable, batch)
    reject_unreadable_list("run", unreadable, batch)
    return batch_write(core, [each for each in batch.members if not isinstance(each, Get)], batch)


# Those that may read, and are told where to put what cannot be.
_READS: Final[dict[str, Callable[[Any, Any, UnreadableItems], Steps[Any]]]] = {
    "get": get,
    "query": all_results,
    "scan": all_results,
    "nearest": search_vectors,
    "batch": _batch,
    "transaction": transaction,
}
_WRITES: Final[dict[str, Callable[[Any, Any], Steps[Any]]]] = {"put": put, "update": update, "delete": delete}
