"""Streams of a table: switched on and off, each with a label and a space for its change records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from pksk.engine.faults import validation
from pksk.engine.storage import Writer
from pksk.engine.streams.lineage import closed, is_gone, opened
from pksk.engine.streams.rows import last_number
from pksk.engine.texts import tables as texts

from .record import Record, open_stream, stored_partitions

__all__ = ["check_created_stream", "check_stream_update", "stream_closed", "stream_opened"]


def check_created_stream(specification: Mapping[str, Any] | None) -> None:
    """Check the stream that a new table asks for."""
    if specification is None:
        return
    enabled, view = specification["StreamEnabled"], specification.get("StreamViewType")
    if enabled and view is None:
        raise validation(texts.STREAM_CREATED_ENABLED)
    if not enabled and view is not None:
        raise validation(texts.STREAM_CREATED_DISABLED)


def check_stream_update(record: Record, specification: Mapping[str, Any]) -> None:
    """Check that a stream is switched on where there is none, or off where there is one."""
    enabled, view = specification["StreamEnabled"], specification.get("StreamViewType")
    running = open_stream(record) is not None
    if enabled and running:
        raise validation(texts.stream_exists(record["TableName"]))
    if enabled and view is None:
        raise validation(texts.STREAM_ENABLED_VIEW)
    if not enabled and view is not None:
        raise validation(texts.STREAM_DISABLED_VIEW)
    if not enabled and not running:
        raise validation(texts.stream_missing(record["TableName"]))


def stream_opened(
    record: Record, view: str, writer: Writer, now: float, left: frozenset[str]
) -> list[dict[str, Any]]:
    """The streams of a table with a new one; those whose records nobody can read any more are dropped.

    Its label is none of those that earlier tables of this name have left.
    """
    kept = []
    for stream in record.get("streams", ()):
        if is_gone(stream, now):
            writer.drop_space(stream["space"])
        else:
            kept.append(stream)
    label = _label(now, left.union(stream["label"] for stream in kept))
    stream = {"label": label, "view": view, "space": writer.make_space(), "opened": now}
    partitions = [part.number for part in stored_partitions(record)]
    return [*kept, opened(stream, count(1).__next__, now, partitions)]


def stream_closed(record: Record, writer: Writer, now: float) -> list[dict[str, Any]]:
    """The streams of a table with the last one closed."""
    *others, last = record["streams"]
    return [*others, closed(last, last_number(writer, last), now)]


def _label(now: float, taken: Iterable[str]) -> str:
    moment = datetime.fromtimestamp(now, UTC)
    while (label := moment.isoformat(timespec="milliseconds")[:-6]) in taken:
        moment += timedelta(milliseconds=1)
    return label
