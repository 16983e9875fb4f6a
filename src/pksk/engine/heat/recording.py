"""Calls recorded to a file for as long as a block lasts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pksk.engine.dispatch import dispatch

from .trace import Trace, under_way
from .tracing import TracingMeter

if TYPE_CHECKING:
    from pksk.engine.core import Answer, Core

__all__ = ["recording", "traced_dispatch"]


@contextmanager
def recording(core: Core, path: str | os.PathLike[str]) -> Iterator[None]:
    """A block whose calls are recorded."""
    trace = Trace(path, core.settings.clock)
    with core.meter.lock:
        core.meter = TracingMeter(core.meter, trace)
    try:
        yield
    finally:
        with core.meter.lock:
            core.meter = core.meter.without(trace)
        trace.close()


def traced_dispatch(core: Core, operation: str, raw: object) -> Answer:
    """As ever, but that traces can tell the operation."""
    under_way.operation = operation
    try:
        return dispatch(core, operation, raw)
    finally:
        under_way.operation = None
