"""ListTagsOfResource: the tags of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.tables.resource import table_resource

__all__ = ["list_tags_of_resource"]


def list_tags_of_resource(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a ListTagsOfResource request: all tags fit one page, so that nothing follows any token."""
    table = table_resource(core, request["ResourceArn"])
    tags = {} if "NextToken" in request else table.settings.get("Tags", {})
    return {"Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
