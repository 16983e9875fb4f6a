"""With which key DynamoDB encrypts a table at rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.errors import SchemaError, quote

__all__ = ["declared_encryption", "encryption_from_wire", "encryption_to_wire", "may_be_same_key"]

AWS_MANAGED: Final = "aws-managed"


def declared_encryption(where: str, declared: object) -> str | None:
    """None for the key that DynamoDB owns, "aws-managed", or a KMS key of one's own.

    Example:
        >>> declared_encryption("Table 'orders'", "alias/orders")
        'alias/orders'
    """
    if declared is None or (isinstance(declared, str) and declared):
        return declared
    raise SchemaError(
        "schema-encryption",
        f"{where}: encryption={quote(declared)} does not name a key.",
        expected='It is None, "aws-managed", or the id, ARN or alias of a KMS key.',
        fix="leave it out for the key that DynamoDB owns, which is free.",
    )


def encryption_to_wire(encryption: str | None) -> dict[str, Any]:
    """The member of CreateTable that names the key; empty for DynamoDB's own.

    Example:
        >>> encryption_to_wire("aws-managed")
        {'SSESpecification': {'Enabled': True, 'SSEType': 'KMS'}}
    """
    if encryption is None:
        return {}
    key = {} if encryption == AWS_MANAGED else {"KMSMasterKeyId": encryption}
    return {"SSESpecification": {"Enabled": True, "SSEType": "KMS", **key}}


def encryption_from_wire(wire: Mapping[str, Any]) -> str | None:
    """The encryption as people write it, from a request or a description.

    Example:
        >>> encryption_from_wire({"SSEDescription": {"Status": "ENABLED", "KMSMasterKeyArn": "arn:aws:kms:x"}})
        'arn:aws:kms:x'
    """
    described = wire.get("SSEDescription") or {}
    if described.get("Status") in {"ENABLED", "ENABLING", "UPDATING"}:
        return str(described.get("KMSMasterKeyArn", AWS_MANAGED))
    asked = wire.get("SSESpecification") or {}
    return str(asked.get("KMSMasterKeyId", AWS_MANAGED)) if asked.get("Enabled") else None


def may_be_same_key(declared: str | None, found: str | None) -> bool:
    """Whether a table may be encrypted as declared.

    A description shows the ARN of the key even where AWS manages it, and never an alias;
    only two keys named by id or ARN can be told apart.

    Example:
        >>> may_be_same_key("1234", "arn:aws:kms:eu-west-1:1:key/1234"), may_be_same_key("aws-managed", None)
        (True, False)
    """
    if declared is None or found is None:
        return declared == found
    if AWS_MANAGED in (declared, found) or "alias/" in declared or "alias/" in found:
        return True
    return declared.rpartition("/")[2] == found.rpartition("/")[2]
