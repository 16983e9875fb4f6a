"""Consumers of a table's stream: every change at least once, in order for each item."""

from __future__ import annotations

from pksk.changes.changes import AsyncChanges, Changes
from pksk.changes.dead_letters import DeadLetter
from pksk.changes.lambda_function import lambda_handler
from pksk.changes.metrics import consumer_metrics
from pksk.changes.rebuild import Rebuilt
from pksk.changes.run_consumers import run_consumers, run_consumers_async
from pksk.changes.status import ConsumerStatus, ShardStatus, consumers
from pksk.changes.tail import tail

__all__ = [
    "AsyncChanges", "Changes", "ConsumerStatus", "DeadLetter", "Rebuilt", "ShardStatus", "consumer_metrics",
    "consumers", "lambda_handler", "run_consumers", "run_consumers_async", "tail",
]  # fmt: skip
