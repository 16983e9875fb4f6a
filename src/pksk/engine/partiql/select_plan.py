"""Plans a SELECT: the ranges that it reads, its filter, its order and its columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pksk.client import ServiceError
from pksk.engine import texts
from pksk.engine.items.keys import KeyRange, key_range
from pksk.engine.items.page import Projector, check_filter_projected, needs_fetch
from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import validation
from pksk.expressions import KeyPart, Projection, Value, compile_condition
from pksk.expressions.compare import value_at_path
from pksk.partitions import HASH_BYTES, segment
from pksk.values import Wire, WireItem

from .key_conditions import KeyConditions, RangeConditions, join_conditions, key_conditions
from .literals import ParameterValues, value_of
from .tree import Column, SelectStatement


def has_several_keys(rows: RowLayout) -> bool:
    """Whether an index has several attributes per key, which no SELECT can read."""
    return len(rows.partition) > 1 or len(rows.sort) > 1


class SelectPlan:
    """What a SELECT reads, as far as its text and the table determine it."""

    def __init__(self, select: SelectStatement, rows: RowLayout) -> None:
        if has_several_keys(rows):
            raise validation(texts.SEVERAL_KEYS)
        self.table_name = select.table
        partition, sort = rows.partition[0].name, rows.sort[0].name if rows.sort else None
        conditions = key_conditions(select.where, partition, sort)
        self.is_scan = conditions is None
        condition = select.where if conditions is None else conditions.filter
        self.filter = None if condition is None else compile_condition(condition)
        self._is_ordered = bool(select.orders)
        self._by_partition, self.backwards = _order(select, rows, conditions)
        ranges = [] if conditions is None else conditions.ranges
        self._ranges = [_RangeMaker(each) for each in ranges]
        self.has_several_ranges = len(ranges) > 1
        self._unprojected = _unprojected(rows, ranges)
        if self._unprojected is not None and not self.has_several_ranges:
            raise self._unprojected
        # Whether each range has at most one item, and whether there is only one range.
        self.has_whole_keys = (
            conditions is not None
            and rows.kind == "table"
            and (sort is None or all(any(part.operator == "=" for part in each.sort) for each in ranges))
        )
        self.is_get = self.has_whole_keys and len(ranges) == 1 and _is_one_key(ranges[0])
        # Whether the statement has only the primary key of one item as a condition.
        self.is_unfiltered_get = self.is_get and self.filter is None
        self._key: list[tuple[str, Callable[[ParameterValues], Wire]]] = []
        if self.is_get:
            self._key = [(partition, value_of(ranges[0].partitions[0]))]
            if sort is not None:
                self._key.append((sort, value_of(ranges[0].sort[0].values[0])))
        columns = select.columns
        self.projector = None if columns is None else _projector(columns)
        projection = None if columns is None else Projection(tuple(column.path for column in columns))
        self.fetches_items = needs_fetch(rows, projection, None)

    def key(self, values: ParameterValues) -> WireItem:
        """The primary key of the only item."""
        return {name: value(values) for name, value in self._key}

    def check_types(self, rows: RowLayout, values: ParameterValues) -> None:
        """Raise for values that have not the type of their key attribute."""
        for each in self._ranges:
            each.check_types(rows, values)

    def ranges(self, rows: RowLayout, values: ParameterValues) -> list[KeyRange]:
        """The ranges of rows to read, in order; raises if they overlap, or need attributes that an index lacks."""
        if self.is_scan:
            return [KeyRange(b"", *segment(0, 1))]
        if not self.has_several_ranges:
            return [self._only_range(rows, values)]
        self.check_types(rows, values)
        ranges = [key_range for each in self._ranges if (key_range := each.range(rows, values)) is not None]
        _check_overlap(ranges)
        if self._unprojected is not None:
            raise self._unprojected
        if self._is_ordered:
            ranges.sort(key=lambda each: each.low, reverse=self.backwards)
            ranges.sort(key=lambda each: each.partition[HASH_BYTES:], reverse=bool(self._by_partition))
        return ranges or [_NO_ROWS]

    def _only_range(self, rows: RowLayout, values: ParameterValues) -> KeyRange:
        try:
            return self._ranges[0].range(rows, values) or _NO_ROWS
        except ServiceError:
            self.check_types(rows, values)
            raise


_NO_ROWS: Final = KeyRange(b"", b"", b"")


def _is_one_key(conditions: RangeConditions) -> bool:
    """Whether a range is of one key, and has no other conditions on its attributes."""
    return len(conditions.partitions) == 1 and len(conditions.sort) < 2


class _RangeMaker:
    """Makes one range of rows from the values of a request."""

    __slots__ = ("_partitions", "_sort_parts")

    def __init__(self, conditions: RangeConditions) -> None:
        self._partitions = [value_of(value) for value in conditions.partitions]
        self._sort_parts = [_key_part(part) for part in conditions.sort]

    def range(self, rows: RowLayout, values: ParameterValues) -> KeyRange | None:
        """The rows that satisfy all conditions; None if the partition key would have two values."""
        first, *others = [value(values) for value in self._partitions]
        if any(other != first for other in others):
            return None
        equal = KeyPart(rows.partition[0].name, "=", (Value(first),))
        return _range(rows, equal, [part(values) for part in self._sort_parts])

    def check_types(self, rows: RowLayout, values: ParameterValues) -> None:
        """Raise for values that have not the type of their key attribute."""
        wires = [(rows.partition[0], value(values)) for value in self._partitions]
        for part in self._sort_parts:
            wires += [(rows.sort[0], value.wire) for value in part(values).values]  # type: ignore[union-attr]
        for attribute, wire in wires:
            if attribute.type not in wire:
                raise validation(
                    "Key attribute's data type should match its data type in table's schema: "
                    f"Key {attribute.name}"
                )


def _check_overlap(ranges: list[KeyRange]) -> None:
    end = b""
    for each in sorted(ranges, key=lambda each: each.low):
        if each.low < end:
            raise validation("Overlapping conditions with range keys are not supported in where clause")
        end = each.high or b""


def _unprojected(rows: RowLayout, ranges: Sequence[RangeConditions]) -> ServiceError | None:
    """The error for conditions on attributes that an index lacks, if no range can do without them."""
    first: ServiceError | None = None
    for each in ranges:
        condition = join_conditions(list(each.others))
        try:
            if condition is None:
                return None
            check_filter_projected(rows, condition)
        except ServiceError as error:
            first = first or error
        else:
            return None
    return first


def _order(
    select: SelectStatement, rows: RowLayout, conditions: KeyConditions | None
) -> tuple[bool | None, bool]:
    """Whether partitions are in descending order (None: not ordered), and whether rows are."""
    if not select.orders:
        return None, False
    if select.where is None:
        raise validation("Must have WHERE clause in the statement when using ORDER BY clause.")
    keys = {attribute.name for attribute in rows.keys}
    for order in select.orders:
        if order.name not in keys:
            raise validation(f"Attribute {order.name} in ORDER BY clause must be part of the primary key")
    if conditions is None:
        raise validation(
            "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."
        )
    orders = {order.name: order.descending for order in reversed(select.orders)}
    by_partition = orders.get(rows.partition[0].name)
    if by_partition is None and conditions.partition_count > 1:
        raise validation(
            "Must have hash key in ORDER BY clause when more than one hash key condition "
            "specified in WHERE clause."
        )
    # Without a term of its own, the sort key is in descending order.
    return by_partition, orders.get(rows.sort[0].name, True) if rows.sort else False


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
