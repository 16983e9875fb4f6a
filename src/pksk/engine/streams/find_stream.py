"""Finds streams by ARN, including those of deleted tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Literal

from pksk.dataclass import dataclass
from pksk.engine.core import Core
from pksk.engine.service_errors import service_error, validation
from pksk.engine.state.arns import read_arn, stream_arn, table_arn
from pksk.engine.state.shards import Shard, Stream, find_shard, is_past_retention
from pksk.engine.state.table_record import StreamOwner, status_of
from pksk.engine.texts import tables as texts

from .orphaned_streams import orphaned_streams


@dataclass(frozen=True, slots=True)
class FoundStream:
    """A stream, and the record of its table or what remains of it after the table was deleted."""

    arn: str
    stream: Stream
    record: StreamOwner

    def status(self, core: Core) -> str:
        """StreamStatus, which depends on the state of the table."""
        delay = core.settings.delays.update_table
        if "closed" in self.stream:
            disabling = status_of(self.record) != "ACTIVE" and core.now() < self.stream["closed"] + delay
            return "DISABLING" if disabling else "DISABLED"
        status = status_of(self.record)
        enabling = status == "UPDATING" and core.now() < self.stream["opened"] + delay
        return "ENABLING" if enabling or status == "CREATING" else "ENABLED"

    def find_shard(self, member: Literal["id", "number"], value: int | str, now: float) -> Shard:
        """The shard with an id or a number; raises if it does not exist, or is trimmed."""
        shard = find_shard(self.stream, member, value)
        if shard is None or is_past_retention(shard, now):
            raise service_error("ResourceNotFoundException", texts.NO_SHARD)
        return shard


def find_stream(core: Core, arn: str, space: int | None = None) -> FoundStream:
    """The readable stream with an ARN and, if given, a space; raises if there is none."""
    parsed = read_arn(arn)
    kind, _, label = ("", "", "") if parsed is None else parsed.within.partition("/")
    if parsed is None or kind != "stream" or not label or "/" in label:
        raise validation(texts.INVALID_ARN)
    if parsed.account != core.settings.account:
        raise service_error("AccessDeniedException", texts.access_denied(core.settings.account, arn))
    if parsed.region == core.settings.region:
        for stream in _streams_with_label(core, parsed.table, label):
            if space is None or stream.stream["space"] == space:
                return stream
    raise service_error("ResourceNotFoundException", texts.no_stream(arn))


def all_streams(core: Core, table: str | None) -> list[FoundStream]:
    """All streams, or those of one table, sorted by ARN."""
    names = core.catalogue.names() if table is None else [table]
    live = chain.from_iterable(_live_streams(core, name) for name in names)
    orphaned = _orphaned_streams(core, table or "")
    by_arn = {stream.arn: stream for stream in (*orphaned, *live)}
    return [by_arn[arn] for arn in sorted(by_arn)]


def _streams_with_label(core: Core, table: str, label: str) -> Iterator[FoundStream]:
    for stream in _live_streams(core, table):
        if stream.stream["label"] == label:
            yield stream
    yield from _orphaned_streams(core, table, label)


def _live_streams(core: Core, name: str) -> Iterator[FoundStream]:
    table = core.catalogue.find(name)
    if table is not None and table.exists:
        yield from _streams_of_record(core, table.record)


def _orphaned_streams(core: Core, table: str, label: str = "") -> Iterator[FoundStream]:
    for record in orphaned_streams(core.storage, table, label):
        yield from _streams_of_record(core, record)


def _streams_of_record(core: Core, record: StreamOwner) -> Iterator[FoundStream]:
    arn, now = table_arn(core.settings, record["TableName"]), core.now()
    for stream in record.get("streams", ()):
        if not is_past_retention(stream, now):
            yield FoundStream(stream_arn(arn, stream["label"]), stream, record)
