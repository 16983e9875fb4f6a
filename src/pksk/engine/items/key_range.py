"""Key conditions and start keys as ranges of rows, checked against the key schema."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pksk.client import ServiceError
from pksk.engine.request.attribute_values import check_item
from pksk.engine.row_layout import KeyAttribute, RowLayout, prefix_end, terminate
from pksk.engine.service_errors import validation
from pksk.engine.state.table import Table
from pksk.engine.texts import items as item_texts
from pksk.engine.texts import reads as texts
from pksk.expressions import KeyPart
from pksk.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from pksk.values import WireItem
from pksk.values.order import sortable_wire


class KeyRange(NamedTuple):
    """The rows of one partition key from `low` to before `high`."""

    partition: bytes
    low: bytes
    high: bytes | None


def key_range(layout: RowLayout, parts: Sequence[KeyPart], *, legacy: bool = False) -> KeyRange:
    """The range of a key condition; raises if the condition does not match the key schema."""
    by_name: dict[Any, KeyPart] = {part.attribute: part for part in parts}
    sort = _sort_attributes(layout, by_name, len(parts), legacy=legacy)
    raws = []
    for attribute in layout.partition:
        part = by_name[attribute.name]
        if part.operator != "=":
            raise validation(texts.UNSUPPORTED_CONDITION)
        raws.append(_sortable_values(layout, attribute, part)[0])
    partition = start = layout.partition_prefix(raws)
    for position, attribute in enumerate(sort, 1):
        part = by_name[attribute.name]
        values = _sortable_values(layout, attribute, part)
        if position == len(sort):
            return _sort_range(partition, start, part.operator, values)
        if part.operator != "=":
            raise validation(texts.UNSUPPORTED_CONDITION)
        start += terminate(values[0])
    return KeyRange(partition, partition, prefix_end(partition))


def _sort_attributes(
    layout: RowLayout, names: Collection[str], count: int, *, legacy: bool
) -> Sequence[KeyAttribute]:
    """The sort attributes with a condition: the first of the key, as many as there are conditions."""
    keys = layout.keys
    if legacy and len(keys) > 1 and (len(layout.partition) > 1 or len(layout.sort) > 1):
        raise validation(texts.UNSUPPORTED_CONDITION)
    if count > len(keys):
        raise validation(texts.too_many_conditions(count, len(keys)))
    partition = len(layout.partition)
    for attribute in keys[: max(count, partition)]:
        if attribute.name not in names:
            raise validation(texts.missing_key_condition(attribute.name))
    return layout.sort[: count - partition]


def _sortable_values(layout: RowLayout, attribute: KeyAttribute, part: KeyPart) -> list[bytes]:
    """The sortable bytes of the values of a condition."""
    raws = []
    for value in part.values:
        wire: Any = value.wire  # type: ignore[union-attr]
        if attribute.type not in wire:
            raise validation(texts.TYPE_MISMATCH)
        if not wire[attribute.type]:
            raise validation(_empty_key_text(layout, attribute))
        raws.append(sortable_wire(wire))
    longest = max(map(len, raws))
    if longest > SORT_KEY_BYTES:
        if attribute not in layout.partition:
            raise validation(item_texts.sort_key_too_long(SORT_KEY_BYTES))
        if longest > PARTITION_KEY_BYTES:
            raise validation(item_texts.partition_key_too_long(PARTITION_KEY_BYTES))
    return raws


def _empty_key_text(layout: RowLayout, attribute: KeyAttribute) -> str:
    if layout.name is None:
        return item_texts.empty_key(attribute.name, attribute.type)
    return item_texts.empty_index_key(attribute.name, attribute.type, layout.name)


def _sort_range(partition: bytes, start: bytes, operator: str, values: list[bytes]) -> KeyRange:
    bounds = _BOUNDS.get(operator)
    if bounds is None:
        raise validation(texts.UNSUPPORTED_CONDITION)
    return bounds(partition, start, *values)


def _equal(partition: bytes, start: bytes, value: bytes) -> KeyRange:
    low = start + terminate(value)
    return KeyRange(partition, low, prefix_end(low))


def _less(partition: bytes, start: bytes, value: bytes) -> KeyRange:
    return KeyRange(partition, start, start + terminate(value))


def _at_most(partition: bytes, start: bytes, value: bytes) -> KeyRange:
    return KeyRange(partition, start, prefix_end(start + terminate(value)))


def _more(partition: bytes, start: bytes, value: bytes) -> KeyRange:
    # After every row with the value, which ends in two zero bytes.
    return KeyRange(partition, (start + terminate(value))[:-1] + b"\x01", prefix_end(start))


def _at_least(partition: bytes, start: bytes, value: bytes) -> KeyRange:
    return KeyRange(partition, start + terminate(value), prefix_end(start))


def _between(partition: bytes, start: bytes, low: bytes, high: bytes) -> KeyRange:
    return KeyRange(partition, start + terminate(low), prefix_end(start + terminate(high)))


def _begins_with(partition: bytes, start: bytes, prefix: bytes) -> KeyRange:
    # Without the end that completes a value.
    low = start + terminate(prefix)[:-2]
    return KeyRange(partition, low, prefix_end(low))


_BOUNDS: Final[dict[str, Callable[..., KeyRange]]] = {
    "=": _equal,
    "<": _less,
    "<=": _at_most,
    ">": _more,
    ">=": _at_least,
    "BETWEEN": _between,
    "begins_with": _begins_with,
}


StartKey: TypeAlias = WireItem


def read_start_key(request: Mapping[str, Any]) -> StartKey | None:
    """The ExclusiveStartKey of a request, with normalised values; raises for invalid values."""
    start_key = request.get("ExclusiveStartKey")
    if start_key is None:
        return None
    try:
        return check_item(start_key)[0]
    except ServiceError as error:
        if error.code != "ValidationException" or error.message is None:
            raise
        raise validation(texts.start_key_refused(error.message)) from None


def start_position(table: Table, layout: RowLayout, start: StartKey) -> bytes:
    """The row key of an ExclusiveStartKey; raises if it does not match the key schema."""
    attributes = {attribute.name: attribute for attribute in (*layout.keys, *layout.base)}
    if start.keys() != attributes.keys():
        raise validation(texts.START_KEY_INVALID)
    for name, attribute in attributes.items():
        value = start[name]
        if attribute.type not in value:
            raise validation(texts.START_KEY_INVALID)
        if not value[attribute.type]:
            raise validation(texts.start_key_refused(item_texts.empty_key(name, attribute.type)))
    position = layout.key_of(start)
    return position if layout.kind == "table" else position + table.layout.key_of(start)


def check_within(keys: KeyRange, position: bytes) -> None:
    """Raise for an ExclusiveStartKey outside of the range of the query."""
    if not position.startswith(keys.partition):
        raise validation(texts.START_KEY_OUTSIDE)
    if position < keys.low or (keys.high is not None and position >= keys.high):
        raise validation(texts.PREDICATE_MISMATCH)
