"""Row keys and key ranges of requests, checked against the keys of a table and its indexes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pksk.client import ServiceError
from pksk.engine import texts
from pksk.engine.request import Request, check_item
from pksk.engine.row_layout import KeyAttribute, RowLayout, prefix_end, terminate
from pksk.engine.service_errors import EmptyKey, invalid_parameter, validation, with_older_wording
from pksk.engine.state import Table
from pksk.expressions import KeyPart
from pksk.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from pksk.values import Wire, WireItem, sortable_wire, value_size


def read_key(request: Request) -> tuple[WireItem, int]:
    """A request's Key as it is stored, and its size."""
    return check_item(request["Key"])


def lookup_key(table: Table, key: WireItem) -> bytes:
    """The row key of a request's Key."""
    layout = table.layout
    if len(key) != len(layout.keys):
        raise validation(texts.KEY_MISMATCH)
    for attribute in layout.keys:
        value = key.get(attribute.name)
        if value is None or attribute.type not in value:
            raise validation(texts.KEY_MISMATCH)
        if not value[attribute.type]:
            raise EmptyKey(texts.empty_key(attribute.name, attribute.type))
    return _row_key(layout, key)


def put_key(table: Table, item: WireItem) -> bytes:
    """The row key of an item that is put."""
    layout = table.layout
    for attribute in layout.keys:
        value = item.get(attribute.name)
        if value is None:
            raise invalid_parameter(f"Missing the key {attribute.name} in the item")
        if attribute.type not in value:
            raise invalid_parameter(
                f"Type mismatch for key {attribute.name} expected: {attribute.type} actual: {next(iter(value))}"
            )
        if not value[attribute.type]:
            raise EmptyKey(texts.empty_key(attribute.name, attribute.type))
    return _row_key(layout, item)


def _row_key(layout: RowLayout, item: WireItem) -> bytes:
    """The row key of values whose types are checked. Their sizes are checked here."""
    partition, sort = layout.partition[0].name, layout.sort
    key = sortable_wire(item[partition])
    if len(key) > PARTITION_KEY_BYTES:
        raise validation(texts.PARTITION_KEY_TOO_LONG)
    row_key = layout.partition_prefix((key,))
    if sort:
        raw = sortable_wire(item[sort[0].name])
        if len(raw) > SORT_KEY_BYTES:
            raise validation(texts.SORT_KEY_TOO_LONG)
        row_key += terminate(raw)
    return row_key


class _InvalidIndexKey(NamedTuple):
    """A value that cannot be a key of an index."""

    index_name: str
    name: str
    type: str
    value: Wire
    longest: int


def check_index_keys(table: Table, item: WireItem, changed: Collection[str] | None = None) -> None:
    """Raise if an attribute has a value that cannot be its index key; `changed` limits the check to some attributes."""
    invalid = _first_invalid(table, item, changed)
    if invalid is not None:
        raise _index_key_error(invalid)


def check_set_index_keys(table: Table, values: WireItem) -> None:
    """Raise if an update sets an index key to a value of another type, before any item is read."""
    invalid = _first_invalid(table, values, None)
    if invalid is not None and invalid.type not in invalid.value:
        raise _index_key_error(invalid)


def check_updated_index_keys(table: Table, item: WireItem, changed: Collection[str]) -> None:
    """Like `check_index_keys` for the results of update expressions: the messages name neither key nor index."""
    invalid = _first_invalid(table, item, changed)
    if invalid is None:
        return
    if invalid.type not in invalid.value:
        raise validation(
            "The update expression attempted to update the secondary index key to unsupported type"
        )
    if not invalid.value[invalid.type]:
        raise EmptyKey(
            f"{texts.NOT_VALID}The update expression attempted to update a secondary index key to a value that is not "
            "supported. The AttributeValue for a key attribute cannot contain an empty "
            f"{texts.KINDS[invalid.type]} value."
        )
    raise validation(
        "The update expression attempted to update the secondary index key beyond allowed size limits"
    )


def _first_invalid(table: Table, item: WireItem, changed: Collection[str] | None) -> _InvalidIndexKey | None:
    """The first invalid value. DynamoDB names the index that comes first in alphabetical order."""
    first: _InvalidIndexKey | None = None
    for name, index in table.indexes.items():
        if first is not None and name > first.index_name:
            continue
        for attribute in index.keys:
            value = item.get(attribute.name)
            if value is None or (changed is not None and attribute.name not in changed):
                continue
            if not index.accepts(attribute, value):
                first = _InvalidIndexKey(
                    name, attribute.name, attribute.type, value, index.max_bytes(attribute)
                )
                break
    return first


def _index_key_error(invalid: _InvalidIndexKey) -> ServiceError:
    index, name, kind, value, longest = invalid
    if kind not in value:
        return validation(texts.index_key_type(name, kind, next(iter(value)), index))
    if not value[kind]:
        return EmptyKey(texts.empty_index_key(name, kind, index))
    return validation(texts.index_key_size(name, value_size(value), longest, index))


class KeyRange(NamedTuple):
    """The rows of one partition key from `low` to before `high`."""

    partition: bytes
    low: bytes
    high: bytes | None


def key_range(layout: RowLayout, parts: Sequence[KeyPart]) -> KeyRange:
    """The range of a key condition; raises if the condition does not match the key schema."""
    by_name: dict[Any, KeyPart] = {part.attribute: part for part in parts}
    sort = _sort_attributes(layout, by_name)
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
        start += terminate(values[0])
    return KeyRange(partition, partition, prefix_end(partition))


def _sort_attributes(layout: RowLayout, parts: Mapping[Any, KeyPart]) -> Sequence[KeyAttribute]:
    """The sort attributes with a condition: the first of the key, as many as there are conditions."""
    keys, count, partition = layout.keys, len(parts), len(layout.partition)
    if count > len(keys):
        raise validation(
            f"The number of query conditions ({count}) exceeds "
            f"the number of key attributes defined in the schema ({len(keys)})"
        )
    if partition > 1 or len(layout.sort) > 1:
        _check_equalities(layout, parts)
    for attribute in keys[: max(count, partition)]:
        if attribute.name not in parts:
            raise validation(f"Query condition missed key schema element: {attribute.name}")
    return layout.sort[: count - partition]


def _check_equalities(layout: RowLayout, parts: Mapping[Any, KeyPart]) -> None:
    """Raise for attributes of a key of several without the equality that a condition on another one needs."""
    conditioned = [position for position, attribute in enumerate(layout.keys) if attribute.name in parts]
    if not conditioned:
        return
    last = conditioned[-1]
    missing = [
        attribute
        for position, attribute in enumerate(layout.keys)
        if (position < last and not _is_equality(parts.get(attribute.name)))
        or (position > last and attribute in layout.partition)
    ]
    for kind, attributes in (("HASH", layout.partition), ("RANGE", layout.sort)):
        names = [attribute.name for attribute in missing if attribute in attributes]
        if names:
            raise validation(
                f"{kind} key attributes {', '.join(names)} must have equality conditions specified in the query "
                f"because a condition is present on key attribute {layout.keys[last].name}"
            )


def _is_equality(part: KeyPart | None) -> bool:
    return part is not None and part.operator == "="


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
            raise validation(texts.SORT_KEY_TOO_LONG)
        if longest > PARTITION_KEY_BYTES:
            raise validation(texts.PARTITION_KEY_TOO_LONG)
    return raws


def _empty_key_text(layout: RowLayout, attribute: KeyAttribute) -> str:
    if layout.name is None:
        return texts.empty_key(attribute.name, attribute.type)
    return texts.empty_index_key(attribute.name, attribute.type, layout.name)


def _sort_range(partition: bytes, start: bytes, operator: str, values: list[bytes]) -> KeyRange:
    bounds = _BOUNDS.get(operator)
    if bounds is None:
        raise validation(texts.UNSUPPORTED_CONDITION)
    return bounds(partition, start, *values)


def _equal(partition: bytes, start: bytes, value: bytes) -> KeyRange:
    low = start + terminate(value)
    return KeyRange(partition, low, prefix_end(low))


def _begins_with(partition: bytes, start: bytes, prefix: bytes) -> KeyRange:
    # Without the end that completes a value.
    low = start + terminate(prefix)[:-2]
    return KeyRange(partition, low, prefix_end(low))


_BOUNDS: Final[dict[str, Callable[..., KeyRange]]] = {
    "=": _equal,
    "<": lambda partition, start, value: KeyRange(partition, start, start + terminate(value)),
    "<=": lambda partition, start, value: KeyRange(partition, start, prefix_end(start + terminate(value))),
    # After every row with the value, which ends in two zero bytes.
    ">": lambda partition, start, value: KeyRange(
        partition, (start + terminate(value))[:-1] + b"\x01", prefix_end(start)
    ),
    ">=": lambda partition, start, value: KeyRange(partition, start + terminate(value), prefix_end(start)),
    "BETWEEN": lambda partition, start, low, high: KeyRange(
        partition, start + terminate(low), prefix_end(start + terminate(high))
    ),
    "begins_with": _begins_with,
}


def read_start_key(request: Request, *, newer: bool = True) -> WireItem | None:
    """The ExclusiveStartKey of a request, with normalised values; raises for invalid values."""
    start_key = request.get("ExclusiveStartKey")
    if start_key is None:
        return None
    try:
        return check_item(start_key)[0]
    except ServiceError as error:
        if error.code != "ValidationException" or newer:
            raise
        reason = with_older_wording(error).message
        raise validation(texts.invalid_start_key(str(reason))) from None


def start_position(table: Table, layout: RowLayout, start: WireItem, *, newer: bool = True) -> bytes:
    """The row key of an ExclusiveStartKey; raises if it does not match the key schema."""
    mismatch = texts.START_KEY_INVALID if newer else texts.invalid_start_key(texts.KEY_MISMATCH)
    attributes = {attribute.name: attribute for attribute in (*layout.keys, *layout.base)}
    if start.keys() != attributes.keys():
        raise validation(mismatch)
    for name, attribute in attributes.items():
        value = start[name]
        if attribute.type not in value:
            raise validation(mismatch)
        if not value[attribute.type]:
            raise validation(texts.invalid_start_key(texts.empty_key(name, attribute.type)))
    position = layout.key_of(start)
    return position if layout.kind == "table" else position + table.layout.key_of(start)


def check_within(keys: KeyRange, position: bytes) -> None:
    """Raise for an ExclusiveStartKey outside of the range of the query."""
    if not position.startswith(keys.partition):
        raise validation("The provided starting key is outside query boundaries based on provided conditions")
    if position < keys.low or (keys.high is not None and position >= keys.high):
        raise validation("The provided starting key does not match the range key predicate")
