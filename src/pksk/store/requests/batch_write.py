"""Puts and deletes many items: 25 in a request, what is left unprocessed again, to the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

import orjson

from pksk.client import ServiceError
from pksk.errors import BatchIncomplete, DesignError, OutcomeUnknown, StoreError
from pksk.limits import BATCH_BYTES, BATCH_WRITE_ITEMS
from pksk.model import Batch, Delete, Put, batch
from pksk.model.writes.item_change import ItemChange, ItemState
from pksk.model.writes.marker_rules import marker_rules
from pksk.model.writes.prepared_write import wire_key
from pksk.store.argument_checks import check_request_kind
from pksk.store.requests.batch_get import pause_or_give_up
from pksk.store.requests.delete import delete_of_entity
from pksk.store.requests.put import as_put, stamp
from pksk.store.sending.diagnosis import unknown_outcome
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps, Together

if TYPE_CHECKING:
    from pksk.store.core import Core


class _BatchMember(NamedTuple):
    """One write: its place among all, itself with its stamps, and as a batch has it."""

    place: int
    write: Put[Any] | Delete[Any]
    member: dict[str, Any]


# What is left of a chunk, and what stopped it.
_Outcome: TypeAlias = tuple[list[_BatchMember], StoreError | None]


def batch_write(
    core: Core, writes: Sequence[Put[Any] | Delete[Any]], about: Batch[Any] | None = None
) -> Steps[list[Any]]:
    """Do all of them, each for itself; gives the entities that were put, as they are stored, and None for deletes.

    Where something stops it, what is under way is finished, and `BatchIncomplete` tells what is left. Where nothing
    was done for certain, it is the error that stopped it.
    """
    if not writes:
        return []
    about = about or batch(*writes).with_shared_pattern()
    if core.meters:
        core.meters.used(about)
    made = [_stamp(core, each) for each in writes]
    chunks = _chunks([_BatchMember(place, each, _member(each)) for place, each in enumerate(made)])
    width = core.max_parallel
    for start in range(0, len(chunks), width):
        some = chunks[start : start + width]
        outcomes: list[_Outcome] = (
            (yield Together(tuple(_write_chunk(core, chunk, about) for chunk in some)))
            if len(some) > 1
            else [(yield from _write_chunk(core, some[0], about))]
        )
        if any(error is not None for _, error in outcomes):
            _raise_incomplete(
                about, writes, [*outcomes, *((chunk, None) for chunk in chunks[start + width :])]
            )
    return [getattr(each, "value", None) for each in made]


def run_batch(core: Core, batch: Batch[Any]) -> Steps[list[Any]]:
    """Do all writes of a batch; gives the entity of each put, as it is stored, and None for deletes."""
    return batch_write(core, batch.members, batch)  # type: ignore[arg-type]


def batch_put(core: Core, things: Sequence[Any]) -> Steps[list[Any]]:
    """Store all of these entities or Puts, each for itself."""
    return batch_write(core, list(map(as_put, things)))


def batch_delete(core: Core, things: Sequence[Any]) -> Steps[None]:
    """Do all deletes, each for itself, given as Deletes or as the entities that the items hold."""
    yield from batch_write(core, [_delete_of(each) for each in things])


def _delete_of(thing: Any) -> Delete[Any]:
    if not hasattr(type(thing), "__pksk__"):
        check_request_kind("batch_delete", thing, "Delete")
        delete: Delete[Any] = thing
        return delete
    write = delete_of_entity(thing)
    rules = marker_rules(write.declaration)
    _check_markers(write, ItemChange("delete", rules, 0, expected=rules.expected(thing)))
    return write


def _raise_incomplete(about: Batch[Any], writes: Sequence[Any], outcomes: Sequence[_Outcome]) -> NoReturn:
    """Raise what stopped a batch, with what is left of it."""
    left = {sent.place for rest, _ in outcomes for sent in rest}
    errors = [error for _, error in outcomes if error is not None]
    cause = next((each for each in errors if isinstance(each, OutcomeUnknown)), errors[0])
    if len(left) == len(writes) and not isinstance(cause, BatchIncomplete):
        raise cause
    made = BatchIncomplete(
        "store-batch-incomplete",
        f"A batch: {len(left)} of its {len(writes)} members are not known to be done: {cause.problem}",
        fix="send .left again later; a put or delete of a batch may be done twice.",
    )
    made.request = about
    made.unprocessed = [each for place, each in enumerate(writes) if place in left]
    made.processed = [each for place, each in enumerate(writes) if place not in left]
    raise made from cause


def _stamp(core: Core, write: Put[Any] | Delete[Any]) -> Put[Any] | Delete[Any]:
    """The write with the fields that the store sets; rejects one whose markers need a condition."""
    rules = marker_rules(write.declaration)
    if isinstance(write, Delete):
        _check_markers(write, ItemChange("delete", rules, 0))
        if rules.deletes_guarded:
            _reject(write, "a field of a subclass is unique, and its guard goes with the item")
        return write
    if rules.fields:
        entity = write.declaration.from_item(write.item)
        state = ItemState(rules, wire_key(write.item_key), rules.values(entity))
        _check_markers(write, ItemChange("put", rules, 0, after=state))
    if rules.replaces_guarded:
        _reject(
            write, "what it replaces may be of a sibling with a unique value, whose guard goes with the item"
        )
    # A time of expiry is returned as it is stored, in whole seconds.
    return Put(stamp(core, rules, entity)) if rules.fields else write


def _check_markers(write: Put[Any] | Delete[Any], change: ItemChange) -> None:
    problem = change.rules.batch_problem(change)
    if problem:
        _reject(write, problem)


def _reject(write: Any, why: str) -> None:
    raise DesignError(
        "store-batch-marked",
        f"A batch with a {type(write).__name__} of {write.declaration.name}: {why}; batches have no conditions.",
        fix="write them one by one, or together in a transaction.",
    )


def _member(write: Put[Any] | Delete[Any]) -> dict[str, Any]:
    if isinstance(write, Put):
        return {"PutRequest": {"Item": write.item}}
    return {"DeleteRequest": {"Key": wire_key(write.item_key)}}


def _chunks(sent: list[_BatchMember]) -> list[list[_BatchMember]]:
    """As many as a request takes, in number and in bytes."""
    chunks: list[list[_BatchMember]] = []
    size = 0
    for each in sent:
        own = len(orjson.dumps(each.member))
        if not chunks or len(chunks[-1]) == BATCH_WRITE_ITEMS or size + own > BATCH_BYTES:
            chunks.append([])
            size = 0
        chunks[-1].append(each)
        size += own
    return chunks


def _write_chunk(core: Core, chunk: list[_BatchMember], about: Any) -> Steps[_Outcome]:
    """Write what one request takes; gives what of it is not known to be done, and why."""
    left, stalled = chunk, 0
    unresolved: list[ServiceError] = []
    try:
        while left:
            tables: dict[str, list[dict[str, Any]]] = {}
            for _, write, member in left:
                tables.setdefault(write.table_name, []).append(member)
            answer = yield from send(
                core, "BatchWriteItem", {"RequestItems": tables}, about, unresolved=unresolved
            )
            rest = _unprocessed(left, answer.get("UnprocessedItems") or {})
            stalled = stalled + 1 if len(rest) == len(left) else 0
            left = rest
            if left:
                yield from pause_or_give_up(core, stalled, about, len(left))
    except StoreError as error:
        said = isinstance(error, BatchIncomplete | OutcomeUnknown)
        return left, unknown_outcome(about, unresolved[-1]) if unresolved and not said else error
    return [], None


def _unprocessed(sent: list[_BatchMember], answer: dict[str, list[dict[str, Any]]]) -> list[_BatchMember]:
    """The writes that an answer gives back, by their keys."""
    if not answer:
        return []
    back = {
        (table, _key(member, names))
        for table, members in answer.items()
        for names in [_names(sent, table)]
        for member in members
    }
    return [
        each
        for each in sent
        if (each.write.table_name, _key(each.member, _names(sent, each.write.table_name))) in back
    ]


def _names(sent: list[_BatchMember], table: str) -> tuple[str, ...]:
    found: tuple[str, ...] = next(
        write.declaration.table.key_attributes for _, write, _ in sent if write.table_name == table
    )
    return found


def _key(member: dict[str, Any], names: tuple[str, ...]) -> str:
    from pksk.store.requests.batch_get import key_text

    ((_, inner),) = member.items()
    item = inner.get("Item") or inner["Key"]
    return key_text({name: item[name] for name in names})
