"""DescribeStream: what a stream is, and its shards, a page at a time or the children of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from pksk.engine.core import Answer, Core
from pksk.engine.faults import validation
from pksk.engine.streams.find import Found
from pksk.engine.streams.lineage import Shard, kept
from pksk.engine.streams.sequences import shown_number
from pksk.engine.streams.tended import tended_stream
from pksk.engine.tables.creation import to_milliseconds
from pksk.engine.texts import streams as texts

__all__ = ["describe_stream"]

_PAGE: Final = 100


def describe_stream(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DescribeStream request."""
    given = request.get("ShardFilter", {})
    if len(given) == 1:
        raise validation(texts.FILTER_INCOMPLETE)
    found = tended_stream(core, request["StreamArn"])
    start, limit = request.get("ExclusiveStartShardId", ""), request.get("Limit", _PAGE)
    now = core.now()
    after = _children(found, given["ShardId"], start, now) if given else kept(found.stream, now, start)
    shards = list(islice(after, limit + 1))
    description = {**_stream(core, found), "Shards": list(map(_shard, shards[:limit]))}
    if len(shards) > limit:
        description["LastEvaluatedShardId"] = shards[limit - 1]["id"]
    return {"StreamDescription": description}


def _children(found: Found, parent: str, start: str, now: float) -> Iterator[Shard]:
    """The children of a shard after an id; of one that is gone too, as long as there are any."""
    children = [shard for shard in kept(found.stream, now, parent) if shard["parent"] == parent]
    if not children:
        found.shard("id", parent, now)
    return (shard for shard in children if shard["id"] > start)


def _stream(core: Core, found: Found) -> Answer:
    stream = found.stream
    return {
        "StreamArn": found.arn,
        "StreamLabel": stream["label"],
        "StreamStatus": found.status(core),
        "StreamViewType": stream["view"],
        "CreationRequestDateTime": to_milliseconds(stream["opened"]),
        "TableName": found.record["TableName"],
        "KeySchema": found.record["KeySchema"],
    }


def _shard(shard: Shard) -> Answer:
    numbers = {"StartingSequenceNumber": shown_number(shard["start"])}
    if "end" in shard:
        numbers["EndingSequenceNumber"] = shown_number(shard["end"])
    shown: Answer = {"ShardId": shard["id"], "SequenceNumberRange": numbers}
    if shard["parent"] is not None:
        shown["ParentShardId"] = shard["parent"]
    return shown
