"""Reads many items by key: a hundred per request until all are read, or all at one moment in a transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from pksk.errors import BatchIncomplete, ItemUnreadable
from pksk.limits import BATCH_GET_ITEMS
from pksk.model import Batch, Get
from pksk.store.argument_checks import check_request_kind
from pksk.store.reads.entity_reader import read_entities
from pksk.store.reads.unreadable_items import UnreadableItems, check_unreadable_list
from pksk.store.sending.retry import FailureKind
from pksk.store.sending.send import send
from pksk.store.sending.steps import Pause, Steps, Together

if TYPE_CHECKING:
    from pksk.store.core import Core
    from pksk.values import WireItem

# The items that were found, and the error that stopped the reading.
_Outcome: TypeAlias = "tuple[list[WireItem], BatchIncomplete | None]"


def run_batch(core: Core, batch: Batch[Any], unreadable: UnreadableItems = None) -> Steps[list[Any]]:
    """The entity of each Get of a batch or None, in their order."""
    return batch_get(core, batch.members, unreadable, batch)  # type: ignore[arg-type]


def batch_get(
    core: Core, gets: Sequence[Get[Any]], unreadable: UnreadableItems = None, about: Batch[Any] | None = None
) -> Steps[list[Any]]:
    """The entity of each Get or None, in their order; the same item may occur several times."""
    check_unreadable_list("batch_get", unreadable)
    if not gets:
        return []
    for each in gets:
        check_request_kind("batch_get", each, "Get")
    about = about or Batch(tuple(gets)).with_shared_pattern()
    if core.meters:
        core.meters.used(about)
    read: dict[int, WireItem | None] = {}
    try:
        yield from _read_by_table(core, gets, about, read)
    except BatchIncomplete as error:
        error.unprocessed = [get for index, get in enumerate(gets) if index not in read]
        # What is left must be told first, so that items that cannot be read are told beside it.
        odd: list[ItemUnreadable] = [] if unreadable is None else unreadable
        error.processed = _entities_read(core, gets, read, odd)
        if unreadable is None and odd:
            error.expected = f"Of those that were read, {len(odd)} cannot be read as asked: {odd[0].problem}"
            raise error from odd[0]
        raise
    return _entities_read(core, gets, read, unreadable)


def _entities_read(
    core: Core, gets: Sequence[Get[Any]], read: Mapping[int, WireItem | None], unreadable: UnreadableItems
) -> list[Any]:
    done = [(get, read[index]) for index, get in enumerate(gets) if index in read]
    return read_entities(done, core.clock(), unreadable)


def _read_by_table(
    core: Core, gets: Sequence[Get[Any]], about: Any, read: dict[int, WireItem | None]
) -> Steps[None]:
    """Read the item of each index, also of those that come before the index where it ends."""
    requests = [get.request for get in gets]
    groups: dict[tuple[str, bool], list[int]] = {}
    for index, request in enumerate(requests):
        groups.setdefault((request["TableName"], bool(request.get("ConsistentRead"))), []).append(index)
    for (table, consistent), indexes in groups.items():
        keys = [requests[index]["Key"] for index in indexes]
        try:
            items = yield from batch_get_items(core, table, keys, about, consistent=consistent)
        except BatchIncomplete as error:
            left = set(map(key_text, error.unprocessed))
            there = {key_text({name: item[name] for name in keys[0]}): item for item in error.processed}
            texts = {index: key_text(key) for index, key in zip(indexes, keys, strict=True)}
            read.update({index: there.get(text) for index, text in texts.items() if text not in left})
            raise
        read.update(zip(indexes, items, strict=True))


def batch_get_items(
    core: Core, table: str, keys: Sequence[Mapping[str, Any]], about: Any, *, consistent: bool = False
) -> Steps[list[WireItem | None]]:
    """The item under each key or None, in their order; an error holds the keys that are left, and what was found."""
    # DynamoDB refuses one key twice in a request.
    unique = list({key_text(key): key for key in keys}.values())
    chunks = [unique[start : start + BATCH_GET_ITEMS] for start in range(0, len(unique), BATCH_GET_ITEMS)]
    found: dict[str, WireItem] = {}
    width = core.max_parallel
    for start in range(0, len(chunks), width):
        runs = [_read_chunk(core, table, chunk, about, consistent) for chunk in chunks[start : start + width]]
        outcomes: list[_Outcome] = (yield Together(tuple(runs))) if len(runs) > 1 else [(yield from runs[0])]
        for items, _ in outcomes:
            found.update((key_text({name: item[name] for name in keys[0]}), item) for item in items)
        stopped = [error for _, error in outcomes if error is not None]
        if stopped:
            later = chunks[start + width :]
            stopped[0].unprocessed = [
                key for some in (*(each.unprocessed for each in stopped), *later) for key in some
            ]
            stopped[0].processed = list(found.values())
            raise stopped[0]
    return [found.get(key_text(key)) for key in keys]


def _read_chunk(
    core: Core, table: str, keys: Sequence[Mapping[str, Any]], about: Any, consistent: bool
) -> Steps[_Outcome]:
    """The items of up to a hundred keys; unprocessed keys are sent again."""
    left: Sequence[Mapping[str, Any]] = keys
    found: list[WireItem] = []
    stalled = 0
    while left:
        options = {"ConsistentRead": True} if consistent else {}
        answer = yield from send(
            core, "BatchGetItem", {"RequestItems": {table: {"Keys": list(left), **options}}}, about
        )
        found += answer.get("Responses", {}).get(table, [])
        rest = answer.get("UnprocessedKeys", {}).get(table, {}).get("Keys", [])
        # What comes back smaller gets on; only what does not is given up some time.
        stalled = stalled + 1 if len(rest) == len(left) else 0
        left = rest
        if left:
            try:
                yield from pause_or_give_up(core, stalled, about, len(left))
            except BatchIncomplete as error:
                error.unprocessed = left
                return found, error
    return found, None


def pause_or_give_up(core: Core, stalled: int, about: Any, left: int) -> Steps[None]:
    """Wait before the rest of a batch is sent again; raises where it was sent often enough in vain."""
    if stalled >= core.retry.attempts:
        made = BatchIncomplete(
            "store-batch-incomplete",
            f"A batch: {left} of its members were left unprocessed, {stalled} times in a row.",
            fix="send .left again later, spread the load over more partition keys, or raise the throughput.",
        )
        made.request = about
        raise made
    # Without any progress, it is throttling.
    kind: FailureKind = "throttled" if stalled else "unknown"
    yield Pause(core.retry.pause(max(stalled, 1), kind, core.chance()))


def key_text(key: Mapping[str, Any]) -> str:
    """A key as text, equal for equal keys."""
    return repr(sorted((name, _plain(wire)) for name, wire in key.items()))


def _plain(wire: Mapping[str, Any]) -> Any:
    from pksk.values import from_wire
    from pksk.values.boto3_form import from_boto3

    # Numbers come back in their shortest form, and bytes as text.
    return from_wire(from_boto3(wire))
