"""Writes the notes of an entity: what its templates alone do not tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["notes"]


def notes(entity: dict[str, Any], discriminator: str | None) -> list[str]:
    """The notes of an entity's row, from its data.

    Example:
        >>> key = {"name": "by_status", "index": "by-status", "shard": {"count": 4, "of": None}, "when": None,
        ...        "optional_fields": ["status"], "codec": "escaped", "disjoint": None, "partition": [], "sort": []}
        >>> bounds = {"items": 9, "per_partition": None, "growth": None}
        >>> notes({"keys": [key], "family": [], "fields": [], **bounds}, "type")
        ['by-status: 4 shards at random, only if status is set', '9 items']
    """
    return [
        *(f"{_place(key)}: {', '.join(told)}" for key in entity["keys"] if (told := list(_of_key(key)))),
        *_of_family(entity, discriminator),
        *_of_attributes(entity),
        *_of_fields(entity),
        *_of_bounds(entity),
    ]


def _place(key: dict[str, Any]) -> str:
    return str(key["index"] or key["name"])


def _of_key(key: dict[str, Any]) -> Iterator[str]:
    if key["shard"]:
        of = key["shard"]["of"]
        yield f"{key['shard']['count']} shards {f'by {of}' if of else 'at random'}"
    if key["optional_fields"]:
        names = key["optional_fields"]
        yield f"only if {' and '.join(names)} {'is' if len(names) == 1 else 'are'} set"
    if key["when"]:
        yield f"only when {key['when']}"
    if key["codec"] != "escaped":
        yield f"{key['codec']} keys"
    if key["disjoint"]:
        yield f"disjoint: {key['disjoint']}"


def _of_family(entity: dict[str, Any], discriminator: str | None) -> Iterator[str]:
    if entity["family"]:
        apart = f", told apart by {discriminator}" if discriminator else ""
        yield f"one family with {', '.join(entity['family'])}{apart}"


def _of_attributes(entity: dict[str, Any]) -> Iterator[str]:
    """The fields that are key attributes themselves, and so are stored once."""
    parts = [part for key in entity["keys"] for part in key["partition"] + key["sort"] if part["field"]]
    same = {part["attribute"]: part["field"] for part in parts}
    if same:
        told = [name if name == field else f"{name} ({field})" for name, field in same.items()]
        yield f"key attributes that are fields: {', '.join(told)}"


def _of_fields(entity: dict[str, Any]) -> Iterator[str]:
    """What markers say of fields, by marker."""
    marked: dict[str, list[str]] = {}
    for field in entity["fields"]:
        for marker in field["markers"]:
            other = f" of {marker['entity']}" if "entity" in marker else ""
            marked.setdefault(marker["marker"], []).append(f"{field['name']}{other}")
    yield from (f"{name.lower()}: {', '.join(fields)}" for name, fields in marked.items())


def _of_bounds(entity: dict[str, Any]) -> Iterator[str]:
    told = []
    if entity["items"] is not None:
        told.append(f"{entity['items']:,} {'item' if entity['items'] == 1 else 'items'}")
    if entity["per_partition"] is not None:
        told.append(f"{entity['per_partition']:,} per partition")
    if entity["growth"] is not None:
        told.append(f"growth {entity['growth']}")
    if told:
        yield ", ".join(told)
