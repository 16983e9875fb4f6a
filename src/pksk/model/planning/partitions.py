"""Finds the partitions that a query reads: one, or several where a key has shards or time buckets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, NoReturn, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import BoundsError
from pksk.keys import Operator, ScalarKey
from pksk.keys.compiled import check_size
from pksk.keys.parts.part import Part
from pksk.keys.parts.slices import SlicePart
from pksk.keys.parts.times import DatePart
from pksk.model.entity_key import SHARD_FIELD, EntityKey, KeyPart

# To read more partitions, use a scan or an export.
MAX_PARTITIONS = 1000


# A placeholder, and its text in one partition.
Piece: TypeAlias = tuple[Part, str]


@dataclass(frozen=True)
class Partition:
    """The partition key attributes of one partition; those of one `group` differ in their shard alone."""

    attributes: dict[str, Any]
    group: tuple[str, ...] = ()


def partition_of(attributes: dict[str, Any]) -> Partition:
    """A partition in a group of its own, made without the __init__ of the frozen dataclass."""
    partition = object.__new__(Partition)
    partition.__dict__["attributes"] = attributes
    return partition


def partitions(key: EntityKey, values: Mapping[str, Any], where: str) -> list[Partition]:
    """Every partition that a query reads: time buckets in order, and the shards of each."""
    choices = [_choices(key, part, values, where) for part in key.partition]
    count = prod(len(texts) for part in choices for texts in part)
    if count > MAX_PARTITIONS:
        raise BoundsError(
            "plan-fan-out",
            f"{where}: the query reads {count:,} partitions, and at most {MAX_PARTITIONS:,} are allowed.",
            fix="query a shorter range, or use a coarser bucket.",
        )
    every = [
        Partition(
            {part.attribute: value for part, (value, _) in zip(key.partition, combination, strict=True)},
            tuple(text for _, pieces in combination for each, text in pieces if each.field != SHARD_FIELD),
        )
        for combination in product(
            *(_attribute_values(*each) for each in zip(key.partition, choices, strict=True))
        )
        if _spans_overlap([piece for _, pieces in combination for piece in pieces])
    ]
    positions = {
        group: position for position, group in enumerate(dict.fromkeys(each.group for each in every))
    }
    return sorted(every, key=lambda each: positions[each.group])


def _choices(key: EntityKey, part: KeyPart, values: Mapping[str, Any], where: str) -> list[list[Any]]:
    """Every text that each placeholder of a partition key attribute can have."""
    if isinstance(part.writer, ScalarKey):
        return [list(_scalar_values(part.writer, values, where))]
    return [list(_part_texts(key, each, values, where)) for each in part.writer.parts]


def _attribute_values(part: KeyPart, choices: list[list[Any]]) -> Iterator[tuple[Any, list[Piece]]]:
    """Every value of an attribute, with the placeholders and texts that it consists of."""
    if isinstance(part.writer, ScalarKey):
        yield choices[0][0], []
        return
    template = part.writer
    for texts in product(*choices):
        pieces = [template.literals[0]]
        for text, after in zip(texts, template.literals[1:], strict=True):
            pieces += [text, after]
        yield check_size(template, "".join(pieces)), list(zip(template.parts, texts, strict=True))


def _spans_overlap(pieces: Sequence[Piece]) -> bool:
    """Whether a time that the key holds twice, such as month and week, can have both texts: whether they overlap."""
    spans: dict[str, list[tuple[Any, Any]]] = {}
    for part, text in pieces:
        if isinstance(part, DatePart):
            spans.setdefault(part.field, []).append(part.span(part.decode(text)))
    return all(
        len(some) == 1 or max(first for first, _ in some) <= min(last for _, last in some)
        for some in spans.values()
    )


def _scalar_values(writer: ScalarKey, values: Mapping[str, Any], where: str) -> Iterator[Any]:
    if writer.field not in values:
        _reject_missing(where, writer.field)
    if isinstance(values[writer.field], Operator):
        _reject_operator(where, writer.field, values[writer.field])
    yield writer.render(values)


def _part_texts(key: EntityKey, part: Part, values: Mapping[str, Any], where: str) -> Iterator[str]:
    if part.field == SHARD_FIELD and key.shard and SHARD_FIELD not in values:
        of = key.shard.of
        known = of is not None and of in values and not isinstance(values[of], Operator)
        numbers = [key.shard.number(dict(values))] if known else range(key.shard.count)
        yield from (part.encode(number) for number in numbers)
    elif part.field not in values:
        _reject_missing(where, part.field)
    elif isinstance(values[part.field], Operator):
        yield from _operator_texts(part, values[part.field], where)
    else:
        yield part.encode(values[part.field])


def _operator_texts(part: Part, operator: Operator, where: str) -> Iterator[str]:
    if isinstance(part, DatePart) and part.ordered and operator.name == "between":
        low, high = part.expand_operator(operator).operands
        yield from _buckets(part, low, high, where)
        return
    if isinstance(part, SlicePart) and part.is_prefix and operator.name == "begins":
        (start,) = operator.operands
        length = part.slice.stop or 0
        if not isinstance(start, str) or len(start) < length:
            raise BoundsError(
                "plan-short-start",
                f"{where}: {operator!r} on field {part.field!r}; "
                f"the partition key holds its first {length} characters.",
                fix=f"pass at least {length} characters.",
            )
        # Not encode: the beginning of a value may be shorter than any value.
        yield part.encode_text(part.cut(part.check_text(start)))
        return
    _reject_operator(where, part.field, operator)


def _buckets(part: DatePart, low: Any, high: Any, where: str) -> Iterator[str]:
    """Every bucket from the one of `low` to the one of `high`."""
    last = part.encode(high)
    if part.incomparable(low, high) or part.is_greater(low, high):
        raise BoundsError(
            "bounds-backwards",
            f"{where}: between({low!r}, {high!r}) on field {part.field!r} ends before it begins, or "
            "mixes times with and without a zone.",
            fix="give the earlier end first.",
        )
    value: Any = low
    for _ in range(MAX_PARTITIONS + 1):
        text = part.encode(value)
        if text > last:
            return
        yield text
        value = part.neighbour(part.span(value)[1], 1)
        if value is None:
            return
    raise BoundsError(
        "plan-fan-out",
        f"{where}: the range from {low} to {high} covers more than {MAX_PARTITIONS} buckets of {part.placeholder}.",
        fix="query a shorter range, or use a coarser bucket.",
    )


def _reject_missing(where: str, field: str) -> NoReturn:
    raise BoundsError(
        "plan-missing-part",
        f"{where}: field {field!r} is a part of the partition key and has no value.",
        fix=f"give {field!r} a value, or use an index whose partition key does not contain it.",
    )


def _reject_operator(where: str, field: str, operator: Operator) -> NoReturn:
    raise BoundsError(
        "plan-partition-operator",
        f"{where}: {operator!r} on field {field!r} of the partition key, which needs a single value.",
        fix="pass a plain value; a time bucket also takes between(), and a key of first characters takes begins().",
    )
