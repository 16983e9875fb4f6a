"""Finds streams by ARN, including those of deleted tables, which are readable until their changes are trimmed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from math import inf
from typing import Final, Literal

import orjson

from pksk.dataclass import dataclass
from pksk.engine.core import Core
from pksk.engine.row_layout import stored_bytes
from pksk.engine.service_errors import resource_not_found, service_error, validation
from pksk.engine.state import Shard, Stream, StreamOwner, arns, stream_record, table_record
from pksk.engine.storage import Storage, StorageProblem, Writer


@dataclass(frozen=True, slots=True)
class TableStream:
    """A stream with the record of its table, or with what remains of that after the table was deleted."""

    arn: str
    record: Stream
    owner: StreamOwner

    def status(self, core: Core) -> str:
        """StreamStatus, which depends on the state of the table."""
        delay = core.settings.delays.update_table
        if "closed" in self.record:
            disabling = (
                table_record.status_of(self.owner) != "ACTIVE" and core.now() < self.record["closed"] + delay
            )
            return "DISABLING" if disabling else "DISABLED"
        status = table_record.status_of(self.owner)
        enabling = status == "UPDATING" and core.now() < self.record["opened"] + delay
        return "ENABLING" if enabling or status == "CREATING" else "ENABLED"

    def find_shard(self, member: Literal["id", "number"], value: int | str, now: float) -> Shard:
        """The shard with an id or a number; raises if it does not exist, or is trimmed."""
        shard = stream_record.find_shard(self.record, member, value)
        if shard is None or stream_record.is_past_retention(shard, now):
            raise service_error(
                "ResourceNotFoundException", "Requested resource not found: Shard does not exist"
            )
        return shard


def read_stream_arn(arn: str) -> tuple[arns.Resource, str]:
    """The resource that the ARN of a stream names, and the label of the stream; raises for another ARN."""
    parsed = arns.read_arn(arn)
    kind, _, label = ("", "", "") if parsed is None else parsed.within.partition("/")
    if parsed is None or kind != "stream" or not label or "/" in label:
        raise validation("Invalid StreamArn")
    return parsed, label


def find_stream(core: Core, arn: str, space: int | None = None) -> TableStream:
    """The readable stream with an ARN, and with a space unless that is None; raises if there is none."""
    parsed, label = read_stream_arn(arn)
    arns.require_own_account(core.settings, parsed, arn)
    if parsed.region == core.settings.region:
        for stream in _streams_with_label(core, parsed.table, label):
            if space is None or stream.record["space"] == space:
                return stream
    raise resource_not_found(f"Stream: {arn}")


def all_streams(core: Core, table: str | None) -> list[TableStream]:
    """All streams, or those of one table, sorted by ARN."""
    names = core.catalogue.names() if table is None else [table]
    live = chain.from_iterable(_live_streams(core, name) for name in names)
    orphaned = _orphaned_streams(core, table or "")
    by_arn = {stream.arn: stream for stream in (*orphaned, *live)}
    return [by_arn[arn] for arn in sorted(by_arn)]


def _streams_with_label(core: Core, table: str, label: str) -> Iterator[TableStream]:
    for stream in _live_streams(core, table):
        if stream.record["label"] == label:
            yield stream
    yield from _orphaned_streams(core, table, label)


def _live_streams(core: Core, name: str) -> Iterator[TableStream]:
    table = core.catalogue.find(name)
    if table is not None and table.exists:
        yield from _streams_of_record(core, table.record)


def _orphaned_streams(core: Core, table: str, label: str = "") -> Iterator[TableStream]:
    for record in orphaned_streams(core.storage, table, label):
        yield from _streams_of_record(core, record)


def _streams_of_record(core: Core, record: StreamOwner) -> Iterator[TableStream]:
    arn, now = arns.table_arn(core.settings, record["TableName"]), core.now()
    for stream in record.get("streams", ()):
        if not stream_record.is_past_retention(stream, now):
            yield TableStream(arns.stream_arn(arn, stream["label"]), stream, record)


_NOTE_PREFIX: Final = "stream/"
# There may be many, and trimmed ones are invisible, so they are rarely removed.
_PAUSE_SECONDS: Final = 3600.0
# A key beside the spaces of streams in `Core.maintenance_due`.
_ORPHANS: Final = -1


def keep_orphaned_streams(writer: Writer, record: StreamOwner, now: float) -> None:
    """Store the streams of a table that is being deleted."""
    for stream in record.get("streams", ()):
        if stream_record.is_past_retention(stream, now):
            writer.drop_space(stream["space"])
            continue
        if "closed" not in stream:
            last = stream_record.last_number(writer, stream)
            stream = stream_record.with_shards_closed(stream, last, now)  # noqa: PLW2901
        owner: StreamOwner = {
            "TableName": record["TableName"],
            "TableId": record["TableId"],
            "KeySchema": record["KeySchema"],
            "streams": [stream],
        }
        writer.note(_note_name(owner), stored_bytes(owner))


def orphaned_streams(storage: Storage, table: str = "", label: str = "") -> Iterator[StreamOwner]:
    """Records of deleted tables with one stream each: all, those of a table, or one with a label."""
    prefix = "".join(f"{part}/" for part in (table, label) if part)
    return map(orjson.loads, storage.notes(_NOTE_PREFIX + prefix).values())


def orphaned_labels(storage: Storage, table: str) -> frozenset[str]:
    """The labels of the streams of deleted tables with this name."""
    return frozenset(owner["streams"][0]["label"] for owner in orphaned_streams(storage, table))


def drop_trimmed_orphans(core: Core) -> None:
    """Remove the streams of deleted tables whose changes are all trimmed, if the storage is writable."""
    now = core.now()
    if now < core.maintenance_due.get(_ORPHANS, -inf):
        return
    core.maintenance_due[_ORPHANS] = now + _PAUSE_SECONDS
    trimmed = [
        owner
        for owner in orphaned_streams(core.storage)
        if stream_record.is_past_retention(owner["streams"][0], now)
    ]
    if not trimmed:
        return
    with suppress(StorageProblem), core.storage.writing() as writer:
        stored = core.storage.notes(_NOTE_PREFIX)
        for owner in trimmed:
            if _note_name(owner) in stored:  # another thread may have removed it
                writer.note(_note_name(owner), None)
                writer.drop_space(owner["streams"][0]["space"])


def _note_name(owner: StreamOwner) -> str:
    stream = owner["streams"][0]
    return f"{_NOTE_PREFIX}{owner['TableName']}/{stream['label']}/{stream['space']}"
