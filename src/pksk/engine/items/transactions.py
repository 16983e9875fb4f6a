"""Transactions: many writes or reads as one, with a cancellation reason for each member."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias, TypeVar

import orjson

from pksk.capacity.units import read_units
from pksk.client import ServiceError
from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.expressions.parameters import TRANSACT_CONDITION, TRANSACT_UPDATE
from pksk.engine.request import error_in_transaction
from pksk.engine.service_errors import EmptyKey, InvalidRequest, service_error, validation
from pksk.engine.state import Outcome, Table, Token, Write
from pksk.engine.storage import Reader, Row, Storage, Writer
from pksk.limits import TRANSACTION_BYTES

from . import write_requests
from .consumed_capacity import CapacityByTable
from .perform import CollectionMetrics, ConditionalCheckFailed, attempt, note_committed_writes, store

M = TypeVar("M")
T = TypeVar("T")
Reason: TypeAlias = dict[str, Any]

_CODES: Final = {
    "ConditionalCheckFailedException": "ConditionalCheckFailed",
    "DuplicateItemException": "DuplicateItem",
    "ItemCollectionSizeLimitExceededException": "ItemCollectionSizeLimitExceeded",
    "ResourceNotFoundException": "ResourceNotFound",
    "ValidationException": "ValidationError",
}


def cancellation(reasons: Sequence[Reason | None]) -> ServiceError:
    """The error for a cancelled transaction. None is the reason of a member without a problem."""
    all_reasons = [reason or {"Code": "None"} for reason in reasons]
    codes = ", ".join(reason["Code"] for reason in all_reasons)
    message = f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
    return service_error("TransactionCanceledException", message, CancellationReasons=all_reasons)


def _conflict_cancellation(conflicting: Iterable[bool]) -> ServiceError:
    """The error for conflicting members, True or False for each by position."""
    conflict = {"Code": "TransactionConflict", "Message": texts.TRANSACTION_CONFLICT}
    return cancellation([dict(conflict) if is_conflicting else None for is_conflicting in conflicting])


def for_each_member(
    members: Sequence[M],
    work: Callable[[M], T],
    reason_of: Callable[[M, ServiceError], Reason] | None = None,
) -> list[T]:
    """Apply a function to each member; if it fails for any, raises the error with the reasons.

    Without `reason_of`, members are held to their tables, and only the first that fails has a reason.
    """
    reasons: list[Reason | None] = [None] * len(members)
    results: list[T] = []
    for position, member in enumerate(members):
        try:
            results.append(work(member))
        except EmptyKey:
            # This error concerns the whole request.
            raise
        except ServiceError as error:
            if reason_of is not None:
                reasons[position] = reason_of(member, error)
            elif not any(reasons):
                reasons[position] = cancellation_reason(error)
    if any(reasons):
        raise cancellation(reasons)
    return results


def cancellation_reason(error: ServiceError, *, with_item: bool = False) -> Reason:
    """The reason of one member. It can include the item that failed a condition."""
    reason: Reason = {"Code": _CODES[error.code], "Message": error.message}
    if with_item and isinstance(error, ConditionalCheckFailed) and error.row is not None:
        reason["Item"] = orjson.loads(error.row.data)
    return reason


ItemWrite: TypeAlias = write_requests.ItemPut | write_requests.ItemUpdate | write_requests.ItemDelete

_KINDS: Final[dict[str, Callable[[Request], ItemWrite]]] = {
    "ConditionCheck": lambda member: write_requests.read_condition_check(member, TRANSACT_CONDITION),
    "Put": lambda member: write_requests.read_put(member, TRANSACT_CONDITION),
    "Update": lambda member: write_requests.read_update(member, TRANSACT_UPDATE),
    "Delete": lambda member: write_requests.read_delete(member, TRANSACT_CONDITION),
}


class Action:
    """One member of a transaction: a write, and the table it goes to."""

    # Whether every key that does not match its table is a reason, or the first alone.
    reports_every_key: ClassVar[bool] = False

    __slots__ = ("_item_write", "_wants_item", "table", "table_name")

    def __init__(self, item_write: ItemWrite, table_name: str, *, wants_item: bool = False) -> None:
        self._item_write = item_write
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


def read_action(member: Request) -> Action:
    """The action of one member, checked as far as possible without the table."""
    kinds = [kind for kind in _KINDS if kind in member]
    if not kinds:
        raise validation(
            "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"
        )
    if len(kinds) > 1:
        raise validation("TransactItems can only contain one of Check, Put, Update or Delete")
    content = member[kinds[0]]
    wants_item = content.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    try:
        item_write = _KINDS[kinds[0]](content)
    except InvalidRequest as error:
        raise error_in_transaction(error, content.get("Item") or content.get("Key", {})) from None
    return Action(item_write, content["TableName"], wants_item=wants_item)


def _write_answer(request: Request, results: Iterable[tuple[Action, Write, Outcome]]) -> Answer:
    """The response to a transaction of writes."""
    capacity, collections = CapacityByTable(), CollectionMetrics()
    for action, write, outcome in results:
        units = 2 * outcome.table_units
        capacity.add(action.table_name, action.table, units, outcome.index_units, outcome.vector_bytes)
        collections.add(action.table_name, write, outcome)
    return {**capacity.response_members(request, "Write"), **collections.response_members(request)}


def _replay_units(results: Iterable[tuple[Action, Write, Outcome]]) -> dict[str, float]:
    """The units by table for the same transaction sent again: a read of the larger images."""
    units: dict[str, float] = {}
    for action, _, outcome in results:
        size = max(outcome.new_size, 0 if outcome.old is None else outcome.old.size)
        name = action.table_name
        units[name] = units.get(name, 0.0) + read_units(size, transactional=True)
    return units


def _replay_answer(core: Core, request: Request, units_by_table: Mapping[str, float]) -> Answer:
    """The response to a transaction that was already carried out under the same token."""
    capacity = CapacityByTable()
    for name, units in units_by_table.items():
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


def transact_get(core: Core, request: Request, gets: Sequence[Get]) -> Answer:
    """The response to a transaction of reads."""
    items = [(get.table.layout.space, get.key) for get in gets]
    if len(set(items)) < len(items):
        raise validation(texts.ITEM_TWICE)
    if core.settings.conflicts:
        in_use = core.conflicts.items_in_use(items)
        if in_use:
            raise _conflict_cancellation(item in in_use for item in items)
    return _answer(core, request, gets, _rows(core, items))


def _rows(core: Core, items: list[tuple[int, bytes]]) -> list[Row | None]:
    with core.storage.reading() as reader:
        rows = [reader.get(space, key) for space, key in items]
    if sum(row.size for row in rows if row is not None) > TRANSACTION_BYTES:
        raise validation(texts.TOO_LARGE)
    return rows


def _answer(core: Core, request: Request, gets: Sequence[Get], rows: Sequence[Row | None]) -> Answer:
    responses: list[Answer] = []
    capacity = CapacityByTable()
    for get, row in zip(gets, rows, strict=True):
        item = None if row is None else get.to_item(row)
        # An item without any projected attribute is left out.
        responses.append({} if item is None or item == {} else {"Item": item})
        units = core.meter.record_item_read(get.table, get.key, row, transactional=True)
        capacity.add(get.table_name, get.table, units)
    return {"Responses": responses, **capacity.response_members(request, "Read")}


_Writes: TypeAlias = Sequence[tuple[Action, Write]]


def transact_write(core: Core, request: Request, member: str, actions: Sequence[Action]) -> Answer:
    """Carry out the actions in a member of a request. Their tables are looked up."""
    writes = _plan_writes(actions)
    token = _token(request, member, writes)
    if core.settings.conflicts:
        return _transact_write_or_conflict(core, request, writes, token)
    return _transact_write(core, request, writes, token)


def _plan_writes(actions: Sequence[Action]) -> _Writes:
    """All actions with their writes; raises for keys that do not match their tables, and for duplicate items."""
    reason_of = Action.reason if any(action.reports_every_key for action in actions) else None
    writes = for_each_member(actions, lambda action: (action, action.to_write()), reason_of)
    if len({(write.table.layout.space, write.key) for _, write in writes}) < len(writes):
        raise validation(texts.ITEM_TWICE)
    _check_size(write.known_size() for _, write in writes)
    return writes


def _check_size(sizes: Iterable[int]) -> None:
    if sum(sizes) > TRANSACTION_BYTES:
        raise validation(texts.TOO_LARGE)


def _transact_write_or_conflict(core: Core, request: Request, writes: _Writes, token: Token | None) -> Answer:
    """Carry out a transaction, unless another call uses one of its items or its token."""
    items = [(write.table.layout.space, write.key) for _, write in writes]
    with core.conflicts.hold_token(request.get("ClientRequestToken")):
        replay = _replayed_answer(core, core.storage, request, token)
        if replay is not None:
            return replay
        with core.conflicts.hold_for_transaction(items) as conflicting:
            if conflicting:
                raise _conflict_cancellation(item in conflicting for item in items)
            return _transact_write(core, request, writes, token)


def _transact_write(core: Core, request: Request, writes: _Writes, token: Token | None) -> Answer:
    with core.storage.writing() as writer:
        replay = _replayed_answer(core, writer, request, token)
        if replay is not None:
            return replay
        outcomes = _attempt_all(core, writer, writes)
        _store(core, writer, writes, outcomes)
        results = [
            (action, write, outcome) for (action, write), outcome in zip(writes, outcomes, strict=True)
        ]
        if token is not None:
            core.tokens.store(writer, token, _replay_units(results), core.now())
        # Inside the block, where no index can be deleted yet.
        answer = _write_answer(request, results)
    note_committed_writes(core, [(write, outcome) for _, write, outcome in results], doubled=True)
    return answer


def _token(request: Request, member: str, writes: _Writes) -> Token | None:
    if "ClientRequestToken" not in request:
        return None
    spaces = [write.table.layout.space for _, write in writes]
    return Token(request["ClientRequestToken"], request[member], spaces)


def _replayed_answer(
    core: Core, stored: Storage | Reader, request: Request, token: Token | None
) -> Answer | None:
    """The response, if the token's transaction was already carried out."""
    units = None if token is None else core.tokens.find(stored, token, core.now())
    return None if units is None else _replay_answer(core, request, units)


def _attempt_all(core: Core, writer: Writer, writes: _Writes) -> list[Outcome]:
    """What all writes make of their items; raises with a reason for each that fails."""
    try:
        outcomes = for_each_member(
            writes, lambda member: attempt(writer, member[1]), lambda member, error: member[0].reason(error)
        )
    except ServiceError:
        # A failed transaction consumes the units of all its writes.
        for _, write in writes:
            core.meter.record_failed_write(write, writer.get(write.table.layout.space, write.key))
        raise
    _check_size(outcome.new_size for outcome in outcomes)
    return outcomes


def _store(core: Core, writer: Writer, writes: _Writes, outcomes: Sequence[Outcome]) -> None:
    for position, ((_, write), outcome) in enumerate(zip(writes, outcomes, strict=True)):
        try:
            store(core, writer, write, outcome)
        except ServiceError as error:
            reasons = [
                writes[position][0].reason(error) if other == position else None
                for other in range(len(writes))
            ]
            raise cancellation(reasons) from None
