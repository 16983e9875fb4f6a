"""TransactWriteItems: up to a hundred writes and checks, all of them or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from pksk.engine.core import Answer, Core
from pksk.engine.faults import ServiceError, validation
from pksk.engine.storage import Writer
from pksk.engine.texts import transactions as texts
from pksk.engine.transactions.actions import Action, read_action
from pksk.engine.transactions.answers import replay_units, replayed, written
from pksk.engine.transactions.cancelled import CONFLICT, cancelled, reason
from pksk.engine.writes.keys import EmptyKey
from pksk.engine.writes.perform import attempt, store
from pksk.engine.writes.write import Outcome, Write
from pksk.limits import TRANSACTION_BYTES

__all__ = ["transact_write_items"]

_Reasons: TypeAlias = list[dict[str, Any] | None]


def transact_write_items(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a TransactWriteItems request."""
    actions = [read_action(member) for member in request["TransactItems"]]
    for action in actions:
        action.find(core)
    writes = _writes(actions)
    if not core.settings.conflicts:
        return _transacted(core, request, actions, writes)
    items = [(write.table.rows.space, write.key) for write in writes]
    with core.conflicts.transaction(items) as taken:
        if taken:
            raise cancelled([dict(CONFLICT) if item in taken else None for item in items])
        return _transacted(core, request, actions, writes)


def _writes(actions: Sequence[Action]) -> list[Write]:
    """The writes of all actions in their tables; refuses keys that do not fit, and an item named twice."""
    reasons: _Reasons = [None] * len(actions)
    writes: list[Write] = []
    for place, action in enumerate(actions):
        try:
            writes.append(action.write())
        except EmptyKey:
            raise
        except ServiceError as error:
            reasons[place] = reason(error)
    if any(reasons):
        raise cancelled(reasons)
    if len({(write.table.rows.space, write.key) for write in writes}) < len(writes):
        raise validation(texts.ITEM_TWICE)
    return writes


def _transacted(
    core: Core, request: Mapping[str, Any], actions: Sequence[Action], writes: Sequence[Write]
) -> Answer:
    token, members = request.get("ClientRequestToken"), request["TransactItems"]
    with core.storage.writing() as writer:
        if token is not None:
            done = core.tokens.find(writer, token, members, core.now())
            if done is not None:
                return replayed(core, request, done)
        outcomes = _attempted(writer, actions, writes)
        _store(core, writer, writes, outcomes)
        if token is not None:
            core.tokens.keep(writer, token, members, replay_units(writes, outcomes), core.now())
    return written(request, writes, outcomes)


def _attempted(writer: Writer, actions: Sequence[Action], writes: Sequence[Write]) -> list[Outcome]:
    """What all writes would make of their items; refuses with a reason for each that fails."""
    reasons: _Reasons = [None] * len(writes)
    outcomes: list[Outcome] = []
    for place, (action, write) in enumerate(zip(actions, writes, strict=True)):
        try:
            outcomes.append(attempt(writer, write))
        except ServiceError as error:
            reasons[place] = reason(error, with_item=action.wants_item)
    if any(reasons):
        raise cancelled(reasons)
    if sum(outcome.new_size for outcome in outcomes) > TRANSACTION_BYTES:
        raise validation(texts.TOO_LARGE)
    return outcomes


def _store(core: Core, writer: Writer, writes: Sequence[Write], outcomes: Sequence[Outcome]) -> None:
    for place, (write, outcome) in enumerate(zip(writes, outcomes, strict=True)):
        try:
            store(core, writer, write, outcome)
        except ServiceError as error:
            reasons: _Reasons = [None] * len(writes)
            reasons[place] = reason(error)
            raise cancelled(reasons) from None
