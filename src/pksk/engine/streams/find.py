"""Finds streams by their ARN, also those of tables that are gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pksk.engine.core import Core
from pksk.engine.faults import fault, validation
from pksk.engine.tables.names import read_arn, stream_arn, table_arn
from pksk.engine.tables.record import Record, status_of
from pksk.engine.texts import streams as texts
from pksk.engine.texts import tables as table_texts

from .left import left_streams
from .lineage import Shard, Stream, find_shard, is_gone

__all__ = ["Found", "all_streams", "find_stream"]


@dataclass(frozen=True, slots=True)
class Found:
    """A stream, and the record of its table, or of what is left of it."""

    arn: str
    stream: Stream
    record: Record

    def status(self, core: Core) -> str:
        """The state of the stream, which changes with that of its table."""
        delay = core.settings.delays.update_table
        if "closed" in self.stream:
            disabling = status_of(self.record) != "ACTIVE" and core.now() < self.stream["closed"] + delay
            return "DISABLING" if disabling else "DISABLED"
        status = status_of(self.record)
        enabling = status == "UPDATING" and core.now() < self.stream["opened"] + delay
        return "ENABLING" if enabling or status == "CREATING" else "ENABLED"

    def shard(self, member: str, value: int | str, now: float) -> Shard:
        """The shard with an id or a number; refuses one that is not there, or no more."""
        shard = find_shard(self.stream, member, value)
        if shard is None or is_gone(shard, now):
            raise fault("ResourceNotFoundException", texts.NO_SHARD)
        return shard


def find_stream(core: Core, arn: str, space: int | None = None) -> Found:
    """The stream with an ARN, which can still be read; with a space, the one that has it."""
    named = read_arn(arn)
    kind, _, label = ("", "", "") if named is None else named.within.partition("/")
    if named is None or kind != "stream" or not label or "/" in label:
        raise validation(texts.INVALID_ARN)
    if named.account != core.settings.account:
        raise fault("AccessDeniedException", table_texts.access_denied(core.settings.account, arn))
    if named.region == core.settings.region:
        for found in _of_table(core, named.table, label):
            if space is None or found.stream["space"] == space:
                return found
    raise fault("ResourceNotFoundException", texts.no_stream(arn))


def all_streams(core: Core, table: str | None) -> list[Found]:
    """All streams, or those of one table, in the order of their ARNs."""
    names = core.catalogue.names() if table is None else [table]
    live = [found for name in names for found in _live(core, name)]
    left = _left(core, left_streams(core.storage, table or ""))
    by_arn = {found.arn: found for found in (*left, *live)}
    return [by_arn[arn] for arn in sorted(by_arn)]


def _of_table(core: Core, table: str, label: str) -> Iterator[Found]:
    for found in _live(core, table):
        if found.stream["label"] == label:
            yield found
    yield from _left(core, left_streams(core.storage, table, label))


def _live(core: Core, name: str) -> Iterator[Found]:
    table = core.catalogue.find(name)
    if table is not None and table.alive:
        yield from _streams(core, table.settings)


def _left(core: Core, records: Iterator[dict[str, Any]]) -> Iterator[Found]:
    for record in records:
        yield from _streams(core, record)


def _streams(core: Core, record: Mapping[str, Any]) -> Iterator[Found]:
    arn, now = table_arn(core.settings, record["TableName"]), core.now()
    for stream in record.get("streams", ()):
        if not is_gone(stream, now):
            yield Found(stream_arn(arn, stream["label"]), stream, dict(record))
