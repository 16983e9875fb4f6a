"""A SELECT compiled for the rows that it reads: one item, ranges of partitions, or all of them."""

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
from pksk.expressions.evaluate import value_at_path
from pksk.partitions import HASH_BYTES, segment
from pksk.values import Wire, WireItem

from .key_conditions import KeyConditions, key_conditions
from .parameters import CheckedCondition, FilledCondition, ParameterValues, value_of
from .tree import Column, SelectStatement

__all__ = ["SelectPlan"]

_MOST_PARTITIONS: Final = 50


class SelectPlan:
    """How a SELECT reads: what follows from its text and the schema, before its values are known."""

    __slots__ = (
        "_bounds",
        "_key",
        "_partitions",
        "_parts",
        "_sorted",
        "backwards",
        "exact",
        "fetching",
        "filter",
        "scans",
        "shown",
        "single",
        "table_name",
        "whole",
    )

    def __init__(self, select: SelectStatement, rows: RowLayout) -> None:
        if len(rows.partition) > 1 or len(rows.sort) > 1:
            raise validation(texts.SEVERAL_KEYS)
        partition = rows.partition[0].name
        sort = rows.sort[0].name if rows.sort else None
        found = key_conditions(select.where, partition, sort)
        rest = select.where if found is None else found.rest
        self.filter = None if rest is None else FilledCondition(rest, "FilterExpression")
        if found is not None and rest is not None:
            check_filter_projected(rows, rest)
        self.scans = found is None
        self.table_name = select.table
        self._order(select, rows, found)
        self._pin(found, rows, partition, sort)
        self._show(select.columns, rows)

    def _pin(self, found: KeyConditions | None, rows: RowLayout, partition: str, sort: str | None) -> None:
        values, parts = ((), ()) if found is None else (found.partitions, found.sort)
        if len(values) > _MOST_PARTITIONS:
            raise validation(texts.too_many_operands(len(values)))
        self._partitions = [value_of(value) for value in values]
        self._parts = [_key_part(part) for part in parts]
        bounds = None if found is None else found.bounds
        self._bounds = None if bounds is None else CheckedCondition(bounds, "KeyConditionExpression")
        ends = sort is None or any(part.operator == "=" for part in parts)
        # Whether each partition named can have but one item, or there is but one item to read.
        self.whole = found is not None and ends and rows.kind == "table"
        self.single = self.whole and len(values) == 1
        # Whether it names one item by its primary key, and says nothing else.
        self.exact = self.single and self.filter is None
        self._key: list[tuple[str, Callable[[ParameterValues], Wire]]] = []
        if self.single:
            self._key = [(partition, self._partitions[0])]
            if sort is not None:
                self._key.append((sort, value_of(parts[0].values[0])))

    def _order(self, select: SelectStatement, rows: RowLayout, found: KeyConditions | None) -> None:
        self.backwards = False
        # Whether partitions are read by their keys, and from the last.
        self._sorted: bool | None = None
        if not select.orders:
            return
        if select.where is None:
            raise validation(texts.ORDER_NEEDS_WHERE)
        keys = {attribute.name for attribute in rows.keys}
        for order in select.orders:
            if order.name not in keys:
                raise validation(texts.not_a_key(order.name))
        if found is None:
            raise validation(texts.ORDER_NEEDS_KEY)
        orders = {order.name: order.descending for order in reversed(select.orders)}
        self._sorted = orders.get(rows.partition[0].name)
        if self._sorted is None and len(found.partitions) > 1:
            raise validation(texts.ORDER_NEEDS_PARTITION)
        self.backwards = orders.get(rows.keys[-1].name, False) if rows.sort else False

    def _show(self, columns: tuple[Column, ...] | None, rows: RowLayout) -> None:
        self.shown: Projector | None = None
        projection: Projection | None = None
        if columns is not None:
            projection = Projection(tuple(column.path for column in columns))
            self.shown = _columns_of(columns)
        self.fetching = needs_fetch(rows, projection, None)

    def key(self, values: ParameterValues) -> WireItem:
        """The primary key of the one item that is read."""
        return {name: value(values) for name, value in self._key}

    def ranges(self, rows: RowLayout, values: ParameterValues) -> list[KeyRange]:
        """The ranges of rows that are read, in their order; of a partition that is named twice, once."""
        if self.scans:
            return [KeyRange(b"", *segment(0, 1))]
        if self._bounds is not None:
            self._bounds.check(values)
        name = rows.partition[0].name
        found: dict[bytes, KeyRange] = {}
        for value in self._partitions:
            first = KeyPart(name, "=", (Value(value(values)),))
            one = _range(rows, first, [part(values) for part in self._parts])
            found.setdefault(one.partition, one)
        if self._sorted is None:
            return list(found.values())
        return sorted(found.values(), key=lambda one: one.partition[HASH_BYTES:], reverse=self._sorted)


def _key_part(part: KeyPart) -> Callable[[ParameterValues], KeyPart]:
    fills = [value_of(value) for value in part.values]
    return lambda values: KeyPart(
        part.attribute, part.operator, tuple([Value(fill(values)) for fill in fills])
    )


def _range(rows: RowLayout, first: KeyPart, parts: list[KeyPart]) -> KeyRange:
    """The rows for which all conditions on the sort key hold."""
    if not parts:
        return key_range(rows, (first,))
    found = [key_range(rows, (first, part)) for part in parts]
    if len(found) == 1:
        return found[0]
    ends = [one.high for one in found if one.high is not None]
    return KeyRange(found[0].partition, max(one.low for one in found), min(ends, default=None))


def _columns_of(columns: tuple[Column, ...]) -> Projector:
    """What gives the columns that an item has."""
    if all(len(column.path.elements) == 1 for column in columns):
        names = [column.name for column in columns]
        return lambda item: {name: item[name] for name in names if name in item}
    paths = [(column.name, column.path) for column in columns]

    def shown(item: WireItem) -> WireItem:
        found = ((name, value_at_path(path, item)) for name, path in paths)
        return {name: dict(value) for name, value in found if value is not None}

    return shown
