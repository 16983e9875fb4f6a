"""Time to live: by which attribute items expire, and since when."""

from __future__ import annotations

from typing import Any

from pksk.engine.expiry.entries import backfill_expiry
from pksk.engine.storage import Writer

from .record import Record
from .table import Expiry

__all__ = ["expiry_attribute", "is_expiring", "shown_expiry", "with_expiry_space", "without_expiry_space"]


def expiry_attribute(record: Record) -> str | None:
    """The attribute by which items of a table expire; None where they do not."""
    setting = record.get("ttl")
    return None if setting is None or not setting["enabled"] else str(setting["attribute"])


def is_expiring(record: Record, now: float) -> bool:
    """Whether items of a table expire by now."""
    setting = record.get("ttl")
    return setting is not None and setting["enabled"] and now >= setting["until"]


def with_expiry_space(record: Record, writer: Writer) -> Record:
    """A record whose items expire, with a space that holds when each of them does."""
    expiry = Expiry(record["ttl"]["attribute"], writer.make_space())
    backfill_expiry(writer, record["space"], expiry)
    return {**record, "ttl": {**record["ttl"], "space": expiry.space}}


def without_expiry_space(record: Record, writer: Writer) -> Record:
    """A record whose items do not expire any more."""
    setting = dict(record.get("ttl", {}))
    if "space" in setting:
        writer.drop_space(setting.pop("space"))
    return {**record, "ttl": setting}


def shown_expiry(record: Record, now: float) -> dict[str, Any]:
    """TimeToLiveDescription of a table."""
    setting = record.get("ttl")
    if setting is None:
        return {"TimeToLiveStatus": "DISABLED"}
    done = now >= setting["until"]
    if setting["enabled"]:
        return {
            "TimeToLiveStatus": "ENABLED" if done else "ENABLING",
            "AttributeName": setting["attribute"],
        }
    if done:
        return {"TimeToLiveStatus": "DISABLED"}
    return {"TimeToLiveStatus": "DISABLING", "AttributeName": setting["attribute"]}
