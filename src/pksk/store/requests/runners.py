"""The list of all kinds of requests with the functions that run them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pksk.errors import DesignError, quote
from pksk.model.requests.request import Request
from pksk.sending import Core, Steps
from pksk.store.arguments import R, UnreadableItems, check_unreadable_list, reject_unreadable_list
from pksk.store.requests import (
    batch_get,
    batch_write,
    delete,
    geo_query,
    get,
    nearest,
    put,
    query,
    transaction,
    update,
)

# Each function counts its request with `core.meters.used` before it sends anything; meters show no use otherwise.
# Reads take the list for unreadable items.
_READERS: Final[Mapping[str, Callable[[Core, Any, UnreadableItems], Steps[Any]]]] = {
    "get": get.get,
    "query": query.all_results,
    "scan": query.all_results,
    "geo_query": geo_query.all_results,
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


def run_request(core: Core, request: Request[R], unreadable: UnreadableItems = None) -> Steps[R]:
    """Run any request; returns what it reads or stores."""
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
            fix="pass a request, such as E.primary(...), Put(...) or transaction(...).",
        )
    check_unreadable_list("run", unreadable)
    if request.reads:
        return _READERS[request.kind](core, request, unreadable)
    reject_unreadable_list("run", unreadable, request)
    return _WRITERS[request.kind](core, request)
