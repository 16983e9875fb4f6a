"""UpdateTimeToLive: lets items of a table expire, or no longer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.core import Answer, Core
from pksk.engine.faults import validation
from pksk.engine.tables.expiry import expiry_attribute, with_expiry_space, without_expiry_space
from pksk.engine.tables.record import Record
from pksk.engine.tables.states import done_at, require_settled
from pksk.engine.texts import resources as texts

__all__ = ["update_time_to_live"]

# AWS takes one change an hour; an engine whose changes take no time takes any number.
_COOLDOWN_SECONDS: Final = 3600


def update_time_to_live(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an UpdateTimeToLive request."""
    wanted = request["TimeToLiveSpecification"]
    delay = core.settings.delays.update_table
    with core.catalogue.changing() as change:
        table = core.catalogue.described(request["TableName"])
        record = table.settings
        require_settled(record)
        _check(record, wanted)
        if delay > 0 and change.now < record.get("ttl", {}).get("changed", 0.0) + _COOLDOWN_SECONDS:
            raise validation(texts.TTL_TOO_SOON)
        setting = {
            "enabled": wanted["Enabled"],
            "attribute": wanted["AttributeName"],
            "changed": change.now,
            "until": done_at(change.now, delay),
        }
        after = {**without_expiry_space(record, change.writer), "ttl": setting}
        change.save(table, with_expiry_space(after, change.writer) if wanted["Enabled"] else after)
    if wanted["Enabled"] and core.sweeper is not None:
        core.sweeper.start()
    return {
        "TimeToLiveSpecification": {"Enabled": wanted["Enabled"], "AttributeName": wanted["AttributeName"]}
    }


def _check(record: Record, wanted: Mapping[str, Any]) -> None:
    current = expiry_attribute(record)
    if current is None:
        if not wanted["Enabled"]:
            raise validation(texts.TTL_ALREADY_DISABLED)
    elif current != wanted["AttributeName"]:
        raise validation(texts.ttl_elsewhere(current))
    elif wanted["Enabled"]:
        raise validation(texts.TTL_ALREADY_ENABLED)
