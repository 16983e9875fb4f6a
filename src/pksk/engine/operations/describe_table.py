"""DescribeTable: what a table is, and in which state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.tables.description import describe

__all__ = ["describe_table"]


def describe_table(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DescribeTable request."""
    table = core.catalogue.described(request["TableName"])
    with core.storage.reading() as reader:
        return {"Table": describe(table, reader, core.settings, core.now())}
