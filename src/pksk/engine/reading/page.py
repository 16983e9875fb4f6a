"""One page of a query or scan: which rows it evaluates, what it returns of them, and what that costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import orjson

from pksk.capacity.units import batch_read_units, query_units
from pksk.engine.consumed import consumed, wants_capacity
from pksk.engine.core import Answer, Core
from pksk.engine.layout import Rows
from pksk.engine.storage import Reader, Row
from pksk.engine.tables.table import Table
from pksk.expressions import Projection, project
from pksk.limits import PAGE_BYTES
from pksk.values import WireItem

from .returned import returned

__all__ = ["Page", "read_page"]

Test: TypeAlias = Callable[[WireItem], bool]


@dataclass(slots=True)
class Page:
    """What a request asks of a range of rows."""

    table: Table
    rows: Rows
    low: bytes
    high: bytes | None
    backwards: bool = False
    limit: int | None = None
    test: Test | None = None
    projection: Projection | None = None
    # Whether the items of a local index are fetched from the table.
    fetching: bool = False

    def after(self, position: bytes) -> None:
        """Begin behind a row, in the direction that is read."""
        if self.backwards:
            self.high = position
        else:
            self.low = position + b"\x00"


def read_page(core: Core, request: Mapping[str, Any], page: Page) -> Answer:
    """The answer to a query or scan."""
    counting = request.get("Select") == "COUNT"
    fetched: list[Row] | None = None
    with core.storage.reading() as reader:
        evaluated, total, more = _evaluated(_stored(core, reader, page), page.limit)
        if page.fetching:
            fetched = [_fetched(reader, page, row) for row in evaluated]
    answer: Answer = {"ScannedCount": len(evaluated)}
    if counting:
        answer["Count"] = _count(page.test, evaluated)
    else:
        answer["Items"] = items = _items(page, evaluated, fetched)
        answer["Count"] = len(items)
    if more:
        answer["LastEvaluatedKey"] = page.rows.position(orjson.loads(evaluated[-1].data))
    if wants_capacity(request):
        answer["ConsumedCapacity"] = _cost(request, page, total, fetched or ())
    return answer


def _stored(core: Core, reader: Reader, page: Page) -> Iterator[Row]:
    low, high, space, backwards = page.low, page.high, page.rows.space, page.backwards
    if high is not None and low >= high:
        return iter(())
    if core.lag is not None and page.rows.kind == "gsi":
        return core.lag.rows(reader, space, low, high, backwards=backwards)
    return reader.rows(space, low, high, backwards=backwards)


def _evaluated(rows: Iterator[Row], limit: int | None) -> tuple[list[Row], int, bool]:
    """The rows of a page, their size together, and whether it ends before the rows are known to.

    Nobody looks behind a limit, nor behind the row that takes a page past 1 MB: it is the page's last.
    """
    page: list[Row] = []
    total = 0
    for row in islice(rows, limit):
        page.append(row)
        total += row.size
        if total > PAGE_BYTES:
            return page, total, True
    return page, total, len(page) == limit


def _fetched(reader: Reader, page: Page, entry: Row) -> Row:
    return reader.get(page.table.rows.space, page.rows.base_key(entry.key)) or entry


def _count(test: Test | None, evaluated: list[Row]) -> int:
    if test is None:
        return len(evaluated)
    return sum(test(orjson.loads(row.data)) for row in evaluated)


def _items(page: Page, evaluated: list[Row], fetched: list[Row] | None) -> list[Any]:
    """What is returned of each row that passes the filter, which sees what the index has."""
    test, projection = page.test, page.projection
    sources = evaluated if fetched is None else fetched
    if test is None:
        if projection is None:
            return [orjson.Fragment(row.data) for row in sources]
        return [returned(projection, row) for row in sources]
    items: list[Any] = []
    for row, source in zip(evaluated, sources, strict=True):
        item = orjson.loads(row.data)
        if not test(item):
            continue
        if projection is not None and source is row:
            items.append(project(projection, item))
        else:
            items.append(returned(projection, source))
    return items


def _cost(request: Mapping[str, Any], page: Page, total: int, fetched: Iterable[Row]) -> dict[str, Any]:
    """An index bears what is read of it, the table what is fetched."""
    consistent = request.get("ConsistentRead", False)
    units = query_units(total, consistent=consistent)
    if page.rows.name is None:
        return consumed(request, page.table, units)
    base_units = batch_read_units((row.size for row in fetched), consistent=consistent)
    return consumed(request, page.table, base_units, {page.rows.name: units})
