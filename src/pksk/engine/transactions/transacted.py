"""A transaction that writes: all of its members are carried out, or none, and once under one token."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from pksk.engine.core import Answer, Core
from pksk.engine.faults import ServiceError, validation
from pksk.engine.storage import Reader, Storage, Writer
from pksk.engine.texts import transactions as texts
from pksk.engine.writes.committed import committed
from pksk.engine.writes.perform import attempt, store
from pksk.engine.writes.write import Outcome, Write
from pksk.limits import TRANSACTION_BYTES

from .actions import Action
from .answers import replay_units, replayed, written
from .cancelled import cancelled, conflicting, each
from .tokens import Token

__all__ = ["transacted"]

_Planned: TypeAlias = Sequence[tuple[Action, Write]]


def transacted(core: Core, request: Mapping[str, Any], member: str, actions: Sequence[Action]) -> Answer:
    """Carry out the actions that a member of a request says; their tables are known."""
    planned = _planned(actions)
    token = _token(request, member, planned)
    if core.settings.conflicts:
        return _transacted_or_in_conflict(core, request, planned, token)
    return _transacted(core, request, planned, token)


def _planned(actions: Sequence[Action]) -> _Planned:
    """All actions with their writes; refuses keys that do not fit their tables, and an item named twice."""
    planned = each(actions, lambda action: (action, action.write()))
    if len({(write.table.rows.space, write.key) for _, write in planned}) < len(planned):
        raise validation(texts.ITEM_TWICE)
    _check_size(write.known_size() for _, write in planned)
    return planned


def _check_size(sizes: Iterable[int]) -> None:
    if sum(sizes) > TRANSACTION_BYTES:
        raise validation(texts.TOO_LARGE)


def _transacted_or_in_conflict(
    core: Core, request: Mapping[str, Any], planned: _Planned, token: Token | None
) -> Answer:
    """Carry a transaction out, unless another call is at work on one of its items or under its token."""
    items = [(write.table.rows.space, write.key) for _, write in planned]
    with core.conflicts.token(request.get("ClientRequestToken")):
        before = _answered_before(core, core.storage, request, token)
        if before is not None:
            return before
        with core.conflicts.transaction(items) as taken:
            if taken:
                raise conflicting(item in taken for item in items)
            return _transacted(core, request, planned, token)


def _transacted(core: Core, request: Mapping[str, Any], planned: _Planned, token: Token | None) -> Answer:
    with core.storage.writing() as writer:
        before = _answered_before(core, writer, request, token)
        if before is not None:
            return before
        outcomes = _attempted(core, writer, planned)
        _store(core, writer, planned, outcomes)
        done = [(action, write, outcome) for (action, write), outcome in zip(planned, outcomes, strict=True)]
        if token is not None:
            core.tokens.keep(writer, token, replay_units(done), core.now())
        # Within the block, where no index can be gone yet.
        answer = written(request, done)
    committed(core, [(write, outcome) for _, write, outcome in done], doubled=True)
    return answer


def _token(request: Mapping[str, Any], member: str, planned: _Planned) -> Token | None:
    if "ClientRequestToken" not in request:
        return None
    spaces = [write.table.rows.space for _, write in planned]
    return Token(request["ClientRequestToken"], request[member], spaces)


def _answered_before(
    core: Core, stored: Storage | Reader, request: Mapping[str, Any], token: Token | None
) -> Answer | None:
    """The answer to a transaction that was done under its token before."""
    done = None if token is None else core.tokens.find(stored, token, core.now())
    return None if done is None else replayed(core, request, done)


def _attempted(core: Core, writer: Writer, planned: _Planned) -> list[Outcome]:
    """What all writes would make of their items; refuses with a reason for each that fails."""
    try:
        outcomes = each(
            planned,
            lambda member: attempt(writer, member[1]),
            lambda member, error: member[0].reason(error),
        )
    except ServiceError:
        # All of them were prepared.
        for _, write in planned:
            core.meter.failed(write, writer.get(write.table.rows.space, write.key))
        raise
    _check_size(outcome.new_size for outcome in outcomes)
    return outcomes


def _store(core: Core, writer: Writer, planned: _Planned, outcomes: Sequence[Outcome]) -> None:
    for place, ((_, write), outcome) in enumerate(zip(planned, outcomes, strict=True)):
        try:
            store(core, writer, write, outcome)
        except ServiceError as error:
            reasons = [
                planned[place][0].reason(error) if other == place else None for other in range(len(planned))
            ]
            raise cancelled(reasons) from None
