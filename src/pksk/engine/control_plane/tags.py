"""TagResource, UntagResource and ListTagsOfResource."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pksk.engine.control_plane.resource_arn import find_table_resource
from pksk.engine.core import Answer, Core
from pksk.engine.service_errors import validation
from pksk.engine.state.table_record import require_active
from pksk.engine.texts import resources as texts
from pksk.schema.quotas import TAG_COUNT


def add_tags(before: Mapping[str, str], tags: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """A table's tags after adding some; a tag with an existing key replaces it."""
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


def tag_resource(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a TagResource request."""
    if not request["Tags"]:
        raise validation(texts.NO_TAGS)
    with core.catalogue.change() as change:
        table = find_table_resource(core, request["ResourceArn"])
        record = table.record
        require_active(record)
        change.save(table, {**record, "Tags": add_tags(record.get("Tags", {}), request["Tags"])})
    return {}


def untag_resource(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an UntagResource request; a missing tag is not an error."""
    removed = request["TagKeys"]
    if not removed:
        raise validation(texts.NO_TAG_KEYS)
    with core.catalogue.change() as change:
        table = find_table_resource(core, request["ResourceArn"])
        record = table.record
        require_active(record)
        kept = {key: value for key, value in record.get("Tags", {}).items() if key not in removed}
        change.save(table, {**record, "Tags": kept})
    return {}


def list_tags_of_resource(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a ListTagsOfResource request. All tags fit one page, so the page after any token is empty."""
    table = find_table_resource(core, request["ResourceArn"])
    tags = {} if "NextToken" in request else table.record.get("Tags", {})
    return {"Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
