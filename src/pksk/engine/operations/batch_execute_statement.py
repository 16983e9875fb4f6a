"""BatchExecuteStatement: up to twenty-five statements in PartiQL that read, or that write, each for itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.conflicts import ItemId
from pksk.engine.consumed import Spending
from pksk.engine.core import Answer, Core
from pksk.engine.faults import validation
from pksk.engine.partiql.member import Member
from pksk.engine.texts import partiql as texts

__all__ = ["batch_execute_statement"]


def batch_execute_statement(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a BatchExecuteStatement request."""
    members = [Member(one) for one in request["Statements"]]
    if len({member.parsed.reads for member in members if member.parsed is not None}) > 1:
        raise validation(texts.MIXED_BATCH)
    for member in members:
        member.find(core)
    _check_once([member.item for member in members if member.item is not None])
    spending = Spending()
    with core.storage.reading() as reader:
        for member in members:
            member.read(core, reader, spending)
    for member in members:
        member.write(core, spending)
    answer: Answer = {"Responses": [member.response for member in members]}
    if any(member.succeeded for member in members):
        answer.update(spending.shown(request))
    return answer


def _check_once(items: list[ItemId]) -> None:
    if len(set(items)) < len(items):
        raise validation(texts.ITEM_TWICE)
