"""Transactions: many writes or reads as one, with a cancellation reason for each member."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import orjson

from pksk.capacity.units import read_units
from pksk.client import ServiceError
from pksk.engine.core import Answer, Core
from pksk.engine.expressions.parameters import TRANSACT_CONDITION, TRANSACT_UPDATE
from pksk.engine.items.consumed_capacity import CapacityByTable
from pksk.engine.items.delete import Delete, read_condition_check, read_delete
from pksk.engine.items.perform import (
    CollectionMetrics,
    ConditionalCheckFailed,
    attempt,
    note_committed_writes,
    store,
)
from pksk.engine.items.put import Put, read_put
from pksk.engine.items.update import ItemUpdate, read_update
from pksk.engine.service_errors import EmptyKey, service_error, validation
from pksk.engine.state.table import Table
from pksk.engine.state.write import Outcome, Write
from pksk.engine.storage import Reader, Row, Storage, Writer
from pksk.engine.texts import items as texts
from pksk.limits import TRANSACTION_BYTES

from ..state.tokens import Token

M = TypeVar("M")
T = TypeVar("T")
Reason: TypeAlias = dict[str, Any]

_CODES: Final = {
    "ConditionalCheckFailedException": "ConditionalCheckFailed",
    "DuplicateItemException": "DuplicateItem",
    "ItemCollectionSizeLimitExceededException": "ItemCollectionSizeLimitExceeded",
    "ValidationException": "ValidationError",
}


def cancellation(reasons: Sequence[Reason | None]) -> ServiceError:
    """The error for a cancelled transaction. None is the reason of a member without a problem."""
    all_reasons = [reason or {"Code": "None"} for reason in reasons]
    message = texts.transaction_cancelled(reason["Code"] for reason in all_reasons)
    return service_error("TransactionCanceledException", message, CancellationReasons=all_reasons)


def conflict_cancellation(conflicting: Iterable[bool]) -> ServiceError:
    """The error for conflicting members, True or False for each by position."""
    conflict = {"Code": "TransactionConflict", "Message": texts.REASON_CONFLICT}
    return cancellation([dict(conflict) if is_conflicting else None for is_conflicting in conflicting])


def for_each_member(
    members: Sequence[M],
    work: Callable[[M], T],
    reason_of: Callable[[M, ServiceError], Reason] = lambda _, error: cancellation_reason(error),
) -> list[T]:
    """Apply a function to each member; if it fails for any, raises the error with all reasons."""
    reasons: list[Reason | None] = [None] * len(members)
    results: list[T] = []
    for position, member in enumerate(members):
        try:
            results.append(work(member))
        except EmptyKey:
            # This error concerns the whole request.
            raise
        except ServiceError as error:
            reasons[position] = reason_of(member, error)
    if any(reasons):
        raise cancellation(reasons)
    return results


def cancellation_reason(error: ServiceError, *, with_item: bool = False) -> Reason:
    """The reason of one member. It can include the item that failed a condition."""
    reason: Reason = {"Code": _CODES[error.code], "Message": error.message}
    if with_item and isinstance(error, ConditionalCheckFailed) and error.row is not None:
        reason["Item"] = orjson.loads(error.row.data)
    return reason


ItemWrite: TypeAlias = Put | ItemUpdate | Delete

_KINDS: Final[dict[str, Callable[[Mapping[str, Any]], ItemWrite]]] = {
    "ConditionCheck": lambda member: read_condition_check(member, TRANSACT_CONDITION),
    "Put": lambda member: read_put(member, TRANSACT_CONDITION),
    "Update": lambda member: read_update(member, TRANSACT_UPDATE),
    "Delete": lambda member: read_delete(member, TRANSACT_CONDITION),
}


class Action:
    """One member of a transaction: a write, and the table it goes to."""

    __slots__ = ("_item_write", "_wants_item", "table", "table_name")

    def __init__(self, does: ItemWrite, table_name: str, *, wants_item: bool = False) -> None:
        self._item_write = does
        # The name or the ARN, whichever the request uses.
        self.table_name = table_name
        self._wants_item = wants_item

    def find_table(self, core: Core) -> None:
        """Look up the table."""
        self.table: Table = core.catalogue.table(self.table_name)

    def to_write(self) -> Write:
        """The write for the table."""
        return self._item_write.write_to(self.table)

    def reason(self, error: ServiceError) -> Reason:
        """The cancellation reason for an error."""
        return cancellation_reason(error, with_item=self._wants_item)


def read_action(member: Mapping[str, Any]) -> Action:
    """The action of one member, checked as far as possible without the table."""
    kinds = [kind for kind in _KINDS if kind in member]
    if not kinds:
        raise validation(texts.NO_ACTION)
    if len(kinds) > 1:
        raise validation(texts.TWO_ACTIONS)
    content = member[kinds[0]]
    wants_item = content.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    return Action(_KINDS[kinds[0]](content), content["TableName"], wants_item=wants_item)


def write_answer(request: Mapping[str, Any], done: Iterable[tuple[Action, Write, Outcome]]) -> Answer:
    """The response to a transaction of writes."""
    capacity, collections = CapacityByTable(), CollectionMetrics()
    for action, write, outcome in done:
        units = 2 * outcome.table_units
        capacity.add(action.table_name, action.table, units, outcome.index_units, outcome.vector_bytes)
        collections.add(action.table_name, write, outcome)
    return {**capacity.response_members(request, "Write"), **collections.response_members(request)}


def replay_units(done: Iterable[tuple[Action, Write, Outcome]]) -> dict[str, float]:
    """The units by table for the same transaction sent again: a read of the larger images."""
    units: dict[str, float] = {}
    for action, _, outcome in done:
        size = max(outcome.new_size, 0 if outcome.old is None else outcome.old.size)
        name = action.table_name
        units[name] = units.get(name, 0.0) + read_units(size, transactional=True)
    return units


def replay_answer(core: Core, request: Mapping[str, Any], read: Mapping[str, float]) -> Answer:
    """The response to a transaction that was already carried out under the same token."""
    capacity = CapacityByTable()
    for name, units in read.items():
        table = core.catalogue.table(name)
        core.meter.record_replay(table, units)
        capacity.add(name, table, units)
    return capacity.response_members(request, "Read")


class Get(NamedTuple):
    """One read of a transaction."""

    # The name or the ARN, whichever the request uses.
    table_name: str
    table: Table
    key: bytes
    to_item: Callable[[Row], Any]


def transact_get(core: Core, request: Mapping[str, Any], gets: Sequence[Get]) -> Answer:
    """The response to a transaction of reads."""
    items = [(get.table.layout.space, get.key) for get in gets]
    if len(set(items)) < len(items):
        raise validation(texts.ITEM_TWICE)
    if core.settings.conflicts:
        in_use = core.conflicts.items_in_use(items)
        if in_use:
            raise conflict_cancellation(item in in_use for item in items)
    return _answer(core, request, gets, _rows(core, items))


def _rows(core: Core, items: list[tuple[int, bytes]]) -> list[Row | None]:
    with core.storage.reading() as reader:
        rows = [reader.get(space, key) for space, key in items]
    if sum(row.size for row in rows if row is not None) > TRANSACTION_BYTES:
        raise validation(texts.TOO_LARGE)
    return rows


def _answer(
    core: Core, request: Mapping[str, Any], gets: Sequence[Get], rows: Sequence[Row | None]
) -> Answer:
    responses: list[dict[str, Any]] = []
    capacity = CapacityByTable()
    for get, row in zip(gets, rows, strict=True):
        item = None if row is None else get.to_item(row)
        # An item without any projected attribute is left out.
        responses.append({} if item is None or item == {} else {"Item": item})
        size = 0 if row is None else row.size
        units = read_units(size, transactional=True)
        core.meter.record_item_read(get.table, get.key, units, size)
        capacity.add(get.table_name, get.table, units)
    return {"Responses": responses, **capacity.response_members(request, "Read")}


_Planned: TypeAlias = Sequence[tuple[Action, Write]]


def transact_write(core: Core, request: Mapping[str, Any], member: str, actions: Sequence[Action]) -> Answer:
    """Carry out the actions in a member of a request. Their tables are looked up."""
    planned = _plan_writes(actions)
    token = _token(request, member, planned)
    if core.settings.conflicts:
        return _transact_write_or_conflict(core, request, planned, token)
    return _transact_write(core, request, planned, token)


def _plan_writes(actions: Sequence[Action]) -> _Planned:
    """All actions with their writes; raises for keys that do not match their tables, and for duplicate items."""
    planned = for_each_member(actions, lambda action: (action, action.to_write()))
    if len({(write.table.layout.space, write.key) for _, write in planned}) < len(planned):
        raise validation(texts.ITEM_TWICE)
    _check_size(write.known_size() for _, write in planned)
    return planned


def _check_size(sizes: Iterable[int]) -> None:
    if sum(sizes) > TRANSACTION_BYTES:
        raise validation(texts.TOO_LARGE)


def _transact_write_or_conflict(
    core: Core, request: Mapping[str, Any], planned: _Planned, token: Token | None
) -> Answer:
    """Carry out a transaction, unless another call uses one of its items or its token."""
    items = [(write.table.layout.space, write.key) for _, write in planned]
    with core.conflicts.hold_token(request.get("ClientRequestToken")):
        replayed = _replayed_answer(core, core.storage, request, token)
        if replayed is not None:
            return replayed
        with core.conflicts.hold_for_transaction(items) as conflicting:
            if conflicting:
                raise conflict_cancellation(item in conflicting for item in items)
            return _transact_write(core, request, planned, token)


def _transact_write(core: Core, request: Mapping[str, Any], planned: _Planned, token: Token | None) -> Answer:
    with core.storage.writing() as writer:
        replayed = _replayed_answer(core, writer, request, token)
        if replayed is not None:
            return replayed
        outcomes = _attempt_all(core, writer, planned)
        _store(core, writer, planned, outcomes)
        done = [(action, write, outcome) for (action, write), outcome in zip(planned, outcomes, strict=True)]
        if token is not None:
            core.tokens.store(writer, token, replay_units(done), core.now())
        # Inside the block, where no index can be deleted yet.
        answer = write_answer(request, done)
    note_committed_writes(core, [(write, outcome) for _, write, outcome in done], doubled=True)
    return answer


def _token(request: Mapping[str, Any], member: str, planned: _Planned) -> Token | None:
    if "ClientRequestToken" not in request:
        return None
    spaces = [write.table.layout.space for _, write in planned]
    return Token(request["ClientRequestToken"], request[member], spaces)


def _replayed_answer(
    core: Core, stored: Storage | Reader, request: Mapping[str, Any], token: Token | None
) -> Answer | None:
    """The response, if the token's transaction was already carried out."""
    done = None if token is None else core.tokens.find(stored, token, core.now())
    return None if done is None else replay_answer(core, request, done)


def _attempt_all(core: Core, writer: Writer, planned: _Planned) -> list[Outcome]:
    """What all writes make of their items; raises with a reason for each that fails."""
    try:
        outcomes = for_each_member(
            planned,
            lambda member: attempt(writer, member[1]),
            lambda member, error: member[0].reason(error),
        )
    except ServiceError:
        # A failed transaction consumes the units of all its writes.
        for _, write in planned:
            core.meter.record_failed_write(write, writer.get(write.table.layout.space, write.key))
        raise
    _check_size(outcome.new_size for outcome in outcomes)
    return outcomes


def _store(core: Core, writer: Writer, planned: _Planned, outcomes: Sequence[Outcome]) -> None:
    for position, ((_, write), outcome) in enumerate(zip(planned, outcomes, strict=True)):
        try:
            store(core, writer, write, outcome)
        except ServiceError as error:
            reasons = [
                planned[position][0].reason(error) if other == position else None
                for other in range(len(planned))
            ]
            raise cancellation(reasons) from None
