"""Finds the partitions that a question touches: one, or several where a key has shards or time buckets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, NoReturn

from pksk.errors import BoundsError
from pksk.keys import Operator, ScalarKey
from pksk.keys.parts.part import Part
from pksk.keys.parts.slices import SlicePart
from pksk.keys.parts.times import DatePart
from pksk.model.entity_key import EntityKey, KeyPart
from pksk.model.shard import SHARD_FIELD

__all__ = ["MOST_PARTITIONS", "partitions"]

# A question over more is a job for a scan or an export, and should say so.
MOST_PARTITIONS = 1000


def partitions(key: EntityKey, given: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """The values of the partition key attributes, one dict for each partition."""
    choices = [list(_values(key, part, given, where)) for part in key.partition]
    found = [
        dict(zip((part.attribute for part in key.partition), values, strict=True))
        for values in product(*choices)
    ]
    if len(found) > MOST_PARTITIONS:
        raise BoundsError(
            "plan-fan-out",
            f"{where}: the question touches {len(found)} partitions; {MOST_PARTITIONS} are allowed.",
            fix="ask for a shorter span, or use a coarser bucket.",
        )
    return found


def _values(key: EntityKey, part: KeyPart, given: Mapping[str, Any], where: str) -> Iterator[Any]:
    if isinstance(part.writer, ScalarKey):
        yield from _scalar(part.writer, given, where)
        return
    template = part.writer
    texts = [list(_texts(key, each, given, where)) for each in template.parts]
    for chosen in product(*texts):
        pieces = [template.literals[0]]
        for text, after in zip(chosen, template.literals[1:], strict=True):
            pieces += [text, after]
        yield "".join(pieces)


def _scalar(writer: ScalarKey, given: Mapping[str, Any], where: str) -> Iterator[Any]:
    if writer.field not in given:
        _refuse_missing(where, writer.field)
    if isinstance(given[writer.field], Operator):
        _refuse_operator(where, writer.field, given[writer.field])
    yield writer.render(given)


def _texts(key: EntityKey, part: Part, given: Mapping[str, Any], where: str) -> Iterator[str]:
    if part.field == SHARD_FIELD and key.shard and SHARD_FIELD not in given:
        yield from (part.encode(number) for number in range(key.shard.count))
    elif part.field not in given:
        _refuse_missing(where, part.field)
    elif isinstance(given[part.field], Operator):
        yield from _operated(part, given[part.field], where)
    else:
        yield part.encode(given[part.field])


def _operated(part: Part, operator: Operator, where: str) -> Iterator[str]:
    if isinstance(part, DatePart) and part.ordered and operator.name == "between":
        low, high = operator.operands
        yield from _buckets(part, low, high, where)
        return
    if isinstance(part, SlicePart) and part.is_prefix and operator.name == "begins":
        (start,) = operator.operands
        if len(start) >= (part.slice.stop or 0):
            yield part.encode(start)
            return
    _refuse_operator(where, part.field, operator)


def _buckets(part: DatePart, low: Any, high: Any, where: str) -> Iterator[str]:
    """Every bucket from the one of `low` to the one of `high`."""
    last = part.encode(high)
    value: Any = low
    for _ in range(MOST_PARTITIONS + 1):
        text = part.encode(value)
        if text > last:
            return
        yield text
        value = part.step(part.span(value)[1], 1)
        if value is None:
            return
    raise BoundsError(
        "plan-fan-out",
        f"{where}: the span from {low} to {high} has more than {MOST_PARTITIONS} buckets of {part.placeholder}.",
        fix="ask for a shorter span, or use a coarser bucket.",
    )


def _refuse_missing(where: str, field: str) -> NoReturn:
    raise BoundsError(
        "plan-missing-part",
        f"{where}: field {field!r} is needed to know the partition, and is not given.",
        fix=f"give {field!r} a value, or use an index whose partition key does without it.",
    )


def _refuse_operator(where: str, field: str, operator: Operator) -> NoReturn:
    raise BoundsError(
        "plan-partition-operator",
        f"{where}: {operator!r} on field {field!r}, which decides the partition; a query reads one value of it.",
        fix="give a plain value; a time bucket also takes between(), and first characters take begins().",
    )
