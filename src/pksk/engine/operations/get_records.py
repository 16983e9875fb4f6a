"""GetRecords: the changes of a shard from an iterator on, and the next iterator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any, Final

import orjson

from pksk.engine.core import Answer, Core
from pksk.engine.service_errors import service_error
from pksk.engine.state.change_records import change_key, is_trimmed, shard_end
from pksk.engine.storage import Row
from pksk.engine.streams.shard_iterator import ShardPosition, read_iterator, write_iterator
from pksk.engine.texts import tables as texts

from ..state.change_records import format_sequence_number, sequence_number
from ..streams.find_stream import FoundStream

_EVENT_ID_BYTES: Final = 16


def records_json(stream: FoundStream, region: str, rows: list[Row]) -> bytes:
    """The records of changes, as a JSON list."""
    show = _record_formatter(stream, region)
    return b"[%b]" % b",".join([show(row) for row in rows])


def _record_formatter(stream: FoundStream, region: str) -> Callable[[Row], bytes]:
    """The function that formats a change as a record. Event ids derive from the stream and the number."""
    form = (
        b'{"awsRegion":"%b","dynamodb":{"ApproximateCreationDateTime":%%b.0,%%b,"SequenceNumber":"%%b",'
        b'"SizeBytes":%%d,"StreamViewType":"%b"},"eventID":"%%b","eventName":"%%b",'
        b'"eventSource":"aws:dynamodb","eventVersion":"1.1"%%b}'
    ) % (region.encode(), stream.stream["view"].encode())
    events = blake2b(f"{stream.record['TableId']}/{stream.arn}".encode(), digest_size=_EVENT_ID_BYTES)

    def show(row: Row) -> bytes:
        created, event, by, images = row.data.split(b" ", 3)
        number = format_sequence_number(sequence_number(row)).encode()
        event_id = events.copy()
        event_id.update(number)
        who = b',"userIdentity":{"PrincipalId":"%b","Type":"Service"}' % by if by else b""
        return form % (created, images, number, row.size, event_id.hexdigest().encode(), event, who)

    return show


_MOST_RECORDS: Final = 1000
_MOST_BYTES: Final = 2**20


def get_records(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a GetRecords request."""
    now = core.now()
    position = read_iterator(core, request["ShardIterator"], now)
    rows, ended = _read(core, position, request.get("Limit", _MOST_RECORDS), now)
    answer: Answer = {"Records": orjson.Fragment(records_json(position.stream, core.settings.region, rows))}
    if not ended:
        number = sequence_number(rows[-1]) + 1 if rows else position.number
        answer["NextShardIterator"] = write_iterator(position._replace(number=number), now)
    return answer


def _read(core: Core, position: ShardPosition, limit: int, now: float) -> tuple[list[Row], bool]:
    """The next changes, and whether the shard has no more and is closed."""
    stream, shard, start = position
    space, number = stream.stream["space"], shard["number"]
    rows: list[Row] = []
    size = 0
    with core.storage.reading() as reader:
        if is_trimmed(reader, space, shard, start, now):
            raise service_error("TrimmedDataAccessException", texts.TRIMMED)
        for row in reader.rows(space, change_key(number, start), shard_end(number)):
            size += row.size
            if len(rows) == limit or size > _MOST_BYTES:
                return rows, False
            rows.append(row)
    return rows, "end" in shard
