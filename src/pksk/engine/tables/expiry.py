"""Time to live: by which attribute items expire, and since when."""

from __future__ import annotations

from typing import Any

from .record import Record

__all__ = ["expiry_attribute", "shown_expiry"]


def expiry_attribute(record: Record) -> str | None:
    """The attribute by which items of a table expire; None where they do not."""
    setting = record.get("ttl")
    return None if setting is None or not setting["enabled"] else str(setting["attribute"])


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
