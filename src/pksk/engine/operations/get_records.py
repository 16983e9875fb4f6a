"""GetRecords: the changes of a shard from an iterator on, and the iterator that follows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from pksk.engine.core import Answer, Core
from pksk.engine.faults import fault
from pksk.engine.storage import Row
from pksk.engine.streams.horizon import is_trimmed
from pksk.engine.streams.iterator import Position, read_iterator, write_iterator
from pksk.engine.streams.rows import number_of, row_key, shard_end
from pksk.engine.streams.shown import shown_records
from pksk.engine.texts import streams as texts

__all__ = ["get_records"]

_MOST_RECORDS: Final = 1000
_MOST_BYTES: Final = 2**20


def get_records(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a GetRecords request."""
    now = core.now()
    position = read_iterator(core, request["ShardIterator"], now)
    rows, ended = _read(core, position, request.get("Limit", _MOST_RECORDS), now)
    answer: Answer = {"Records": orjson.Fragment(shown_records(position.found, core.settings.region, rows))}
    if not ended:
        number = number_of(rows[-1]) + 1 if rows else position.number
        answer["NextShardIterator"] = write_iterator(position._replace(number=number), now)
    return answer


def _read(core: Core, position: Position, limit: int, now: float) -> tuple[list[Row], bool]:
    """The next changes, and whether the shard has and will have no more."""
    found, shard, start = position
    space, number = found.stream["space"], shard["number"]
    rows: list[Row] = []
    size = 0
    with core.storage.reading() as reader:
        if is_trimmed(reader, space, shard, start, now):
            raise fault("TrimmedDataAccessException", texts.TRIMMED)
        for row in reader.rows(space, row_key(number, start), shard_end(number)):
            size += row.size
            if len(rows) == limit or size > _MOST_BYTES:
                return rows, False
            rows.append(row)
    return rows, "end" in shard
