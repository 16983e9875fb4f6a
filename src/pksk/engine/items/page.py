"""One page of a query or scan: what it selects, evaluates, returns and consumes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from pksk.capacity.units import batch_read_units, query_units, scan_units
from pksk.dataclass import dataclass
from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.expressions.parameters import Expressions
from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import invalid_parameter, validation
from pksk.engine.state import Table, Test
from pksk.engine.storage import Reader, Row
from pksk.expressions import Condition, Path, Projection, project
from pksk.expressions.check import operands_of
from pksk.expressions.tree import leaves
from pksk.limits import PAGE_BYTES
from pksk.partitions import HASH_BYTES
from pksk.values import WireItem

from .consumed_capacity import consumed_capacity, wants_capacity


def check_select(request: Request, *, newer: bool = True) -> None:
    """Raise for a Select that conflicts with the rest of the request."""
    if words := _select_error(request):
        raise validation(texts.PREFIX + words if newer else words)


def _select_error(request: Request) -> str | None:
    select = request.get("Select")
    if select is None:
        return None
    parameter = next((name for name in ("ProjectionExpression", "AttributesToGet") if name in request), None)
    if select == "SPECIFIC_ATTRIBUTES":
        return (
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
            if parameter is None
            else None
        )
    if parameter is not None:
        chosen = "only the Count" if select == "COUNT" else select
        return f"Cannot specify the {parameter} when choosing to get {chosen}"
    needs_index = select == "ALL_PROJECTED_ATTRIBUTES" and "IndexName" not in request
    return (
        "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName" if needs_index else None
    )


def layout_to_read(table: Table, request: Request, vector_error: str) -> RowLayout:
    """The rows that a request reads; raises for a missing index, or one that does not support the read."""
    name = request.get("IndexName")
    if name is None:
        return table.layout
    if name in table.vectors:
        raise validation(vector_error)
    layout = table.index(name)
    if layout.kind == "gsi":
        if request.get("ConsistentRead"):
            raise validation("Consistent reads are not supported on global secondary indexes")
        if request.get("Select") == "ALL_ATTRIBUTES" and layout.projected is not None:
            raise invalid_parameter(
                f"Select type ALL_ATTRIBUTES is not supported for global secondary index {name} "
                "because its projection type is not ALL"
            )
    return layout


def needs_fetch(layout: RowLayout, projection: Projection | None, select: str | None) -> bool:
    """Whether requested attributes are missing from a local index; raises if they are missing from a global one."""
    if layout.projected is None:
        return False
    if projection is None:
        return select == "ALL_ATTRIBUTES"
    missing = _missing_attributes(layout, (str(path.elements[0]) for path in projection.paths))
    if missing and layout.kind == "gsi":
        raise invalid_parameter(
            f"Global secondary index {layout.name or ''} does not project [{', '.join(missing)}]"
        )
    return bool(missing)


def check_filter(layout: RowLayout, condition: Condition, *, legacy: bool) -> None:
    """Raise for a filter on key attributes, or on attributes that are not projected into the index."""
    keys = {attribute.name for attribute in layout.keys}
    for name in _filter_attributes(condition):
        if name in keys:
            parameter = "QueryFilter" if legacy else "Filter Expression"
            raise validation(
                f"{parameter} can only contain non-primary key attributes: Primary key attribute: {name}"
            )
    check_filter_projected(layout, condition)


def check_filter_projected(layout: RowLayout, condition: Condition) -> None:
    """Raise for a filter on attributes that are not projected into the index."""
    if layout.projected is not None and (
        missing := _missing_attributes(layout, _filter_attributes(condition))
    ):
        raise invalid_parameter(
            f"Secondary index {layout.name or ''} does not project one or more filter attributes: "
            f"{texts.set_order(missing)}"
        )


def _missing_attributes(layout: RowLayout, names: Iterable[str]) -> list[str]:
    projected = layout.projected or frozenset()
    return [name for name in dict.fromkeys(names) if name not in projected]


def _filter_attributes(condition: Condition) -> list[str]:
    """The attributes of a condition, in the order written."""
    names: dict[str, None] = {}
    pending: list[Any] = []
    for leaf in leaves(condition):
        pending.extend(reversed(operands_of(leaf)))
        while pending:
            operand = pending.pop()
            if type(operand) is Path:
                names[str(operand.elements[0])] = None
            else:
                pending.extend(reversed(getattr(operand, "operands", ())))
    return list(names)


# The data of a row; quicker than by name.
_ROW_DATA: Final = itemgetter(2)


def returned_item(projection: Projection | None, row: Row) -> orjson.Fragment | dict[str, Any]:
    """What a read returns for a row: its bytes, or the projected attributes."""
    if projection is None:
        return orjson.Fragment(row.data)
    return project(projection, orjson.loads(row.data))


Projector: TypeAlias = Callable[[WireItem], WireItem]


@dataclass(slots=True)
class Page:
    """The range of rows that a request reads, and what it returns."""

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

    def take_options(self, request: Request, expressions: Expressions) -> None:
        """Set what a query or scan selects and returns; raises for attributes that the index lacks."""
        projection = expressions.projection
        self.limit, self.consistent = request.get("Limit"), request.get("ConsistentRead", False)
        self.test = None if expressions.filter is None else expressions.filter.test
        self.projector = None if projection is None else partial(project, projection)
        self.fetches_items = needs_fetch(self.layout, projection, request.get("Select"))

    @property
    def is_scan(self) -> bool:
        """Whether the range is of hashes. That of a query lies within a partition key."""
        return self.high is None or len(self.high) <= HASH_BYTES

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


def read_page(core: Core, request: Request, page: Page) -> Answer:
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
    units = _read_units(page, evaluated)
    counts = {"read": len(rows), "returned": _count(page.test, rows)} if meter.traces else {}
    if page.is_scan:
        meter.record_scan(table, layout, page.low, rows, units, size, counts)
    else:
        key = rows[0].key if rows else page.low
        meter.record_query(table, layout, key, units, size, counts)
        if size > PAGE_BYTES:
            meter.record_full_page(table, layout, key, units)
    for row in fetched or ():
        meter.record_item_read(table, row.key, row, consistent=consistent)


def _rows_of_page(core: Core, reader: Reader, page: Page) -> Iterator[Row]:
    low, high, space, backwards = page.low, page.high, page.layout.space, page.backwards
    if high is not None and low >= high:
        return iter(())
    if core.lag is not None and page.layout.kind == "gsi":
        return core.lag.rows(reader, space, low, high, backwards=backwards)
    return reader.rows(space, low, high, backwards=backwards)


def _evaluate_rows(rows: Iterator[Row], limit: int | None, byte_limit: int) -> tuple[list[Row], int, bool]:
    """The rows of a page, their size, and whether there may be more.

    A page ends at its limit, or with the row that exceeds 1 MB. Later rows are not read.
    """
    page: list[Row] = []
    total = 0
    for row in islice(rows, limit):
        page.append(row)
        total += row.size
        if total > byte_limit:
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


def _read_units(page: Page, evaluated: EvaluatedPage) -> float:
    """The units for the rows of a page; a scan takes at least the minimum from each partition that it reads."""
    if not page.is_scan:
        return query_units(evaluated.size, consistent=page.consistent)
    last = evaluated.rows[-1].key if evaluated.has_more else None
    count = page.table.partitions_of(page.layout).count(page.low, page.high, last)
    return scan_units(evaluated.size, count, consistent=page.consistent)


def page_units(page: Page, evaluated: EvaluatedPage) -> tuple[float, dict[str, float]]:
    """The units of the table and of an index: the index pays for its entries, the table for fetched items."""
    units = _read_units(page, evaluated)
    if page.layout.name is None:
        return units, {}
    sizes = (row.size for row in evaluated.fetched or ())
    return batch_read_units(sizes, consistent=page.consistent), {page.layout.name: units}
