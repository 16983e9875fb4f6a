"""Makes a new table: its spaces, its identity, and the time at which it can be used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from pksk.engine.faults import fault
from pksk.engine.placement.initial import placed
from pksk.engine.settings import Settings
from pksk.engine.streams.left import left_labels
from pksk.engine.texts import tables as texts

from .billing import ON_DEMAND
from .catalogue import Change
from .policy import new_policy
from .record import Record, status_of
from .states import done_at, in_use
from .streams import stream_opened
from .table import Table

__all__ = ["make_table", "refuse_existing", "to_milliseconds"]


def to_milliseconds(now: float) -> float:
    """A time as descriptions show it."""
    return round(now, 3)


def refuse_existing(table: Table | None) -> None:
    """Refuse to create a table that is there."""
    if table is None:
        return
    status = status_of(table.settings)
    if status in {"CREATING", "DELETING"}:
        raise in_use(texts.busy(status, table.name))
    raise fault("ResourceInUseException", texts.already_exists(table.name))


def make_table(
    change: Change,
    settings: Settings,
    name: str,
    definition: Record,
    request: Mapping[str, Any],
    rows: int | None = None,
) -> Table:
    """Store a table that is as its definition says, and CREATING for as long as settings say.

    Its rows are in a space of its own, or in one that is filled already.
    """
    writer, now = change.writer, change.now
    record: Record = {
        "TableName": name,
        "TableId": str(uuid4()),
        "CreationDateTime": to_milliseconds(now),
        **definition,
        "space": writer.make_space() if rows is None else rows,
        "phase": {"status": "CREATING", "until": done_at(now, settings.delays.create_table)},
    }
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes"):
        if member in record:
            record[member] = [{**entry, "space": writer.make_space()} for entry in record[member]]
    record = placed(record, settings)
    if "LocalSecondaryIndexes" in record:
        record["collections"] = writer.make_space()
    if record["BillingMode"] == ON_DEMAND:
        record["on_demand_since"] = to_milliseconds(now)
    stream = request.get("StreamSpecification")
    if stream is not None and stream["StreamEnabled"]:
        record["streams"] = stream_opened(
            record, stream["StreamViewType"], writer, now, left_labels(change.storage, name)
        )
    if "ResourcePolicy" in request:
        record["policies"] = {"": new_policy(request["ResourcePolicy"], None, now)}
    return change.create(record)
