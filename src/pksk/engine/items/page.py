"""One page of a query or scan: the rows it evaluates, the items it returns, and the units it consumes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from pksk.capacity.units import batch_read_units, query_units, read_units
from pksk.dataclass import dataclass
from pksk.engine.core import Answer, Core
from pksk.engine.items.consumed_capacity import consumed_capacity, wants_capacity
from pksk.engine.row_layout import RowLayout
from pksk.engine.state.table import Table
from pksk.engine.storage import Reader, Row
from pksk.expressions import Projection, project
from pksk.limits import PAGE_BYTES
from pksk.partitions import HASH_BYTES
from pksk.values import WireItem

# Of a row: quicker than by its name.
_ROW_DATA: Final = itemgetter(2)


def returned_item(projection: Projection | None, row: Row) -> orjson.Fragment | dict[str, Any]:
    """What a read returns of a row: its bytes, or the projected attributes."""
    if projection is None:
        return orjson.Fragment(row.data)
    return project(projection, orjson.loads(row.data))


Test: TypeAlias = Callable[[WireItem], bool]
Projector: TypeAlias = Callable[[WireItem], WireItem]


@dataclass(slots=True)
class Page:
    """The range of rows that a request reads, and what it returns of them."""

    table: Table
    layout: RowLayout
    low: bytes
    high: bytes | None
    backwards: bool = False
    limit: int | None = None
    test: Test | None = None
    # Applies the projection, if there is one.
    projector: Projector | None = None
    # Whether items of a local index are fetched from the table.
    fetches_items: bool = False
    consistent: bool = False
    # The row that exceeds this size is the last one.
    byte_limit: int = PAGE_BYTES

    def start_after(self, position: bytes) -> None:
        """Begin after a row, in the direction of the read."""
        if self.backwards:
            self.high = position
        else:
            self.low = position + b"\x00"


class EvaluatedPage(NamedTuple):
    """The rows that a page evaluates, their size, and whether there may be more.

    `fetched` has the table's items for the rows of a local index, if the page fetches them.
    """

    rows: list[Row]
    size: int
    has_more: bool
    fetched: list[Row] | None


def projector(projection: Projection | None) -> Projector | None:
    """The function that applies a projection to an item."""
    return None if projection is None else partial(project, projection)


def read_page(core: Core, request: Mapping[str, Any], page: Page) -> Answer:
    """The response to a query or scan."""
    with core.storage.reading() as reader:
        evaluated = evaluate(core, reader, page)
    meter_page(core, page, evaluated)
    answer: Answer = {"ScannedCount": len(evaluated.rows)}
    if request.get("Select") == "COUNT":
        answer["Count"] = _count(page.test, evaluated.rows)
    else:
        answer["Items"] = items = page_items(page, evaluated)
        answer["Count"] = len(items)
    if evaluated.has_more:
        answer["LastEvaluatedKey"] = page.layout.last_key(orjson.loads(evaluated.rows[-1].data))
    if wants_capacity(request):
        answer["ConsumedCapacity"] = consumed_capacity(request, page.table, *page_units(page, evaluated))
    return answer


def evaluate(core: Core, reader: Reader, page: Page) -> EvaluatedPage:
    """Read the rows of a page."""
    evaluated, size, more = _evaluate_rows(_rows_of_page(core, reader, page), page.limit, page.byte_limit)
    fetched = [_fetch(reader, page, row) for row in evaluated] if page.fetches_items else None
    return EvaluatedPage(evaluated, size, more, fetched)


def meter_page(core: Core, page: Page, evaluated: EvaluatedPage) -> None:
    """Count what a page has consumed: its rows, and the items fetched from the table."""
    meter, table, layout, consistent = core.meter, page.table, page.layout, page.consistent
    rows, size, _, fetched = evaluated
    units = query_units(size, consistent=consistent)
    # The range of a scan ends at a hash or has no end; that of a query lies within a partition key.
    if page.high is None or len(page.high) <= HASH_BYTES:
        meter.record_scan(table, layout, page.low, rows, units, size)
    else:
        key = rows[0].key if rows else page.low
        meter.record_query(table, layout, key, units, size)
        if size > PAGE_BYTES:
            meter.record_full_page(table, layout, key, units)
    for row in fetched or ():
        meter.record_item_read(table, row.key, read_units(row.size, consistent=consistent), row.size)


def _rows_of_page(core: Core, reader: Reader, page: Page) -> Iterator[Row]:
    low, high, space, backwards = page.low, page.high, page.layout.space, page.backwards
    if high is not None and low >= high:
        return iter(())
    if core.lag is not None and page.layout.kind == "gsi":
        return core.lag.rows(reader, space, low, high, backwards=backwards)
    return reader.rows(space, low, high, backwards=backwards)


def _evaluate_rows(rows: Iterator[Row], limit: int | None, room: int) -> tuple[list[Row], int, bool]:
    """The rows of a page, their size, and whether there may be more.

    A page ends at its limit, or with the row that exceeds 1 MB. The rows behind are not read.
    """
    page: list[Row] = []
    total = 0
    for row in islice(rows, limit):
        page.append(row)
        total += row.size
        if total > room:
            return page, total, True
    return page, total, len(page) == limit


def _fetch(reader: Reader, page: Page, entry: Row) -> Row:
    return reader.get(page.table.layout.space, page.layout.base_key(entry.key)) or entry


def _count(test: Test | None, evaluated: list[Row]) -> int:
    if test is None:
        return len(evaluated)
    return sum(test(orjson.loads(row.data)) for row in evaluated)


def page_items(page: Page, evaluated: EvaluatedPage) -> list[Any]:
    """The returned items. The filter sees the attributes of the index entry."""
    test, apply_projection = page.test, page.projector
    rows = evaluated.rows
    sources = rows if evaluated.fetched is None else evaluated.fetched
    if test is None:
        if apply_projection is None:
            return list(map(orjson.Fragment, map(_ROW_DATA, sources)))
        return [apply_projection(orjson.loads(row.data)) for row in sources]
    items: list[Any] = []
    for row, source in zip(rows, sources, strict=True):
        item = orjson.loads(row.data)
        if not test(item):
            continue
        if apply_projection is None:
            items.append(orjson.Fragment(source.data))
        else:
            items.append(apply_projection(item if source is row else orjson.loads(source.data)))
    return items


def page_units(page: Page, evaluated: EvaluatedPage) -> tuple[float, dict[str, float]]:
    """The units of the table and of an index: the index pays for its entries, the table for fetched items."""
    units = query_units(evaluated.size, consistent=page.consistent)
    if page.layout.name is None:
        return units, {}
    sizes = (row.size for row in evaluated.fetched or ())
    return batch_read_units(sizes, consistent=page.consistent), {page.layout.name: units}
