"""UntagResource: removes tags from a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.faults import validation
from pksk.engine.tables.resource import table_resource
from pksk.engine.tables.states import require_settled
from pksk.engine.texts import resources as texts

__all__ = ["untag_resource"]


def untag_resource(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an UntagResource request; a tag that is not there is no error."""
    removed = request["TagKeys"]
    if not removed:
        raise validation(texts.NO_TAG_KEYS)
    with core.catalogue.changing() as change:
        table = table_resource(core, request["ResourceArn"])
        record = table.settings
        require_settled(record)
        kept = {key: value for key, value in record.get("Tags", {}).items() if key not in removed}
        change.save(table, {**record, "Tags": kept})
    return {}
