"""Tags of a table: what they may be, and how many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pksk.engine.faults import validation
from pksk.engine.texts import resources as texts
from pksk.schema.quotas import TAG_COUNT

__all__ = ["tagged"]


def tagged(before: Mapping[str, str], tags: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """A table's tags with these added, each over one with the same key."""
    added: dict[str, str] = {}
    for tag in tags:
        key = tag["Key"]
        if key.lower().startswith("aws:"):
            raise validation(texts.reserved_tag(key))
        if key in added:
            raise validation(texts.tag_twice(key))
        added[key] = tag["Value"]
    after = {**before, **added}
    if len(after) > TAG_COUNT:
        raise validation(texts.too_many_tags(TAG_COUNT))
    return after
