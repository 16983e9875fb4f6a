"""A write that is a call of its own: its transaction, its conflicts, and what all three operations answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from pksk.engine.consumed import consumed, wants_capacity
from pksk.engine.core import Answer, Core
from pksk.engine.faults import fault
from pksk.engine.texts import items as texts

from .collection import metrics
from .committed import committed_one
from .perform import UnmetCondition, perform
from .write import Outcome, Write

__all__ = ["single"]


def single(core: Core, request: Mapping[str, Any], write: Write) -> tuple[Outcome, Answer]:
    """Carry out one write; its outcome, and the answer but for the ReturnValues that only an update has."""
    try:
        return _carried_out(core, request, write)
    except UnmetCondition as failed:
        core.meter.failed(write, failed.row)
        if request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" and failed.row is not None:
            failed.fields["Item"] = orjson.loads(failed.row.data)
        raise


def _carried_out(core: Core, request: Mapping[str, Any], write: Write) -> tuple[Outcome, Answer]:
    if not core.settings.conflicts:
        return _written(core, request, write)
    with core.conflicts.write((write.table.rows.space, write.key)) as taken:
        if taken:
            raise fault("TransactionConflictException", texts.TRANSACTION_CONFLICT)
        return _written(core, request, write)


def _written(core: Core, request: Mapping[str, Any], write: Write) -> tuple[Outcome, Answer]:
    with core.storage.writing() as writer:
        outcome = perform(core, writer, write)
        # Within the block, where no index can be gone yet.
        answer = _answer(request, write, outcome)
    committed_one(core, write, outcome)
    return outcome, answer


def _answer(request: Mapping[str, Any], write: Write, outcome: Outcome) -> Answer:
    answer: Answer = {}
    if request.get("ReturnValues") == "ALL_OLD" and outcome.old is not None:
        answer["Attributes"] = orjson.Fragment(outcome.old.data)
    if wants_capacity(request):
        answer["ConsumedCapacity"] = consumed(
            request, write.table, outcome.table_units, outcome.index_units, outcome.vector_bytes
        )
    if request.get("ReturnItemCollectionMetrics") == "SIZE" and (found := metrics(write, outcome)):
        answer["ItemCollectionMetrics"] = found
    return answer
