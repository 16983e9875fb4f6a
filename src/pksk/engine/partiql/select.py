"""Runs a SELECT: a read of one item, or a page of a query or scan."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from pksk.client import ServiceError
from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.items import page as pages
from pksk.engine.items.consumed_capacity import consumed_capacity, wants_capacity
from pksk.engine.items.keys import KeyRange, lookup_key
from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import validation
from pksk.engine.state import Table
from pksk.engine.storage import Row
from pksk.limits import PAGE_BYTES

from .literals import ParameterValues
from .parse import ParsedStatement
from .select_plan import SelectPlan
from .tree import SelectStatement

_DIGEST_BYTES: Final = 16
_NUMBER_BYTES: Final = 2
_HEAD_BYTES: Final = _DIGEST_BYTES + _NUMBER_BYTES
# AWS never accepts a token again if a parameter has one of these types.
_INCOMPARABLE: Final = frozenset({"L", "M"})


class PageStart(NamedTuple):
    """Where a page begins: the number of the range, and the last row that was read of it."""

    range_number: int = 0
    last_row: bytes = b""


def _next_token(request: Request, start: PageStart) -> str:
    """The NextToken of a page."""
    content = start.range_number.to_bytes(_NUMBER_BYTES) + start.last_row
    return b64encode(_digest(request, content) + content).decode()


def _read_next_token(request: Request) -> PageStart:
    """The page start in a request's token; raises if the token is of another request."""
    try:
        raw = b64decode(request["NextToken"], validate=True)
    except (NotBase64, ValueError):
        raise validation(texts.NEXT_TOKEN) from None
    is_comparable = all(_INCOMPARABLE.isdisjoint(value) for value in request.get("Parameters", ()))
    if (
        not is_comparable
        or len(raw) < _HEAD_BYTES
        or raw[:_DIGEST_BYTES] != _digest(request, raw[_DIGEST_BYTES:])
    ):
        raise validation(texts.NEXT_TOKEN)
    return PageStart(int.from_bytes(raw[_DIGEST_BYTES:_HEAD_BYTES]), raw[_HEAD_BYTES:])


def _digest(request: Request, content: bytes) -> bytes:
    """A checksum that detects changed tokens and those of other requests; it is not a secret."""
    statement = orjson.dumps([request["Statement"], request.get("Parameters")], option=orjson.OPT_SORT_KEYS)
    return blake2b(content + statement, digest_size=_DIGEST_BYTES).digest()


# The request for one range, and its rows.
RangePage: TypeAlias = tuple[pages.Page, pages.EvaluatedPage]

# How many partitions one page reads.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-operators.html
_PARTITIONS_A_PAGE: Final = 10


def _read_ranges(
    core: Core, page: pages.Page, ranges: Sequence[KeyRange], start: PageStart, *, has_whole_keys: bool
) -> tuple[list[RangePage], PageStart | None]:
    """The rows of one page by range, and where the next page begins, if there is one.

    With `has_whole_keys`, each range has at most one item.
    """
    if start.range_number >= len(ranges):
        raise validation(texts.NEXT_TOKEN)
    parts: list[RangePage] = []
    limit, bytes_left = page.limit, PAGE_BYTES
    with core.storage.reading() as reader:
        for number in range(start.range_number, min(len(ranges), start.range_number + _PARTITIONS_A_PAGE)):
            low, high = ranges[number].low, ranges[number].high
            part = replace(page, low=low, high=high, limit=limit, byte_limit=bytes_left)
            if number == start.range_number and start.last_row:
                _start_after(part, start.last_row)
            evaluated = pages.evaluate(core, reader, part)
            parts.append((part, evaluated))
            if evaluated.has_more and not has_whole_keys:
                return parts, PageStart(number, evaluated.rows[-1].key)
            bytes_left -= evaluated.size
            limit = None if limit is None else limit - len(evaluated.rows)
            if limit == 0 or bytes_left < 0:
                break
    end = start.range_number + len(parts)
    return parts, PageStart(end) if end < len(ranges) else None


def _start_after(page: pages.Page, row_key: bytes) -> None:
    """Begin after a row, which must be in the range of the page."""
    if row_key < page.low or (page.high is not None and row_key >= page.high):
        raise validation(texts.NEXT_TOKEN)
    page.start_after(row_key)


_FIRST_PAGE: Final = PageStart()


def selected_item(projector: pages.Projector | None, row: Row) -> Any:
    """The item that a SELECT returns for a row."""
    return orjson.Fragment(row.data) if projector is None else projector(orjson.loads(row.data))


def run_select(core: Core, request: Request, parsed: ParsedStatement, values: ParameterValues) -> Answer:
    """Answer an ExecuteStatement request with a SELECT."""
    select: SelectStatement = parsed.statement  # type: ignore[assignment]
    start = _read_next_token(request) if "NextToken" in request else _FIRST_PAGE
    table = core.catalogue.table(select.table)
    consistent = request.get("ConsistentRead", False)
    rows = table.layout if select.index is None else _index(table, select.index, consistent=consistent)
    plan = parsed.plan(rows, SelectPlan)
    if plan.is_get:
        if start is not _FIRST_PAGE:
            raise validation(texts.NEXT_TOKEN)
        return _get_item(core, request, plan, table, values)
    page = pages.Page(table, rows, b"", None, plan.backwards, request.get("Limit"))
    page.test = None if plan.filter is None else plan.filter.test(values)
    page.projector, page.fetches_items, page.consistent = plan.projector, plan.fetches_items, consistent
    parts, end = _read_ranges(
        core, page, plan.ranges(rows, values), start, has_whole_keys=plan.has_whole_keys
    )
    return _answer(core, request, select.table, parts, end)


def _index(table: Table, name: str, *, consistent: bool) -> RowLayout:
    """The layout of an index; raises if a SELECT cannot read it."""
    if name in table.vectors:
        raise validation(texts.SCAN_VECTOR_INDEX)
    if name not in table.indexes:
        raise validation("The table does not have the specified index")
    rows = table.index(name)
    if consistent and rows.kind == "gsi":
        raise validation("Strongly consistent read is not supported on Global Secondary Indexes")
    return rows


def _get_item(
    core: Core, request: Request, plan: SelectPlan, table: Table, values: ParameterValues
) -> Answer:
    """Read one item by its key. This takes a third of the time of a page."""
    test = None if plan.filter is None else plan.filter.test(values)
    try:
        key = lookup_key(table, plan.key(values))
    except ServiceError:
        plan.check_types(table.layout, values)
        raise
    row = core.storage.get(table.layout.space, key)
    consistent = request.get("ConsistentRead", False)
    units = core.meter.record_item_read(table, key, row, consistent=consistent)
    answer: Answer = {"Items": []}
    if row is not None and (test is None or test(orjson.loads(row.data))):
        answer["Items"].append(selected_item(plan.projector, row))
    if wants_capacity(request):
        answer["ConsumedCapacity"] = _consumed(request, plan.table_name, table, units, {})
    return answer


def _answer(
    core: Core, request: Request, name: str, parts: Sequence[RangePage], end: PageStart | None
) -> Answer:
    """A page of one or more ranges."""
    for page, evaluated in parts:
        pages.meter_page(core, page, evaluated)
    answer: Answer = {"Items": [item for part in parts for item in pages.page_items(*part)]}
    if end is not None:
        answer["NextToken"] = _next_token(request, end)
        last = next((part for part in reversed(parts) if part[1].rows), None)
        if last is not None:
            answer["LastEvaluatedKey"] = last[0].layout.last_key(orjson.loads(last[1].rows[-1].data))
    if wants_capacity(request):
        costs = [pages.page_units(*part) for part in parts]
        by_index = {index: sum(index_units[index] for _, index_units in costs) for index in costs[0][1]}
        units = sum(base for base, _ in costs)
        answer["ConsumedCapacity"] = _consumed(request, name, parts[0][0].table, units, by_index)
    return answer


def _consumed(
    request: Request, name: str, table: Table, units: float, by_index: Mapping[str, float]
) -> Answer:
    options = {"TableName": name, "ReturnConsumedCapacity": request["ReturnConsumedCapacity"]}
    return consumed_capacity(options, table, units, by_index)
