"""Plans a SELECT: a read of one item, a query of partitions, or a scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pksk.engine.items.key_range import KeyRange, key_range
from pksk.engine.items.page import Projector
from pksk.engine.items.select import check_filter_projected, needs_fetch
from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import validation
from pksk.engine.texts import partiql as texts
from pksk.expressions import KeyPart, Projection, Value
from pksk.expressions.compare import value_at_path
from pksk.partitions import HASH_BYTES, segment
from pksk.values import Wire, WireItem

from .key_conditions import KeyConditions, key_conditions
from .parameters import CheckedCondition, FilledCondition, ParameterValues, value_of
from .tree import Column, SelectStatement

_MOST_PARTITIONS: Final = 50


class SelectPlan:
    """What a SELECT reads, as far as its text and the table determine it."""

    def __init__(self, select: SelectStatement, rows: RowLayout) -> None:
        if len(rows.partition) > 1 or len(rows.sort) > 1:
            raise validation(texts.SEVERAL_KEYS)
        self.table_name = select.table
        partition, sort = rows.partition[0].name, rows.sort[0].name if rows.sort else None
        conditions = key_conditions(select.where, partition, sort)
        self.is_scan = conditions is None
        condition = select.where if conditions is None else conditions.filter
        self.filter = None if condition is None else FilledCondition(condition, "FilterExpression")
        if conditions is not None and condition is not None:
            check_filter_projected(rows, condition)
        self._by_partition, self.backwards = _order(select, rows, conditions)
        partitions, parts = ((), ()) if conditions is None else (conditions.partitions, conditions.sort)
        if len(partitions) > _MOST_PARTITIONS:
            raise validation(texts.too_many_operands(len(partitions)))
        self._partitions = [value_of(value) for value in partitions]
        self._sort_parts = [_key_part(part) for part in parts]
        bounds = None if conditions is None else conditions.bounds
        self._bounds = None if bounds is None else CheckedCondition(bounds, "KeyConditionExpression")
        # Whether each range has at most one item, and whether there is only one range.
        self.has_whole_keys = (
            conditions is not None
            and rows.kind == "table"
            and (sort is None or any(part.operator == "=" for part in parts))
        )
        self.is_get = self.has_whole_keys and len(partitions) == 1
        # Whether the statement has only the primary key of one item as a condition.
        self.is_unfiltered_get = self.is_get and self.filter is None
        self._key: list[tuple[str, Callable[[ParameterValues], Wire]]] = []
        if self.is_get:
            self._key = [(partition, self._partitions[0])]
            if sort is not None:
                self._key.append((sort, value_of(parts[0].values[0])))
        columns = select.columns
        self.projector = None if columns is None else _projector(columns)
        projection = None if columns is None else Projection(tuple(column.path for column in columns))
        self.fetches_items = needs_fetch(rows, projection, None)

    def key(self, values: ParameterValues) -> WireItem:
        """The primary key of the only item."""
        return {name: value(values) for name, value in self._key}

    def ranges(self, rows: RowLayout, values: ParameterValues) -> list[KeyRange]:
        """The ranges of rows to read, in order and without duplicates."""
        if self.is_scan:
            return [KeyRange(b"", *segment(0, 1))]
        if self._bounds is not None:
            self._bounds.check(values)
        name = rows.partition[0].name
        ranges: dict[bytes, KeyRange] = {}
        for value in self._partitions:
            first = KeyPart(name, "=", (Value(value(values)),))
            key_range = _range(rows, first, [part(values) for part in self._sort_parts])
            ranges.setdefault(key_range.partition, key_range)
        if self._by_partition is None:
            return list(ranges.values())
        return sorted(
            ranges.values(), key=lambda each: each.partition[HASH_BYTES:], reverse=self._by_partition
        )


def _order(
    select: SelectStatement, rows: RowLayout, conditions: KeyConditions | None
) -> tuple[bool | None, bool]:
    """Whether partitions are in descending order (None: in the order written), and whether rows are."""
    if not select.orders:
        return None, False
    if select.where is None:
        raise validation(texts.ORDER_NEEDS_WHERE)
    keys = {attribute.name for attribute in rows.keys}
    for order in select.orders:
        if order.name not in keys:
            raise validation(texts.not_a_key(order.name))
    if conditions is None:
        raise validation(texts.ORDER_NEEDS_KEY)
    orders = {order.name: order.descending for order in reversed(select.orders)}
    by_partition = orders.get(rows.partition[0].name)
    if by_partition is None and len(conditions.partitions) > 1:
        raise validation(texts.ORDER_NEEDS_PARTITION)
    return by_partition, orders.get(rows.keys[-1].name, False) if rows.sort else False


def _key_part(part: KeyPart) -> Callable[[ParameterValues], KeyPart]:
    fills = [value_of(value) for value in part.values]
    return lambda values: KeyPart(
        part.attribute, part.operator, tuple([Value(fill(values)) for fill in fills])
    )


def _range(rows: RowLayout, first: KeyPart, parts: list[KeyPart]) -> KeyRange:
    """The rows that satisfy all conditions on the sort key."""
    if not parts:
        return key_range(rows, (first,))
    ranges = [key_range(rows, (first, part)) for part in parts]
    if len(ranges) == 1:
        return ranges[0]
    ends = [each.high for each in ranges if each.high is not None]
    return KeyRange(ranges[0].partition, max(each.low for each in ranges), min(ends, default=None))


def _projector(columns: tuple[Column, ...]) -> Projector:
    """A function that returns the columns of an item."""
    if all(len(column.path.elements) == 1 for column in columns):
        # Without paths, a query of 50 items takes three quarters of the time.
        names = [column.name for column in columns]
        return lambda item: {name: item[name] for name in names if name in item}
    paths = [(column.name, column.path) for column in columns]

    def projected(item: WireItem) -> WireItem:
        values = ((name, value_at_path(path, item)) for name, path in paths)
        return {name: dict(value) for name, value in values if value is not None}

    return projected
