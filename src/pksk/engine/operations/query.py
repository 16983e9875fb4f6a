"""Query: reads the items of one partition key, in the order of the sort key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.expressions.parameters import QUERY, Expressions
from pksk.engine.expressions.read_expressions import read_expressions
from pksk.engine.items.key_range import check_within, key_range, read_start_key, start_position
from pksk.engine.items.page import Page, projector, read_page
from pksk.engine.items.select import check_filter, check_select, layout_to_read, needs_fetch
from pksk.engine.service_errors import validation
from pksk.engine.state.table import Table
from pksk.engine.texts import reads as texts
from pksk.values import WireItem


def query(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a Query request."""
    check_select(request)
    start = read_start_key(request)
    expressions = read_expressions(request, QUERY)
    if expressions.key_parts is None:
        raise validation(texts.NO_KEY_CONDITION)
    table = core.catalogue.table(request["TableName"])
    return read_page(core, request, _page(table, request, expressions, start))


def _page(table: Table, request: Mapping[str, Any], expressions: Expressions, start: WireItem | None) -> Page:
    layout = layout_to_read(table, request, texts.QUERY_VECTOR_INDEX)
    position = None if start is None else start_position(table, layout, start)
    keys = key_range(layout, expressions.key_parts or (), legacy="KeyConditions" in request)
    page = Page(table, layout, keys.low, keys.high, not request.get("ScanIndexForward", True))
    page.limit = request.get("Limit")
    if position is not None:
        check_within(keys, position)
        page.start_after(position)
    if expressions.filter is not None:
        check_filter(layout, expressions.filter.tree, legacy="QueryFilter" in request)
        page.test = expressions.filter.test
    page.projector = projector(expressions.projection)
    page.fetches_items = needs_fetch(layout, expressions.projection, request.get("Select"))
    page.consistent = request.get("ConsistentRead", False)
    return page
