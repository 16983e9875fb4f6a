"""Encryption at rest as requests set it and descriptions show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from pksk.engine.service_errors import validation
from pksk.engine.settings import Settings
from pksk.engine.texts import tables as texts

from ..state.table_record import TableRecord


def read_encryption(specification: Mapping[str, Any] | None) -> str | None:
    """The KMS key of a request; None for the key that AWS owns."""
    specification = specification or {}
    if not specification.get("Enabled", False):
        for member in ("SSEType", "KMSMasterKeyId"):
            if member in specification:
                raise validation(texts.sse_needs_kms(member))
        return None
    if specification.get("SSEType", "KMS") != "KMS":
        raise validation(texts.sse_needs_kms("SSEType"))
    key: str | None = specification.get("KMSMasterKeyId")
    return str(uuid4()) if key is None or "alias/" in key else key


def sse_description(record: TableRecord, settings: Settings) -> dict[str, Any]:
    """SSEDescription of a table that has a KMS key, or is changing to or from one."""
    key, status = record.get("encryption"), "ENABLED"
    after = record["phase"].get("after", {}) if "phase" in record else {}
    if "encryption" in after:
        key, status = after["encryption"] or key, "UPDATING"
    if key is None:
        return {}
    arn = key if key.startswith("arn:") else f"arn:aws:kms:{settings.region}:{settings.account}:key/{key}"
    return {"SSEDescription": {"Status": status, "SSEType": "KMS", "KMSMasterKeyArn": arn}}
