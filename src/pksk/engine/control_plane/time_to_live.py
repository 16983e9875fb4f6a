"""UpdateTimeToLive and DescribeTimeToLive: the TTL attribute of a table."""

from __future__ import annotations

from typing import Final

from pksk.engine.core import Answer, Core, Request
from pksk.engine.items.derived_rows import backfill_expiry
from pksk.engine.service_errors import validation
from pksk.engine.state import Expiry, TableRecord, table_record
from pksk.engine.storage import Writer


def expiry_attribute(record: TableRecord) -> str | None:
    """The TTL attribute of a table; None if TTL is disabled."""
    setting = record.get("ttl")
    return None if setting is None or not setting["enabled"] else str(setting["attribute"])


def is_expiring(record: TableRecord, now: float) -> bool:
    """Whether TTL is enabled by now."""
    setting = record.get("ttl")
    return setting is not None and setting["enabled"] and now >= setting["until"]


def _with_expiry_space(record: TableRecord, writer: Writer) -> TableRecord:
    """A record with TTL enabled, and a space with the expiry of each item."""
    expiry = Expiry(record["ttl"]["attribute"], writer.make_space())
    backfill_expiry(writer, record["space"], expiry)
    return {**record, "ttl": {**record["ttl"], "space": expiry.space}}


def _without_expiry_space(record: TableRecord, writer: Writer) -> TableRecord:
    """A record without a TTL space."""
    if "ttl" not in record or "space" not in record["ttl"]:
        return record
    setting = record["ttl"].copy()
    writer.drop_space(setting.pop("space"))
    return {**record, "ttl": setting}


def ttl_description(record: TableRecord, now: float) -> Answer:
    """TimeToLiveDescription of a table."""
    setting = record.get("ttl")
    if setting is None:
        return {"TimeToLiveStatus": "DISABLED"}
    is_final = now >= setting["until"]
    if setting["enabled"]:
        return {
            "TimeToLiveStatus": "ENABLED" if is_final else "ENABLING",
            "AttributeName": setting["attribute"],
        }
    if is_final:
        return {"TimeToLiveStatus": "DISABLED"}
    return {"TimeToLiveStatus": "DISABLING", "AttributeName": setting["attribute"]}


# AWS accepts one change an hour; without delays, the engine accepts any number.
_COOLDOWN_SECONDS: Final = 3600


def update_time_to_live(core: Core, request: Request) -> Answer:
    """Answer an UpdateTimeToLive request."""
    specification = request["TimeToLiveSpecification"]
    delay = core.settings.delays.update_table
    with core.catalogue.change() as change:
        table = core.catalogue.table_in_any_state(request["TableName"])
        record = table_record.require_active(table.record)
        _check(record, specification)
        if delay > 0 and "ttl" in record and change.now < record["ttl"]["changed"] + _COOLDOWN_SECONDS:
            raise validation("Time to live has been modified multiple times within a fixed interval")
        setting: table_record.TtlSetting = {
            "enabled": specification["Enabled"],
            "attribute": specification["AttributeName"],
            "changed": change.now,
            "until": table_record.done_at(change.now, delay),
        }
        after: TableRecord = {**_without_expiry_space(record, change.writer), "ttl": setting}
        change.save(table, _with_expiry_space(after, change.writer) if specification["Enabled"] else after)
    if specification["Enabled"] and core.sweeper is not None:
        core.sweeper.start()
    return {
        "TimeToLiveSpecification": {
            "Enabled": specification["Enabled"],
            "AttributeName": specification["AttributeName"],
        }
    }


def _check(record: TableRecord, specification: Request) -> None:
    current = expiry_attribute(record)
    if current is None:
        if not specification["Enabled"]:
            raise validation("TimeToLive is already disabled")
    elif current != specification["AttributeName"]:
        raise validation(
            f"TimeToLive is active on a different AttributeName: current AttributeName is {current}"
        )
    elif specification["Enabled"]:
        raise validation("TimeToLive is already enabled")


def describe_time_to_live(core: Core, request: Request) -> Answer:
    """Answer a DescribeTimeToLive request."""
    table = core.catalogue.table_in_any_state(request["TableName"])
    return {"TimeToLiveDescription": ttl_description(table.record, core.now())}
