"""Settings of a table: its stream, its encryption at rest, and its tags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.errors import SchemaError, quote
from pksk.schema.options import check_choice
from pksk.schema.quotas import TAG_COUNT, TAG_KEY_CHARACTERS, TAG_VALUE_CHARACTERS

_VIEWS: Final = ("NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY")


def normalize_stream(where: str, declared: object) -> str | None:
    """The view type of the stream, or None; True means both images.

    Example:
        >>> normalize_stream("Table 'orders'", True)
        'NEW_AND_OLD_IMAGES'
    """
    if isinstance(declared, bool):
        return _VIEWS[0] if declared else None
    return check_choice(where, "stream", declared, _VIEWS, or_else=", or True or False")


def stream_to_wire(view: str | None) -> dict[str, Any]:
    """The stream member of CreateTable; empty if there is no stream.

    Example:
        >>> stream_to_wire("KEYS_ONLY")
        {'StreamSpecification': {'StreamEnabled': True, 'StreamViewType': 'KEYS_ONLY'}}
    """
    return {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": view}} if view else {}


def stream_from_wire(wire: Mapping[str, Any]) -> str | bool:
    """The stream as people write it, from a request or a description.

    Example:
        >>> stream_from_wire({"StreamSpecification": {"StreamEnabled": False}})
        False
    """
    stream = wire.get("StreamSpecification") or {}
    return str(stream["StreamViewType"]) if stream.get("StreamEnabled") else False


AWS_MANAGED: Final = "aws-managed"


def normalize_encryption(where: str, declared: object) -> str | None:
    """None for the key owned by DynamoDB, "aws-managed", or a KMS key.

    Example:
        >>> normalize_encryption("Table 'orders'", "alias/orders")
        'alias/orders'
    """
    if declared is None or (isinstance(declared, str) and declared):
        return declared
    raise SchemaError(
        "schema-encryption",
        f"{where}: encryption={quote(declared)} does not name a key.",
        expected='It is None, "aws-managed", or the id, ARN or alias of a KMS key.',
        fix="leave it out to use the key owned by DynamoDB, which is free.",
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
    """Whether a table can be encrypted as declared.

    A description contains the ARN of the key, even if AWS manages it, and never an alias. Only keys named by id or
    ARN can be distinguished.

    Example:
        >>> may_be_same_key("1234", "arn:aws:kms:eu-west-1:1:key/1234"), may_be_same_key("aws-managed", None)
        (True, False)
    """
    if declared is None or found is None:
        return declared == found
    if AWS_MANAGED in (declared, found) or "alias/" in declared or "alias/" in found:
        return True
    return declared.rpartition("/")[2] == found.rpartition("/")[2]


Tags = tuple[tuple[str, str], ...]


def normalize_tags(where: str, declared: Mapping[str, str] | None) -> Tags:
    """The tags in order of their keys, if DynamoDB accepts them.

    Example:
        >>> normalize_tags("Table 'orders'", {"team": "shop", "stage": "test"})
        (('stage', 'test'), ('team', 'shop'))
    """
    tags = dict(declared or {})
    for key, value in tags.items():
        problem = _tag_problem(key, value)
        if problem:
            raise SchemaError(
                "schema-tag",
                f"{where}: tag {quote(key)}={quote(value)} {problem}.",
                expected=f"Keys have 1 to {TAG_KEY_CHARACTERS} characters and do not begin with aws:, "
                f"values have up to {TAG_VALUE_CHARACTERS}.",
                fix="shorten or rename it.",
            )
    if len(tags) > TAG_COUNT:
        raise SchemaError(
            "schema-tag",
            f"{where}: there are {len(tags)} tags.",
            expected=f"A table has up to {TAG_COUNT}.",
            fix="remove the least useful ones.",
        )
    return tuple(sorted(tags.items()))


def _tag_problem(key: object, value: object) -> str:
    if not isinstance(key, str) or not isinstance(value, str):
        return "is not of two texts"
    if key.startswith("aws:"):
        return "begins with aws:, which only AWS may write"
    if not 1 <= len(key) <= TAG_KEY_CHARACTERS:
        return f"has a key of {len(key)} characters"
    return f"has a value of {len(value)} characters" if len(value) > TAG_VALUE_CHARACTERS else ""


def tags_to_wire(tags: Tags) -> dict[str, Any]:
    """The tags member of CreateTable; empty if there are none.

    Example:
        >>> tags_to_wire((("team", "shop"),))
        {'Tags': [{'Key': 'team', 'Value': 'shop'}]}
    """
    return {"Tags": [{"Key": key, "Value": value} for key, value in tags]} if tags else {}


def tags_from_wire(wire: Mapping[str, Any]) -> dict[str, str] | None:
    """The tags of a CreateTable request; a description has none (see ListTagsOfResource).

    Example:
        >>> tags_from_wire({"Tags": [{"Key": "team", "Value": "shop"}]})
        {'team': 'shop'}
    """
    return {tag["Key"]: tag["Value"] for tag in wire.get("Tags") or ()} or None
