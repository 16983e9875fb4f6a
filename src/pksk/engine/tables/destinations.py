"""Kinesis destinations as tables describe them; nothing is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.faults import fault
from pksk.engine.texts import resources as texts

from .record import Record
from .states import done_at, require_settled

__all__ = ["change_destination", "destination_status", "existing_destination", "shown_destinations"]


def destination_status(setting: Mapping[str, Any], now: float) -> str:
    """The state of a destination: on its way, or where it was going."""
    passing, done = setting["status"]
    return str(done if now >= setting["until"] else passing)


def shown_destinations(record: Record, now: float) -> list[dict[str, Any]]:
    """KinesisDataStreamDestinations of a table."""
    shown = []
    for stream, setting in record.get("destinations", {}).items():
        destination = {"StreamArn": stream, "DestinationStatus": destination_status(setting, now)}
        if "precision" in setting:
            destination["ApproximateCreationDateTimePrecision"] = setting["precision"]
        shown.append(destination)
    return shown


def existing_destination(record: Record, stream: str) -> dict[str, Any]:
    """A destination that the table has had."""
    found: dict[str, Any] | None = record.get("destinations", {}).get(stream)
    if found is None:
        raise fault("ResourceNotFoundException", texts.no_destination(stream))
    return found


def change_destination(
    core: Core,
    request: Mapping[str, Any],
    configuration: str,
    changed: Callable[[Record, float], dict[str, Any]],
) -> Answer:
    """Store what becomes of a destination; the answer, with the member that configures it if it was given."""
    stream = request["StreamArn"]
    with core.catalogue.changing() as change:
        table = core.catalogue.described(request["TableName"])
        record = table.settings
        require_settled(record)
        delay = core.settings.delays.update_table
        setting = {**changed(record, change.now), "until": done_at(change.now, delay)}
        change.save(table, {**record, "destinations": {**record.get("destinations", {}), stream: setting}})
    answer = {"TableName": table.name, "StreamArn": stream, "DestinationStatus": setting["status"][0]}
    if configuration in request:
        answer[configuration] = request[configuration]
    return answer
