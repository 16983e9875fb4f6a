"""GetRecords: the changes of a shard from an iterator on, and the next iterator."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Final

import orjson

from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.service_errors import service_error
from pksk.engine.state import stream_record
from pksk.engine.storage import Row
from pksk.engine.streams.find_stream import TableStream
from pksk.engine.streams.shard_iterator import ShardPosition, read_iterator, write_iterator

_EVENT_ID_BYTES: Final = 16


def _records_json(stream: TableStream, region: str, rows: list[Row]) -> bytes:
    """The records of changes, as a JSON list."""
    format_record = _record_formatter(stream, region)
    return b"[%b]" % b",".join([format_record(row) for row in rows])


def _record_formatter(stream: TableStream, region: str) -> Callable[[Row], bytes]:
    """The function that formats a change as a record. Event ids derive from the stream and the number."""
    template = (
        b'{"awsRegion":"%b","dynamodb":{"ApproximateCreationDateTime":%%b.0,%%b,"SequenceNumber":"%%b",'
        b'"SizeBytes":%%d,"StreamViewType":"%b"},"eventID":"%%b","eventName":"%%b",'
        b'"eventSource":"aws:dynamodb","eventVersion":"1.1"%%b}'
    ) % (region.encode(), stream.record["view"].encode())
    events = blake2b(f"{stream.owner['TableId']}/{stream.arn}".encode(), digest_size=_EVENT_ID_BYTES)

    def format_record(row: Row) -> bytes:
        created, event, principal, images = row.data.split(b" ", 3)
        number = stream_record.format_sequence_number(stream_record.sequence_number(row)).encode()
        event_id = events.copy()
        event_id.update(number)
        identity = b',"userIdentity":{"PrincipalId":"%b","Type":"Service"}' % principal if principal else b""
        return template % (created, images, number, row.size, event_id.hexdigest().encode(), event, identity)

    return format_record


_MOST_RECORDS: Final = 1000
_MOST_BYTES: Final = 2**20


def get_records(core: Core, request: Request) -> Answer:
    """Answer a GetRecords request."""
    now = core.now()
    position = read_iterator(core, request["ShardIterator"], now)
    rows, ended = _read(core, position, request.get("Limit", _MOST_RECORDS), now)
    answer: Answer = {"Records": orjson.Fragment(_records_json(position.stream, core.settings.region, rows))}
    if not ended:
        number = stream_record.sequence_number(rows[-1]) + 1 if rows else position.number
        answer["NextShardIterator"] = write_iterator(position._replace(number=number), now)
    return answer


def _read(core: Core, position: ShardPosition, limit: int, now: float) -> tuple[list[Row], bool]:
    """The next changes, and whether the shard has no more and is closed."""
    stream, shard, start = position
    space, number = stream.record["space"], shard["number"]
    rows: list[Row] = []
    size = 0
    with core.storage.reading() as reader:
        if stream_record.is_trimmed(reader, space, shard, start, now):
            raise service_error("TrimmedDataAccessException", texts.TRIMMED)
        for row in reader.rows(
            space, stream_record.change_key(number, start), stream_record.shard_end(number)
        ):
            size += row.size
            if len(rows) == limit or size > _MOST_BYTES:
                return rows, False
            rows.append(row)
    return rows, "end" in shard
