"""The store: typed reads and writes that keep every key right, on any DynamoDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.store.async_store import AsyncStore as AsyncStore
    from pksk.store.core import Core as Core
    from pksk.store.hooks import RequestFinished as RequestFinished
    from pksk.store.hooks import RequestStarted as RequestStarted
    from pksk.store.log_and_trace import log_to as log_to
    from pksk.store.log_and_trace import trace_with as trace_with
    from pksk.store.meter import Meter as Meter
    from pksk.store.meter import MeterRow as MeterRow
    from pksk.store.requests.page import Page as Page
    from pksk.store.sending.retry import Retry as Retry
    from pksk.store.store import Store as Store

_LATER = {
    "AsyncStore": "pksk.store.async_store",
    "Core": "pksk.store.core",
    "RequestFinished": "pksk.store.hooks",
    "Meter": "pksk.store.meter",
    "MeterRow": "pksk.store.meter",
    "Page": "pksk.store.requests.page",
    "Retry": "pksk.store.sending.retry",
    "RequestStarted": "pksk.store.hooks",
    "Store": "pksk.store.store",
    "log_to": "pksk.store.log_and_trace",
    "trace_with": "pksk.store.log_and_trace",
}

__all__ = [
    "AsyncStore",
    "Core",
    "Meter",
    "MeterRow",
    "Page",
    "RequestFinished",
    "RequestStarted",
    "Retry",
    "Store",
    "log_to",
    "trace_with",
]

__getattr__ = lazy_getattr(__name__, _LATER)
