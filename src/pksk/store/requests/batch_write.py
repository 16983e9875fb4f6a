"""Puts and deletes many items, 25 in a request; unprocessed items are sent again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn, TypeAlias, cast

import orjson

from pksk.client import ServiceError
from pksk.errors import BatchIncomplete, DesignError, OutcomeUnknown, StoreError
from pksk.limits import BATCH_BYTES, BATCH_WRITE_ITEMS
from pksk.model import Batch, Delete, Entity, Put, batch
from pksk.model.item_key import wire_key
from pksk.model.requests.keyed_request import ItemRequest
from pksk.model.requests.request import Request
from pksk.model.write_rules.rules import ItemChange, ItemState, marker_rules
from pksk.sending import Core, Steps, Together, send, unknown_outcome
from pksk.store.arguments import E, check_request_kind
from pksk.store.requests.batch_get import key_text, pause_or_give_up
from pksk.store.requests.delete import delete_of_entity
from pksk.store.requests.put import as_put


class _BatchMember(NamedTuple):
    """One write of a batch: its position, the stamped write, and its form in BatchWriteItem."""

    position: int
    write: Put | Delete
    member: dict[str, Any]


# The unprocessed members of a chunk, and the error that stopped it.
_Outcome: TypeAlias = tuple[list[_BatchMember], StoreError | None]


def batch_write(
    core: Core, writes: Sequence[Put[E] | Delete[E]], request: Batch | None = None
) -> Steps[list[E | None]]:
    """Apply writes one by one; returns the entity of each put as stored, and None for deletes.

    After an error, running requests finish, and `BatchIncomplete` has the unprocessed writes. If certainly nothing was
    written, the error itself is raised.
    """
    if not writes:
        return []
    request = request or batch(*writes).with_shared_pattern()
    if core.meters:
        core.meters.used(request)
    stamped = [_stamp(core, each) for each in writes]
    chunks = _chunks([_BatchMember(position, each, _member(each)) for position, each in enumerate(stamped)])
    width = core.max_parallel
    for start in range(0, len(chunks), width):
        some = chunks[start : start + width]
        outcomes: list[_Outcome] = (
            (yield Together(tuple(_write_chunk(core, chunk, request) for chunk in some)))
            if len(some) > 1
            else [(yield from _write_chunk(core, some[0], request))]
        )
        if any(error is not None for _, error in outcomes):
            _raise_incomplete(
                request, writes, [*outcomes, *((chunk, None) for chunk in chunks[start + width :])]
            )
    return [getattr(each, "value", None) for each in stamped]


def run_batch(core: Core, batch: Batch[E]) -> Steps[list[E | None]]:
    """Run all writes of a batch; returns the entity of each put as stored, and None for deletes."""
    return batch_write(core, batch.members, batch)  # type: ignore[arg-type]


def batch_put(core: Core, entities: Sequence[E | Put[E]]) -> Steps[list[E]]:
    """Store entities or Puts."""
    return cast("Steps[list[E]]", batch_write(core, [as_put(each) for each in entities]))


def batch_delete(core: Core, items: Sequence[Entity | Delete]) -> Steps[None]:
    """Run Deletes, or delete the items of entities."""
    yield from batch_write(core, [_delete_of(each) for each in items])


def _delete_of(item: Entity | Delete) -> Delete:
    if isinstance(item, Delete) or not hasattr(type(item), "__pksk__"):
        check_request_kind("batch_delete", item, "Delete")
        return cast("Delete", item)
    write = delete_of_entity(item)
    rules = marker_rules(write.declaration)
    _check_markers(write, ItemChange("delete", rules, 0, expected=rules.expected(item)))
    return write


def _raise_incomplete(
    request: Batch, writes: Sequence[Put | Delete], outcomes: Sequence[_Outcome]
) -> NoReturn:
    """Raise the error of a batch, with its unprocessed writes."""
    unfinished_positions = {member.position for rest, _ in outcomes for member in rest}
    errors = [error for _, error in outcomes if error is not None]
    cause = next((each for each in errors if isinstance(each, OutcomeUnknown)), errors[0])
    if len(unfinished_positions) == len(writes) and not isinstance(cause, BatchIncomplete):
        raise cause
    incomplete = BatchIncomplete(
        "store-batch-incomplete",
        f"Batch: {len(unfinished_positions)} of {len(writes)} writes may not have been applied: {cause.problem}",
        fix="send .unprocessed again later; applying a put or delete twice has the same result as once.",
        request=request,
    )
    incomplete.unprocessed = [
        each for position, each in enumerate(writes) if position in unfinished_positions
    ]
    incomplete.processed = [
        each for position, each in enumerate(writes) if position not in unfinished_positions
    ]
    raise incomplete from cause


def _stamp(core: Core, write: Put | Delete) -> Put | Delete:
    """The write with the fields that the store sets; rejects one whose markers need a condition."""
    rules = marker_rules(write.declaration)
    if isinstance(write, Delete):
        _check_markers(write, ItemChange("delete", rules, 0))
        if rules.deletes_guarded:
            _reject(write, "a field of a subclass is unique, and its guard item is deleted with the item")
        return write
    if rules.fields:
        entity = write.declaration.from_item(write.item)
        state = ItemState(rules, wire_key(write.item_key), rules.values(entity))
        _check_markers(write, ItemChange("put", rules, 0, after=state))
    if rules.replaces_guarded:
        _reject(
            write,
            "it may replace an item of a sibling entity with a unique value, whose guard item must be deleted",
        )
    # A TTL is returned as it is stored, in whole seconds.
    return Put(rules.stamp(entity, core.now())) if rules.fields else write


def _check_markers(write: Put | Delete, change: ItemChange) -> None:
    problem = change.rules.batch_problem(change)
    if problem:
        _reject(write, problem)


def _reject(write: ItemRequest, why: str) -> None:
    raise DesignError(
        "store-batch-markers",
        f"A batch with a {type(write).__name__} of {write.declaration.name}: {why}; a batch has no conditions.",
        fix="write them one by one, or together in a transaction.",
    )


def _member(write: Put | Delete) -> dict[str, Any]:
    if isinstance(write, Put):
        return {"PutRequest": {"Item": write.item}}
    return {"DeleteRequest": {"Key": wire_key(write.item_key)}}


def _chunks(members: list[_BatchMember]) -> list[list[_BatchMember]]:
    """Chunks within the limits of a request, by number and by bytes."""
    chunks: list[list[_BatchMember]] = []
    size = 0
    for each in members:
        own = len(orjson.dumps(each.member))
        if not chunks or len(chunks[-1]) == BATCH_WRITE_ITEMS or size + own > BATCH_BYTES:
            chunks.append([])
            size = 0
        chunks[-1].append(each)
        size += own
    return chunks


def _write_chunk(core: Core, chunk: list[_BatchMember], request: Request | None) -> Steps[_Outcome]:
    """Write one chunk; returns the writes that may not have been applied, and the error."""
    remaining_members, stalled = chunk, 0
    unresolved: list[ServiceError] = []
    try:
        while remaining_members:
            tables: dict[str, list[dict[str, Any]]] = {}
            for _, write, member in remaining_members:
                tables.setdefault(write.table_name, []).append(member)
            answer = yield from send(
                core, "BatchWriteItem", {"RequestItems": tables}, request, unresolved=unresolved
            )
            rest = _unprocessed(remaining_members, answer.get("UnprocessedItems") or {})
            stalled = stalled + 1 if len(rest) == len(remaining_members) else 0
            remaining_members = rest
            if remaining_members:
                yield from pause_or_give_up(core, stalled, request, len(remaining_members))
    except StoreError as error:
        is_clear = isinstance(error, BatchIncomplete | OutcomeUnknown)
        return remaining_members, unknown_outcome(
            request, unresolved[-1]
        ) if unresolved and not is_clear else error
    return [], None


def _unprocessed(members: list[_BatchMember], answer: dict[str, list[dict[str, Any]]]) -> list[_BatchMember]:
    """The writes that an answer returns as unprocessed, found by their keys."""
    if not answer:
        return []
    back = {
        (table, _key(member, names))
        for table, unprocessed in answer.items()
        for names in [_names(members, table)]
        for member in unprocessed
    }
    return [
        each
        for each in members
        if (each.write.table_name, _key(each.member, _names(members, each.write.table_name))) in back
    ]


def _names(members: list[_BatchMember], table: str) -> tuple[str, ...]:
    names: tuple[str, ...] = next(
        write.declaration.table.key_attributes for _, write, _ in members if write.table_name == table
    )
    return names


def _key(member: dict[str, Any], names: tuple[str, ...]) -> str:
    ((_, inner),) = member.items()
    item = inner.get("Item") or inner["Key"]
    return key_text({name: item[name] for name in names})
