"""Runs a SELECT: a read of one item, or a page of a query or scan."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from pksk.capacity.units import read_units
from pksk.engine.core import Answer, Core
from pksk.engine.items.consumed_capacity import consumed_capacity, wants_capacity
from pksk.engine.items.item_key import lookup_key
from pksk.engine.items.key_range import KeyRange
from pksk.engine.items.page import (
    EvaluatedPage,
    Page,
    Projector,
    evaluate,
    meter_page,
    page_items,
    page_units,
)
from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import validation
from pksk.engine.state.table import Table
from pksk.engine.storage import Row
from pksk.engine.texts import partiql as texts
from pksk.engine.texts import reads as read_texts
from pksk.limits import PAGE_BYTES

from .parameters import ParameterValues
from .parse import ParsedStatement
from .select_plan import SelectPlan
from .tree import SelectStatement

__all__ = [
    "PageStart",
    "RangePage",
    "next_token",
    "read_next_token",
    "read_ranges",
    "run_select",
    "selected_item",
]

_DIGEST_BYTES: Final = 16
_POSITION_BYTES: Final = 2
_HEAD_BYTES: Final = _DIGEST_BYTES + _POSITION_BYTES
# Parameters of these types are never found to be the same again.
_INCOMPARABLE: Final = frozenset({"L", "M"})


class PageStart(NamedTuple):
    """Where a page begins: in which of the partitions that are read, and after which row of it."""

    place: int = 0
    position: bytes = b""


def next_token(request: Mapping[str, Any], start: PageStart) -> str:
    """The token that a page ends with.

    Example:
        >>> request = {"Statement": "SELECT * FROM t"}
        >>> read_next_token({**request, "NextToken": next_token(request, PageStart(3, b"row"))})
        PageStart(place=3, position=b'row')
    """
    where = start.place.to_bytes(_POSITION_BYTES) + start.position
    return b64encode(_digest(request, where) + where).decode()


def read_next_token(request: Mapping[str, Any]) -> PageStart:
    """Where a request's token tells it to begin; refuses one that another request was given."""
    try:
        raw = b64decode(request["NextToken"], validate=True)
    except (NotBase64, ValueError):
        raise validation(texts.NEXT_TOKEN) from None
    compared = all(_INCOMPARABLE.isdisjoint(value) for value in request.get("Parameters", ()))
    if not compared or len(raw) < _HEAD_BYTES or raw[:_DIGEST_BYTES] != _digest(request, raw[_DIGEST_BYTES:]):
        raise validation(texts.NEXT_TOKEN)
    return PageStart(int.from_bytes(raw[_DIGEST_BYTES:_HEAD_BYTES]), raw[_HEAD_BYTES:])


def _digest(request: Mapping[str, Any], where: bytes) -> bytes:
    """What tells a token that was changed, or given to another request; it is no secret."""
    asked = orjson.dumps([request["Statement"], request.get("Parameters")], option=orjson.OPT_SORT_KEYS)
    return blake2b(where + asked, digest_size=_DIGEST_BYTES).digest()


# What was asked of one range, and its rows.
RangePage: TypeAlias = tuple[Page, EvaluatedPage]

# How many partitions one page reads, where several are named.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-operators.html
_PARTITIONS_A_PAGE: Final = 10


def read_ranges(
    core: Core, page: Page, ranges: Sequence[KeyRange], start: PageStart, *, whole: bool
) -> tuple[list[RangePage], PageStart | None]:
    """The rows of one page by their ranges, and where the next page begins, if there is one.

    Of a `whole` key each range has one item at most, so that nothing follows it.
    """
    if start.place >= len(ranges):
        raise validation(texts.NEXT_TOKEN)
    parts: list[RangePage] = []
    limit, room = page.limit, PAGE_BYTES
    with core.storage.reading() as reader:
        for place in range(start.place, min(len(ranges), start.place + _PARTITIONS_A_PAGE)):
            one = replace(page, low=ranges[place].low, high=ranges[place].high, limit=limit, byte_limit=room)
            if place == start.place and start.position:
                _start_after(one, start.position)
            found = evaluate(core, reader, one)
            parts.append((one, found))
            if found.has_more and not whole:
                return parts, PageStart(place, found.rows[-1].key)
            room -= found.size
            limit = None if limit is None else limit - len(found.rows)
            if limit == 0 or room < 0:
                break
    following = start.place + len(parts)
    return parts, PageStart(following) if following < len(ranges) else None


def _start_after(page: Page, position: bytes) -> None:
    """Begin after a row, which must be one of those that are read."""
    if position < page.low or (page.high is not None and position >= page.high):
        raise validation(texts.NEXT_TOKEN)
    page.start_after(position)


_FIRST_PAGE: Final = PageStart()


def selected_item(shown: Projector | None, row: Row) -> Any:
    """What a SELECT returns of a row."""
    return orjson.Fragment(row.data) if shown is None else shown(orjson.loads(row.data))


def run_select(
    core: Core, request: Mapping[str, Any], parsed: ParsedStatement, values: ParameterValues
) -> Answer:
    """The answer to an ExecuteStatement request with a SELECT."""
    select: SelectStatement = parsed.statement  # type: ignore[assignment]
    start = read_next_token(request) if "NextToken" in request else _FIRST_PAGE
    table = core.catalogue.table(select.table)
    consistent = request.get("ConsistentRead", False)
    rows = table.layout if select.index is None else _index(table, select.index, consistent=consistent)
    plan = parsed.plan(rows, SelectPlan)
    if plan.single:
        if start is not _FIRST_PAGE:
            raise validation(texts.NEXT_TOKEN)
        return _get_one(core, request, plan, table, values)
    page = Page(table, rows, b"", None, plan.backwards, request.get("Limit"))
    page.test = None if plan.filter is None else plan.filter.test(values)
    page.projector, page.fetches_items, page.consistent = plan.shown, plan.fetching, consistent
    parts, end = read_ranges(core, page, plan.ranges(rows, values), start, whole=plan.whole)
    return _answer(core, request, select.table, parts, end)


def _index(table: Table, name: str, *, consistent: bool) -> RowLayout:
    """The rows of an index; refuses one that is not there, or not to be read so."""
    if name in table.vectors:
        raise validation(read_texts.QUERY_VECTOR_INDEX)
    if name not in table.indexes:
        raise validation(texts.NO_INDEX)
    rows = table.index(name)
    if consistent and rows.kind == "gsi":
        raise validation(texts.CONSISTENT_INDEX)
    return rows


def _get_one(
    core: Core, request: Mapping[str, Any], plan: SelectPlan, table: Table, values: ParameterValues
) -> Answer:
    """The item with a key, if it is there and passes the filter."""
    test = None if plan.filter is None else plan.filter.test(values)
    key = lookup_key(table, plan.key(values))
    row = core.storage.get(table.layout.space, key)
    consistent = request.get("ConsistentRead", False)
    core.meter.record_get(table, key, row, consistent=consistent)
    answer: Answer = {"Items": []}
    if row is not None and (test is None or test(orjson.loads(row.data))):
        answer["Items"].append(selected_item(plan.shown, row))
    if wants_capacity(request):
        units = read_units(0 if row is None else row.size, consistent=consistent)
        answer["ConsumedCapacity"] = _consumed(request, plan.table_name, table, units, {})
    return answer


def _answer(
    core: Core, request: Mapping[str, Any], name: str, parts: Sequence[RangePage], end: PageStart | None
) -> Answer:
    """A page of the ranges that were read, one after the other."""
    for page, evaluated in parts:
        meter_page(core, page, evaluated)
    answer: Answer = {"Items": [item for part in parts for item in page_items(*part)]}
    if end is not None:
        answer["NextToken"] = next_token(request, end)
        last = next((part for part in reversed(parts) if part[1].rows), None)
        if last is not None:
            answer["LastEvaluatedKey"] = last[0].layout.last_key(orjson.loads(last[1].rows[-1].data))
    if wants_capacity(request):
        costs = [page_units(*part) for part in parts]
        by_index = {index: sum(arms[index] for _, arms in costs) for index in costs[0][1]}
        units = sum(base for base, _ in costs)
        answer["ConsumedCapacity"] = _consumed(request, name, parts[0][0].table, units, by_index)
    return answer


def _consumed(
    request: Mapping[str, Any], name: str, table: Table, units: float, by_index: Mapping[str, float]
) -> dict[str, Any]:
    named = {"TableName": name, "ReturnConsumedCapacity": request["ReturnConsumedCapacity"]}
    return consumed_capacity(named, table, units, by_index)
