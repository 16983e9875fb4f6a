"""Scan: reads all items of a table or an index, or one segment of them, in the order of key hashes."""

from __future__ import annotations

from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.expressions.parameters import OLDER_SCAN, SCAN, Expressions
from pksk.engine.expressions.read_expressions import read_expressions
from pksk.engine.items.keys import read_start_key, start_position
from pksk.engine.items.page import Page, check_select, layout_to_read, read_page
from pksk.engine.request import messages
from pksk.engine.service_errors import validation
from pksk.engine.state import Table
from pksk.partitions import segment
from pksk.values import WireItem


def scan(core: Core, request: Request) -> Answer:
    """Answer a Scan request."""
    newer = messages.wording("Scan", core.settings.region).newer
    check_select(request, newer=newer)
    _check_segment(request, newer=newer)
    start = read_start_key(request, newer=newer)
    expressions = read_expressions(request, SCAN if newer else OLDER_SCAN)
    table = core.catalogue.table(request["TableName"])
    return read_page(core, request, _page(table, request, expressions, start, newer=newer))


def _check_segment(request: Request, *, newer: bool) -> None:
    number, total = request.get("Segment"), request.get("TotalSegments")
    if number is None and total is None:
        return
    if total is None:
        raise validation(
            "The TotalSegments parameter is required but was not present in the request "
            "when Segment parameter is present"
        )
    if number is None:
        raise validation(
            "The Segment parameter is required but was not present in the request "
            "when parameter TotalSegments is present"
        )
    if number >= total:
        raise validation(
            texts.SEGMENT_TOO_LARGE
            if newer
            else f"{texts.SEGMENT_TOO_LARGE}: Segment: {number} is not less than TotalSegments: {total}"
        )


def _page(
    table: Table, request: Request, expressions: Expressions, start: WireItem | None, *, newer: bool
) -> Page:
    layout = layout_to_read(table, request, texts.SCAN_VECTOR_INDEX)
    number, total = request.get("Segment", 0), request.get("TotalSegments", 1)
    low, high = segment(number, total)
    page = Page(table, layout, low, high)
    if start is not None:
        position = start_position(table, layout, start, newer=newer)
        if position < low or (high is not None and position >= high):
            raise validation(
                texts.invalid_start_key(
                    "Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "
                    f"TotalSegments: {total} Segment: {number}"
                )
            )
        page.start_after(position)
    page.take_options(request, expressions)
    return page
