"""Dead letters: changes that a handler could not process, kept until someone retries or drops them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import orjson

from pksk.changes.consumer_state import ConsumerState
from pksk.changes.handler import Handler, call_handler, check_handler
from pksk.changes.shards import Record
from pksk.dataclass import dataclass
from pksk.model.changes.stream_changes import ChangeFilter, read_change
from pksk.schema import Table
from pksk.sending import Steps, send
from pksk.values import WireItem

_MAX_REASON: Final = 2000


@dataclass(frozen=True)
class DeadLetter:
    """A change that could not be processed: the key of its item, the error, and the version it was delivered with."""

    id: str
    key: WireItem
    kind: str
    reason: str
    at: datetime
    count: int = 1
    version: int = 0


def add_dead_letter(
    state: ConsumerState, record: Record, origin: str, error: Exception, version: int
) -> Steps[None]:
    """Store a record as a dead letter; a second time counts once more. `origin` is its shard, or what it came from."""
    change = record["dynamodb"]
    values = {
        ":k": {"S": orjson.dumps(change["Keys"]).decode()},
        ":e": {"S": record["eventName"]},
        ":r": {"S": f"{type(error).__name__}: {text_of(error)}"},
        ":a": {"N": repr(state.core.clock())},
        ":v": {"N": str(version)},
        ":one": {"N": "1"},
    }
    names = {"#k": "key", "#e": "event", "#r": "reason", "#a": "at", "#n": "count"}
    update = "SET #k = :k, #e = :e, #r = :r, #a = :a, version = :v ADD #n :one"
    request = state.request(f"dead#{origin}#{change['SequenceNumber']}", update, values, names=names)
    yield from send(state.core, "UpdateItem", request)


def text_of(error: Exception) -> str:
    """What an error says, as text that can be stored."""
    try:
        text = str(error)
    except Exception as other:
        text = f"(its text raised {type(other).__name__})"
    return text[:_MAX_REASON].encode(errors="backslashreplace").decode()


def list_dead_letters(state: ConsumerState) -> Steps[list[DeadLetter]]:
    """All dead letters of a consumer, by shard and in order."""
    items = yield from state.items("dead#")
    return [
        DeadLetter(
            id=item["sk"]["S"].partition("#")[2],
            key=orjson.loads(item["key"]["S"]),
            kind=item["event"]["S"].lower(),
            reason=item["reason"]["S"],
            at=datetime.fromtimestamp(float(item["at"]["N"]), UTC),
            count=int(item["count"]["N"]),
            version=int(item["version"]["N"]),
        )
        for item in items
    ]


def retry_dead_letter(
    state: ConsumerState, table: Table, changes: ChangeFilter, letter: DeadLetter, handler: Handler
) -> Steps[None]:
    """Call the handler with the present state of an item, and drop the letter.

    The change has the version of the one that failed: later changes of the item have larger ones, whether they were
    delivered before this call or come after it.
    """
    check_handler(handler)
    request = {"TableName": table.name, "Key": letter.key, "ConsistentRead": True}
    item = (yield from send(state.core, "GetItem", request)).get("Item")
    images = {"Keys": letter.key} if item is None else {"Keys": letter.key, "NewImage": item}
    record = {"eventName": "REMOVE" if item is None else "MODIFY", "dynamodb": images}
    change = read_change(record, changes, letter.version)
    if change is not None:
        yield from call_handler(state.core, table, state.consumer, handler, [change])
    yield from drop_dead_letter(state, letter)


def drop_dead_letter(state: ConsumerState, letter: DeadLetter) -> Steps[None]:
    """Remove a dead letter."""
    request = {"TableName": state.name, "Key": state.key(f"dead#{letter.id}")}
    yield from send(state.core, "DeleteItem", request)
