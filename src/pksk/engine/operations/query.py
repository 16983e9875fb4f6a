"""Query: reads the items of one partition key, in the order of the sort key."""

from __future__ import annotations

from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.expressions.parameters import QUERY, Expressions
from pksk.engine.expressions.read_expressions import read_expressions
from pksk.engine.items import page as pages
from pksk.engine.items.keys import check_within, key_range, read_start_key, start_position
from pksk.engine.items.page import Page, read_page
from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import validation
from pksk.engine.state import Table
from pksk.values import WireItem


def query(core: Core, request: Request) -> Answer:
    """Answer a Query request."""
    pages.check_select(request)
    start = read_start_key(request)
    expressions = read_expressions(request, QUERY)
    if expressions.key_parts is None:
        raise validation(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
        )
    table = core.catalogue.table(request["TableName"])
    return read_page(core, request, _page(table, request, expressions, start))


def _page(table: Table, request: Request, expressions: Expressions, start: WireItem | None) -> Page:
    layout = pages.layout_to_read(table, request, texts.QUERY_VECTOR_INDEX)
    position = None if start is None else start_position(table, layout, start)
    keys = key_range(layout, expressions.key_parts or ())
    page = Page(table, layout, keys.low, keys.high, not request.get("ScanIndexForward", True))
    if position is not None:
        if _has_one_item(layout):
            raise validation("The provided exclusive start key is invalid")
        check_within(keys, position)
        page.start_after(position)
    if expressions.filter is not None:
        pages.check_filter(layout, expressions.filter.tree, legacy="QueryFilter" in request)
    page.take_options(request, expressions)
    if _has_one_item(layout):
        page.limit = None  # nothing follows, so no key to start after is returned
    return page


def _has_one_item(layout: RowLayout) -> bool:
    """Whether a partition key has at most one item."""
    return layout.kind == "table" and not layout.sort
