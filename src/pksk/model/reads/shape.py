"""The shape of a question on one key: which fields are given and which of them are ranges, whatever the values.

All that follows from the shape alone is found out once for each, and most programs ask in few shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pksk.errors import BoundsError, InvalidValue, did_you_mean
from pksk.keys import Bounds, Operator, ScalarKey, Template
from pksk.model.entity_key import EntityKey, KeyPart

__all__ = ["Shape", "SortBounds", "bounded", "shape_of"]


Find: TypeAlias = Callable[[Mapping[str, Any]], Bounds]

# The condition on each sort key attribute, as far as there are any.
SortBounds: TypeAlias = tuple[tuple[str, Bounds], ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """Whether plain values name one partition, and how they write it; how to bound each sort attribute; what is vague.

    `vague` are the fields that the partition key holds only in pieces, and the sort key does not use; `fixed` are the
    bounds of the sort key where no value has a say in them.
    """

    one_partition: bool
    partition: tuple[tuple[str, Callable[[Mapping[str, Any]], Any]], ...]
    sort: tuple[tuple[str, Find], ...]
    vague: tuple[str, ...]
    fixed: SortBounds | None = None


def shape_of(key: EntityKey, given: Mapping[str, Any], where: str) -> Shape:
    """The shape of a question, refused where no values could make it one that the key answers."""
    asked = tuple([(name, value.__class__ is Operator) for name, value in given.items()])
    found = key.shapes.get(asked)
    if found is None:
        found = key.shapes[asked] = _shape(key, dict(asked), where)
        if found.one_partition and not found.vague and not any(ranged for _, ranged in asked):
            key.plain_shapes[tuple(given)] = found
    made: Shape = found
    return made


def _shape(key: EntityKey, ranged: Mapping[str, bool], where: str) -> Shape:
    _check_names(key, ranged, where)
    # What is not given is as good as a range here: it is refused where the partitions are worked out.
    plain = not any(ranged.get(name, True) for name in key.partition_fields)
    sort = _sort(key, ranged, where)
    used = {field for _, fields in sort for field in fields}
    vague = tuple(name for name in ranged if name in key.pieces and name not in used)
    finds = tuple((part.attribute, _find(part.writer, fields, ranged)) for part, fields in sort)
    fixed = None if used else bounded(finds, {})
    one = plain and key.shard is None
    writes = tuple((part.attribute, part.writer.render) for part in key.partition) if one else ()
    return Shape(one, writes, finds, vague, fixed)


def bounded(sort: tuple[tuple[str, Find], ...], given: Mapping[str, Any]) -> SortBounds:
    """The condition on each sort key attribute, as far as there are any."""
    bounds = [(name, find(given)) for name, find in sort]
    return tuple([each for each in bounds if each[1].condition != "all"])


def _find(writer: Template | ScalarKey, fields: tuple[str, ...], ranged: Mapping[str, bool]) -> Find:
    """The function that bounds one attribute, from values in this shape."""
    if isinstance(writer, Template) and set(fields) <= set(writer.fields):
        ends = [index for index, part in enumerate(writer.parts) if ranged.get(part.field, True)]
        count = ends[0] if ends else len(writer.parts)
        last = writer.parts[count].field if ends and writer.parts[count].field in fields else None
        if {*(part.field for part in writer.parts[:count]), *([last] if last else ())} == set(fields):
            return _bounds_at(writer, count, last)
    return lambda given: writer.bounds({field: given[field] for field in fields})


def _bounds_at(writer: Template, count: int, last: str | None) -> Find:
    """The function for so many plain parts and then a range, if there is one."""
    if last is None and count == len(writer.parts) and not writer.vague[count]:
        # The whole key, by the function that is compiled for it.
        return lambda given: Bounds("=", writer.render(given))
    return lambda given: writer.bounds_at(given, count, given[last] if last else None)


def _check_names(key: EntityKey, asked: Mapping[str, bool], where: str) -> None:
    for name in asked:
        if name not in key.fields:
            near = did_you_mean(name, key.fields)
            raise InvalidValue(
                "key-unknown-part",
                f"{where}: field {name!r} is not a part of this key.",
                expected=f"Its parts are: {', '.join(key.fields) or 'none'}.",
                fix=f"did you mean {near!r}?" if near else "filter by it, or use where().",
            )


def _sort(key: EntityKey, ranged: Mapping[str, bool], where: str) -> list[tuple[KeyPart, tuple[str, ...]]]:
    """The fields that each sort attribute can use, from the left, as far as the question reaches."""
    found: list[tuple[KeyPart, tuple[str, ...]]] = []
    open_since = ""
    for part in key.sort:
        asked = [field for field in part.fields if field in ranged]
        fresh = [field for field in asked if field not in key.partition_fields]
        if open_since and fresh:
            raise BoundsError(
                "bounds-gap",
                f"{where}: field {fresh[0]!r} stands in {part.attribute!r}, behind {open_since!r}, which is not fixed.",
                fix=f"give all of {open_since!r} plain values, or leave {fresh[0]!r} out and filter by it.",
            )
        if open_since:
            continue
        found.append((part, _leading(part, asked, ranged, key.partition_fields)))
        if len(asked) < len(part.fields) or any(ranged[field] for field in asked):
            open_since = part.attribute
    return found


def _leading(
    part: KeyPart, asked: list[str], ranged: Mapping[str, bool], decided: tuple[str, ...]
) -> tuple[str, ...]:
    """What of the question a sort attribute can use: a field that the partition decides may stand behind a gap."""
    if isinstance(part.writer, ScalarKey):
        return tuple(asked)
    usable: list[str] = []
    for each in part.writer.parts:
        if each.field not in asked:
            break
        usable.append(each.field)
        if ranged[each.field]:
            break
    rest = [field for field in asked if field not in usable and field not in decided]
    return tuple(dict.fromkeys([*usable, *rest]))
