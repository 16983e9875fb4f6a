"""TagResource: adds tags to a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.faults import validation
from pksk.engine.tables.resource import table_resource
from pksk.engine.tables.states import require_settled
from pksk.engine.tables.tags import tagged
from pksk.engine.texts import resources as texts

__all__ = ["tag_resource"]


def tag_resource(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a TagResource request."""
    if not request["Tags"]:
        raise validation(texts.NO_TAGS)
    with core.catalogue.changing() as change:
        table = table_resource(core, request["ResourceArn"])
        record = table.settings
        require_settled(record)
        change.save(table, {**record, "Tags": tagged(record.get("Tags", {}), request["Tags"])})
    return {}
