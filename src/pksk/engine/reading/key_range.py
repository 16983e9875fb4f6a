"""A key condition as the range of rows that it means, held against the schema of what is queried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from pksk.engine.faults import validation
from pksk.engine.layout import KeyAttribute, Rows, after, terminated
from pksk.engine.texts import items as item_texts
from pksk.engine.texts import reads as texts
from pksk.expressions import KeyPart
from pksk.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from pksk.values.order import sortable_wire

__all__ = ["KeyRange", "key_range"]


class KeyRange(NamedTuple):
    """The rows from `low` to before `high`, all of one partition."""

    partition: bytes
    low: bytes
    high: bytes | None


def key_range(rows: Rows, parts: Sequence[KeyPart], *, legacy: bool = False) -> KeyRange:
    """The range of a key condition; refuses one that does not fit the key of these rows."""
    sort = _named(rows, parts, legacy=legacy)
    by_name: dict[Any, KeyPart] = {part.attribute: part for part in parts}
    raws = []
    for attribute in rows.partition:
        part = by_name[attribute.name]
        if part.operator != "=":
            raise validation(texts.UNSUPPORTED_CONDITION)
        raws.append((attribute.type, _raw(rows, attribute, part)[0]))
    partition = start = rows.placed(raws)
    for place, attribute in enumerate(sort, 1):
        part = by_name[attribute.name]
        values = _raw(rows, attribute, part)
        if place == len(sort):
            return _bounded(partition, start, part.operator, values)
        if part.operator != "=":
            raise validation(texts.UNSUPPORTED_CONDITION)
        start += terminated(values[0])
    return KeyRange(partition, partition, after(partition))


def _named(rows: Rows, parts: Sequence[KeyPart], *, legacy: bool) -> Sequence[KeyAttribute]:
    """The sort attributes that are named: the first of the key, as many as there are conditions on them."""
    keys = rows.keys
    if legacy and len(keys) > 1 and (len(rows.partition) > 1 or len(rows.sort) > 1):
        raise validation(texts.UNSUPPORTED_CONDITION)
    if len(parts) > len(keys):
        raise validation(texts.too_many_conditions(len(parts), len(keys)))
    names = {part.attribute for part in parts}
    for place, attribute in enumerate(keys):
        if attribute.name not in names and place < max(len(parts), len(rows.partition)):
            raise validation(texts.missed_key(attribute.name))
    return rows.sort[: len(parts) - len(rows.partition)]


def _raw(rows: Rows, attribute: KeyAttribute, part: KeyPart) -> list[bytes]:
    """The sortable bytes of a condition's values."""
    raws = []
    for value in part.values:
        wire: Any = value.wire  # type: ignore[union-attr]
        if attribute.type not in wire:
            raise validation(texts.TYPE_MISMATCH)
        if not wire[attribute.type]:
            raise validation(_empty(rows, attribute))
        raws.append(sortable_wire(wire))
    longest = max(map(len, raws))
    if longest > SORT_KEY_BYTES:
        if attribute not in rows.partition:
            raise validation(item_texts.sort_key_too_long(SORT_KEY_BYTES))
        if longest > PARTITION_KEY_BYTES:
            raise validation(item_texts.partition_key_too_long(PARTITION_KEY_BYTES))
    return raws


def _empty(rows: Rows, attribute: KeyAttribute) -> str:
    if rows.name is None:
        return item_texts.empty_key(attribute.name, attribute.type)
    return item_texts.empty_index_key(attribute.name, attribute.type, rows.name)


def _bounded(partition: bytes, start: bytes, operator: str, values: list[bytes]) -> KeyRange:
    bounds = _BOUNDS.get(operator)
    if bounds is None:
        raise validation(texts.UNSUPPORTED_CONDITION)
    return bounds(partition, start, *values)


def _equal(partition: bytes, start: bytes, value: bytes) -> KeyRange:
    low = start + terminated(value)
    return KeyRange(partition, low, after(low))


def _less(partition: bytes, start: bytes, value: bytes) -> KeyRange:
    return KeyRange(partition, start, start + terminated(value))


def _at_most(partition: bytes, start: bytes, value: bytes) -> KeyRange:
    return KeyRange(partition, start, after(start + terminated(value)))


def _more(partition: bytes, start: bytes, value: bytes) -> KeyRange:
    # Past every row with the value, whose end is two zeros.
    return KeyRange(partition, (start + terminated(value))[:-1] + b"\x01", after(start))


def _at_least(partition: bytes, start: bytes, value: bytes) -> KeyRange:
    return KeyRange(partition, start + terminated(value), after(start))


def _between(partition: bytes, start: bytes, low: bytes, high: bytes) -> KeyRange:
    return KeyRange(partition, start + terminated(low), after(start + terminated(high)))


def _begins_with(partition: bytes, start: bytes, prefix: bytes) -> KeyRange:
    # Without the end that makes a value whole.
    low = start + terminated(prefix)[:-2]
    return KeyRange(partition, low, after(low))


_BOUNDS: Final[dict[str, Callable[..., KeyRange]]] = {
    "=": _equal,
    "<": _less,
    "<=": _at_most,
    ">": _more,
    ">=": _at_least,
    "BETWEEN": _between,
    "begins_with": _begins_with,
}
