"""Carries out a statement that writes, as a call of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from pksk.engine.core import Answer, Core
from pksk.engine.expressions import touched
from pksk.engine.writes.perform import UnmetCondition
from pksk.engine.writes.single import single
from pksk.engine.writes.update import UpdateOf
from pksk.engine.writes.write import Outcome, Write

from .filled import Values
from .parsed import Parsed
from .tree import Insert
from .write import Does, DuplicateItem, does

__all__ = ["carried_out", "written"]

_WISHES: Final = ("ReturnConsumedCapacity", "ReturnValuesOnConditionCheckFailure")


def written(core: Core, request: Mapping[str, Any], parsed: Parsed, values: Values) -> tuple[Any, Answer]:
    """Carry out a write; the item that its RETURNING asks for, if any, and the answer with what it consumed."""
    table = core.catalogue.table(parsed.statement.table)
    doing = does(parsed, table, values)
    item, _, answer = carried_out(core, request, parsed, (doing, doing.on(table)))
    return item, answer


def carried_out(
    core: Core, request: Mapping[str, Any], parsed: Parsed, prepared: tuple[Does, Write]
) -> tuple[Any, Outcome, Answer]:
    """Carry out a write that was prepared: the item that it returns, its outcome, and what it answers."""
    statement = parsed.statement
    doing, write = prepared
    asked = {name: request[name] for name in _WISHES if name in request}
    asked["TableName"] = statement.table
    try:
        outcome, answer = single(core, asked, write)
    except UnmetCondition as failed:
        if isinstance(statement, Insert):
            raise DuplicateItem(failed) from None
        raise
    returning = getattr(statement, "returning", None)
    return None if returning is None else _returned(returning, doing, outcome), outcome, answer


def _returned(returning: str, doing: Does, outcome: Outcome) -> Any:
    if returning == "ALL_OLD":
        return None if outcome.old is None else orjson.Fragment(outcome.old.data)
    if returning == "ALL_NEW":
        return outcome.new_item
    assert isinstance(doing, UpdateOf)
    assert doing.update is not None
    image = outcome.old_item if returning == "UPDATED_OLD" else outcome.new_item
    return touched(doing.update, image or {}) or None
