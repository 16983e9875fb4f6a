"""Scan: reads all items of a table or an index, or one segment of them, in the order of key hashes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.expressions.parameters import SCAN, Expressions
from pksk.engine.expressions.read_expressions import read_expressions
from pksk.engine.items.key_range import read_start_key, start_position
from pksk.engine.items.page import Page, projector, read_page
from pksk.engine.items.select import check_select, layout_to_read, needs_fetch
from pksk.engine.service_errors import validation
from pksk.engine.state.table import Table
from pksk.engine.texts import reads as texts
from pksk.partitions import segment
from pksk.values import WireItem


def scan(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a Scan request."""
    check_select(request)
    _check_segment(request)
    start = read_start_key(request)
    expressions = read_expressions(request, SCAN)
    table = core.catalogue.table(request["TableName"])
    return read_page(core, request, _page(table, request, expressions, start))


def _check_segment(request: Mapping[str, Any]) -> None:
    number, total = request.get("Segment"), request.get("TotalSegments")
    if number is None and total is None:
        return
    if total is None:
        raise validation(texts.TOTAL_MISSING)
    if number is None:
        raise validation(texts.SEGMENT_MISSING)
    if number >= total:
        raise validation(texts.SEGMENT_TOO_LARGE)


def _page(table: Table, request: Mapping[str, Any], expressions: Expressions, start: WireItem | None) -> Page:
    layout = layout_to_read(table, request, texts.SCAN_VECTOR_INDEX)
    number, total = request.get("Segment", 0), request.get("TotalSegments", 1)
    low, high = segment(number, total)
    page = Page(table, layout, low, high, limit=request.get("Limit"))
    if start is not None:
        position = start_position(table, layout, start)
        if position < low or (high is not None and position >= high):
            raise validation(texts.start_key_segment(number, total))
        page.start_after(position)
    if expressions.filter is not None:
        page.test = expressions.filter.test
    page.projector = projector(expressions.projection)
    page.fetches_items = needs_fetch(layout, expressions.projection, request.get("Select"))
    page.consistent = request.get("ConsistentRead", False)
    return page
