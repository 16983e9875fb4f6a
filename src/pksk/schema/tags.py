"""The tags of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.errors import SchemaError, quote
from pksk.schema.quotas import TAG_COUNT, TAG_KEY_CHARACTERS, TAG_VALUE_CHARACTERS

__all__ = ["declared_tags", "tags_from_wire", "tags_to_wire"]

Tags = tuple[tuple[str, str], ...]


def declared_tags(where: str, declared: Mapping[str, str] | None) -> Tags:
    """The tags in order of their keys, if DynamoDB accepts them.

    Example:
        >>> declared_tags("Table 'orders'", {"team": "shop", "stage": "test"})
        (('stage', 'test'), ('team', 'shop'))
    """
    tags = dict(declared or {})
    for key, value in tags.items():
        problem = _problem(key, value)
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
            fix="keep those that somebody reads.",
        )
    return tuple(sorted(tags.items()))


def _problem(key: object, value: object) -> str:
    if not isinstance(key, str) or not isinstance(value, str):
        return "is not of two texts"
    if key.startswith("aws:"):
        return "begins with aws:, which only AWS may write"
    if not 1 <= len(key) <= TAG_KEY_CHARACTERS:
        return f"has a key of {len(key)} characters"
    return f"has a value of {len(value)} characters" if len(value) > TAG_VALUE_CHARACTERS else ""


def tags_to_wire(tags: Tags) -> dict[str, Any]:
    """The member of CreateTable that holds the tags; empty without any.

    Example:
        >>> tags_to_wire((("team", "shop"),))
        {'Tags': [{'Key': 'team', 'Value': 'shop'}]}
    """
    return {"Tags": [{"Key": key, "Value": value} for key, value in tags]} if tags else {}


def tags_from_wire(wire: Mapping[str, Any]) -> dict[str, str] | None:
    """The tags of a request; a description has none, they are asked for by ListTagsOfResource.

    Example:
        >>> tags_from_wire({"Tags": [{"Key": "team", "Value": "shop"}]})
        {'team': 'shop'}
    """
    return {tag["Key"]: tag["Value"] for tag in wire.get("Tags") or ()} or None
