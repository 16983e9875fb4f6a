"""The list of all kinds of requests with the functions that run them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from pksk.errors import DesignError, quote
from pksk.model.requests.request import Request
from pksk.store.reads.unreadable_items import UnreadableItems, check_unreadable_list, reject_unreadable_list
from pksk.store.requests import batch_get, batch_write, delete, get, nearest, put, query, transaction, update
from pksk.store.sending.steps import Steps

if TYPE_CHECKING:
    from pksk.store.core import Core

# Those that read are given the list for unreadable items.
_READERS: Final[Mapping[str, Callable[[Core, Any, UnreadableItems], Steps[Any]]]] = {
    "get": get.get,
    "query": query.all_results,
    "scan": query.all_results,
    "nearest": nearest.search_vectors,
    "batch": batch_get.run_batch,
    "transaction": transaction.transact_get,
}
_WRITERS: Final[Mapping[str, Callable[[Core, Any], Steps[Any]]]] = {
    "put": put.put,
    "update": update.update,
    "delete": delete.delete,
    "batch": batch_write.run_batch,
    "transaction": transaction.transact_write,
}


def run_request(
    core: Core, request: Any, unreadable: UnreadableItems = None, *, verb: str = "run"
) -> Steps[Any]:
    """Run any request; the result is what it finds or stores."""
    runners = _READERS if isinstance(request, Request) and request.reads else _WRITERS
    if not isinstance(request, Request) or request.kind not in runners:
        raise DesignError(
            "store-not-a-request",
            f"run({quote(request)}): this is not a read or write"
            + (
                ", and a check is a member of a transaction."
                if getattr(request, "kind", "") == "check"
                else "."
            ),
            fix="run what E.primary(...), Put(...), transaction(...) and the like give.",
        )
    check_unreadable_list(verb, unreadable)
    if request.reads:
        return _READERS[request.kind](core, request, unreadable)
    reject_unreadable_list(verb, unreadable, request)
    return _WRITERS[request.kind](core, request)
