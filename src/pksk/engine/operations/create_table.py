"""CreateTable: makes a table with its indexes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.tables.creation import make_table, refuse_existing
from pksk.engine.tables.definition import read_definition
from pksk.engine.tables.description import describe
from pksk.engine.tables.quotas import check_quotas

__all__ = ["create_table"]


def create_table(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a CreateTable request."""
    name = core.catalogue.own_name(request["TableName"])
    definition = read_definition(name, request)
    with core.catalogue.changing() as change:
        refuse_existing(core.catalogue.find(name))
        check_quotas({"TableName": name, **definition}, None, core.catalogue.all())
        table = make_table(change, core.settings, name, definition, request)
        return {"TableDescription": describe(table, change.writer, core.settings, change.now)}
