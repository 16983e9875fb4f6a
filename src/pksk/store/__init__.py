"""The store: typed reads and writes that keep every key right, on any DynamoDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.later import later

if TYPE_CHECKING:
    from pksk.store.async_store import AsyncStore as AsyncStore
    from pksk.store.core import Core as Core
    from pksk.store.reads.page import Page as Page
    from pksk.store.sending.retry import Retry as Retry
    from pksk.store.store import Store as Store
    from pksk.store.watching.hook import Done as Done
    from pksk.store.watching.hook import Sending as Sending
    from pksk.store.watching.logs import log_to as log_to
    from pksk.store.watching.meter import Meter as Meter
    from pksk.store.watching.meter import MeterRow as MeterRow
    from pksk.store.watching.spans import trace_with as trace_with

_LATER = {
    "AsyncStore": "pksk.store.async_store",
    "Core": "pksk.store.core",
    "Done": "pksk.store.watching.hook",
    "Meter": "pksk.store.watching.meter",
    "MeterRow": "pksk.store.watching.meter",
    "Page": "pksk.store.reads.page",
    "Retry": "pksk.store.sending.retry",
    "Sending": "pksk.store.watching.hook",
    "Store": "pksk.store.store",
    "log_to": "pksk.store.watching.logs",
    "trace_with": "pksk.store.watching.spans",
}

__all__ = [
    "AsyncStore",
    "Core",
    "Done",
    "Meter",
    "MeterRow",
    "Page",
    "Retry",
    "Sending",
    "Store",
    "log_to",
    "trace_with",
]

__getattr__ = later(__name__, _LATER)
