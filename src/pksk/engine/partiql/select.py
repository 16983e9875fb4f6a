"""Carries out a SELECT: a read of one item, or a page of a query or scan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from pksk.capacity.units import read_units
from pksk.engine.consumed import consumed, wants_capacity
from pksk.engine.core import Answer, Core
from pksk.engine.faults import validation
from pksk.engine.keys import lookup_key
from pksk.engine.layout import Rows
from pksk.engine.reading.page import Page, Shown, note, page_items, page_units
from pksk.engine.storage import Row
from pksk.engine.tables.table import Table
from pksk.engine.texts import partiql as texts
from pksk.engine.texts import reads as read_texts

from .filled import Values
from .next_token import Start, next_token, read_next_token
from .parsed import Parsed
from .ranges import Part, read_ranges
from .select_plan import SelectPlan
from .tree import Select

__all__ = ["run_select", "shown_of"]

_START: Final = Start()


def shown_of(shown: Shown | None, row: Row) -> Any:
    """What a SELECT returns of a row."""
    return orjson.Fragment(row.data) if shown is None else shown(orjson.loads(row.data))


def run_select(core: Core, request: Mapping[str, Any], parsed: Parsed, values: Values) -> Answer:
    """The answer to an ExecuteStatement request with a SELECT."""
    select: Select = parsed.statement  # type: ignore[assignment]
    start = read_next_token(request) if "NextToken" in request else _START
    table = core.catalogue.table(select.table)
    consistent = request.get("ConsistentRead", False)
    rows = table.rows if select.index is None else _index(table, select.index, consistent=consistent)
    plan = parsed.plan(rows, SelectPlan)
    if plan.single:
        if start is not _START:
            raise validation(texts.NEXT_TOKEN)
        return _one(core, request, plan, table, values)
    page = Page(table, rows, b"", None, plan.backwards, request.get("Limit"))
    page.test = None if plan.filter is None else plan.filter.test(values)
    page.shown, page.fetching, page.consistent = plan.shown, plan.fetching, consistent
    parts, end = read_ranges(core, page, plan.ranges(rows, values), start, whole=plan.whole)
    return _answer(core, request, select.table, parts, end)


def _index(table: Table, name: str, *, consistent: bool) -> Rows:
    """The rows of an index; refuses one that is not there, or not to be read so."""
    if name in table.vectors:
        raise validation(read_texts.QUERY_VECTOR_INDEX)
    if name not in table.indexes:
        raise validation(texts.NO_INDEX)
    rows = table.index(name)
    if consistent and rows.kind == "gsi":
        raise validation(texts.CONSISTENT_INDEX)
    return rows


def _one(core: Core, request: Mapping[str, Any], plan: SelectPlan, table: Table, values: Values) -> Answer:
    """The item with a key, if it is there and passes the filter."""
    test = None if plan.filter is None else plan.filter.test(values)
    key = lookup_key(table, plan.key(values))
    row = core.storage.get(table.rows.space, key)
    consistent = request.get("ConsistentRead", False)
    core.meter.got(table, key, row, consistent=consistent)
    answer: Answer = {"Items": []}
    if row is not None and (test is None or test(orjson.loads(row.data))):
        answer["Items"].append(shown_of(plan.shown, row))
    if wants_capacity(request):
        units = read_units(0 if row is None else row.size, consistent=consistent)
        answer["ConsumedCapacity"] = _consumed(request, plan.table_name, table, units, {})
    return answer


def _answer(
    core: Core, request: Mapping[str, Any], name: str, parts: Sequence[Part], end: Start | None
) -> Answer:
    """A page of the ranges that were read, one after the other."""
    for page, evaluated in parts:
        note(core, page, evaluated)
    answer: Answer = {"Items": [item for part in parts for item in page_items(*part)]}
    if end is not None:
        answer["NextToken"] = next_token(request, end)
        last = next((part for part in reversed(parts) if part[1].rows), None)
        if last is not None:
            answer["LastEvaluatedKey"] = last[0].rows.position(orjson.loads(last[1].rows[-1].data))
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
    return consumed(named, table, units, by_index)
