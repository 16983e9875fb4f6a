"""Reads many items by key: a hundred per request until all are read, or all at one moment in a transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

from pksk.errors import BatchIncomplete, ItemUnreadable
from pksk.limits import BATCH_GET_ITEMS
from pksk.model import Batch, Get
from pksk.model.requests.request import Request
from pksk.sending import Core, FailureKind, Pause, Steps, Together, send
from pksk.store.arguments import E, UnreadableItems, check_request_kind, check_unreadable_list
from pksk.store.reads.entity_reader import read_entities
from pksk.values import Wire, WireItem, from_wire
from pksk.values.wire import from_boto3

# The items, and the error that stopped the read.
_Outcome: TypeAlias = "tuple[list[WireItem], BatchIncomplete | None]"


def run_batch(core: Core, batch: Batch[E], unreadable: UnreadableItems = None) -> Steps[list[E | None]]:
    """The entity of each Get of a batch or None, in their order."""
    return batch_get(core, batch.members, unreadable, batch)  # type: ignore[arg-type]


def batch_get(
    core: Core,
    gets: Sequence[Get[E]],
    unreadable: UnreadableItems = None,
    request: Batch | None = None,
) -> Steps[list[E | None]]:
    """The entity of each Get or None, in their order; the same item may occur several times."""
    check_unreadable_list("batch_get", unreadable)
    if not gets:
        return []
    for each in gets:
        check_request_kind("batch_get", each, "Get")
    request = request or Batch(tuple(gets)).with_shared_pattern()
    if core.meters:
        core.meters.used(request)
    read: dict[int, WireItem | None] = {}
    try:
        yield from _read_by_table(core, gets, request, read)
    except BatchIncomplete as error:
        error.unprocessed = [get for index, get in enumerate(gets) if index not in read]
        # This error comes first: it mentions the unreadable items.
        problems: list[ItemUnreadable] = [] if unreadable is None else unreadable
        error.processed = _entities_read(core, gets, read, problems)
        if unreadable is None and problems:
            error.expected = f"{len(problems)} of the items are unreadable: {problems[0].problem}"
            raise error from problems[0]
        raise
    return _entities_read(core, gets, read, unreadable)


def _entities_read(
    core: Core, gets: Sequence[Get[E]], read: Mapping[int, WireItem | None], unreadable: UnreadableItems
) -> list[E | None]:
    items = [(get, read[index]) for index, get in enumerate(gets) if index in read]
    return cast("list[E | None]", read_entities(items, core.clock(), unreadable))


def _read_by_table(
    core: Core, gets: Sequence[Get], request: Request | None, read: dict[int, WireItem | None]
) -> Steps[None]:
    """Read the item of each Get into `read`, by position; on an error, `read` has those that were read before."""
    requests = [get.request for get in gets]
    groups: dict[tuple[str, bool], list[int]] = {}
    for index, parameters in enumerate(requests):
        groups.setdefault((parameters["TableName"], bool(parameters.get("ConsistentRead"))), []).append(index)
    for (table, consistent), indexes in groups.items():
        keys = [requests[index]["Key"] for index in indexes]
        try:
            items = yield from batch_get_items(core, table, keys, request, consistent=consistent)
        except BatchIncomplete as error:
            unprocessed = set(map(key_text, error.unprocessed))
            read_items = {key_text({name: item[name] for name in keys[0]}): item for item in error.processed}
            texts = {index: key_text(key) for index, key in zip(indexes, keys, strict=True)}
            read.update(
                {index: read_items.get(text) for index, text in texts.items() if text not in unprocessed}
            )
            raise
        read.update(zip(indexes, items, strict=True))


def batch_get_items(
    core: Core,
    table: str,
    keys: Sequence[WireItem],
    request: Request | None,
    *,
    consistent: bool = False,
) -> Steps[list[WireItem | None]]:
    """The item of each key or None, in order; an error has the unprocessed keys, and the items that were read."""
    # DynamoDB rejects a request that has a key twice.
    unique = list({key_text(key): key for key in keys}.values())
    chunks = [unique[start : start + BATCH_GET_ITEMS] for start in range(0, len(unique), BATCH_GET_ITEMS)]
    items_by_key: dict[str, WireItem] = {}
    width = core.max_parallel
    for start in range(0, len(chunks), width):
        runs = [
            _read_chunk(core, table, chunk, request, consistent) for chunk in chunks[start : start + width]
        ]
        outcomes: list[_Outcome] = (yield Together(tuple(runs))) if len(runs) > 1 else [(yield from runs[0])]
        for items, _ in outcomes:
            items_by_key.update((key_text({name: item[name] for name in keys[0]}), item) for item in items)
        stopped = [error for _, error in outcomes if error is not None]
        if stopped:
            later = chunks[start + width :]
            stopped[0].unprocessed = [
                key for some in (*(each.unprocessed for each in stopped), *later) for key in some
            ]
            stopped[0].processed = list(items_by_key.values())
            raise stopped[0]
    return [items_by_key.get(key_text(key)) for key in keys]


def _read_chunk(
    core: Core, table: str, keys: Sequence[WireItem], request: Request | None, consistent: bool
) -> Steps[_Outcome]:
    """The items of up to a hundred keys; unprocessed keys are sent again."""
    remaining_keys: Sequence[WireItem] = keys
    items: list[WireItem] = []
    stalled = 0
    while remaining_keys:
        options = {"ConsistentRead": True} if consistent else {}
        answer = yield from send(
            core,
            "BatchGetItem",
            {"RequestItems": {table: {"Keys": list(remaining_keys), **options}}},
            request,
        )
        items += answer.get("Responses", {}).get(table, [])
        # Some servers leave out an empty member, or set it to null.
        rest = ((answer.get("UnprocessedKeys") or {}).get(table) or {}).get("Keys") or []
        # A smaller rest is progress; without progress, the read ends at some time.
        stalled = stalled + 1 if len(rest) == len(remaining_keys) else 0
        remaining_keys = rest
        if remaining_keys:
            try:
                yield from pause_or_give_up(core, stalled, request, len(remaining_keys))
            except BatchIncomplete as error:
                error.unprocessed = remaining_keys
                return items, error
    return items, None


def pause_or_give_up(
    core: Core, stalled: int, request: Request | None, unprocessed_count: int
) -> Steps[None]:
    """Wait before the rest of a batch is sent again; raises after too many attempts without progress."""
    if stalled >= core.retry.attempts:
        raise BatchIncomplete(
            "store-batch-incomplete",
            f"Batch: DynamoDB left {unprocessed_count} members unprocessed, {stalled} times in a row.",
            fix="send .unprocessed again later, spread the load over more partition keys, or raise the throughput.",
            request=request,
        )
    # Without any progress, it is throttling.
    kind: FailureKind = "throttled" if stalled else "unknown"
    yield Pause(core.retry.pause(max(stalled, 1), kind, core.chance()))


def key_text(key: WireItem) -> str:
    """A key as text, equal for equal keys."""
    return repr(sorted((name, _plain(wire)) for name, wire in key.items()))


def _plain(wire: Wire) -> object:
    # DynamoDB returns numbers in their shortest form, and bytes as text.
    return from_wire(from_boto3(wire))
