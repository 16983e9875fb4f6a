"""The store: typed reads and writes that keep every key right, on any DynamoDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.sending import Core, Meter, MeterRow, RequestFinished, RequestStarted, Retry
    from pksk.store.async_store import AsyncStore
    from pksk.store.log_and_trace import log_to, trace_with
    from pksk.store.requests.page import Page
    from pksk.store.requests.refresh import Refreshed
    from pksk.store.store import Store

_LATER = {
    ".async_store": "AsyncStore",
    ".log_and_trace": "log_to trace_with",
    ".requests.page": "Page",
    ".requests.refresh": "Refreshed",
    ".store": "Store",
    "pksk.sending": "Core Meter MeterRow RequestFinished RequestStarted Retry",
}

__all__ = [
    "AsyncStore", "Core", "Meter", "MeterRow", "Page", "Refreshed", "RequestFinished", "RequestStarted", "Retry",
    "Store", "log_to", "trace_with",
]  # fmt: skip

__getattr__ = lazy_getattr(__name__, _LATER)
