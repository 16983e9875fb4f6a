"""Plans a question on one key: its partitions, the condition on the sort key, and what is left to a filter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pksk.errors import BoundsError, InvalidValue, did_you_mean
from pksk.keys import Bounds, Filter, Operator, ScalarKey, Template
from pksk.keys.matching import determines
from pksk.keys.operators import eq
from pksk.keys.parts.part import Part
from pksk.keys.parts.times import DatePart
from pksk.model.entity_key import EntityKey, KeyPart
from pksk.model.partitions import partitions

__all__ = ["KeyPlan", "plan_key"]

# The condition on each sort key attribute, as far as there are any.
SortBounds: TypeAlias = tuple[tuple[str, Bounds], ...]


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """Where the answer stands: in these partitions, within these bounds, behind these filters."""

    key: EntityKey
    partitions: tuple[dict[str, Any], ...]
    sort: SortBounds
    filters: tuple[Filter, ...]
    reasons: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """Whether the key conditions alone answer the question, for rows of this entity."""
        return not self.filters


def plan_key(key: EntityKey, given: Mapping[str, Any], where: str) -> KeyPlan:
    """The plan for a question on one key, or the error that says why there is none."""
    _check_names(key, given, where)
    given = _spread(key, given)
    found = tuple(partitions(key, given, where))
    sort, used = _sort(key, given, where)
    filters = {
        each.field: each for _, bounds in sort for each in bounds.filters if not _settled(key, sort, each)
    }
    reasons = [bounds.reason for _, bounds in sort if bounds.reason]
    # What the partition key holds only in pieces, and the sort key does not settle.
    for field in [name for name in given if name in key.pieces and name not in used]:
        left = Filter(field, _operator(given[field]))
        if not _settled(key, sort, left) and not _whole_buckets(key, left):
            filters.setdefault(field, left)
            reasons.append(f"the partition key holds only a piece of {field!r}")
    return KeyPlan(
        key, found, sort, tuple(filters.values()), tuple(dict.fromkeys(reasons)) if filters else ()
    )


def _settled(key: EntityKey, sort: SortBounds, left: Filter) -> bool:
    """Whether the pieces of a field, in partition and sort key together, leave only the value asked for."""
    fixed = {attribute for attribute, bounds in sort if bounds.condition == "="}
    parts = [*key.partition, *(part for part in key.sort if part.attribute in fixed)]
    return left.operator.name == "eq" and determines(_parts_of(parts, left.field))


def _whole_buckets(key: EntityKey, left: Filter) -> bool:
    """Whether a span begins and ends where buckets of the partition key do."""
    if left.operator.name != "between":
        return False
    low, high = left.operator.operands
    parts = _parts_of(key.partition, left.field)
    return all(
        isinstance(part, DatePart) and part.begins_span(low) and part.ends_span(high) for part in parts
    )


def _parts_of(parts: Iterable[KeyPart], field: str) -> list[Part]:
    """The placeholders of a field in the templates of some key attributes."""
    writers = [part.writer for part in parts]
    return [
        each
        for writer in writers
        if isinstance(writer, Template)
        for each in writer.parts
        if each.field == field
    ]


def _spread(key: EntityKey, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The question with the beginnings of dates as spans: every key attribute must understand it alike."""
    asked = {
        name: value for name, value in given.items() if isinstance(value, Operator) and value.name == "begins"
    }
    if not asked:
        return given
    for part in key.parts:
        for each in part.writer.parts if isinstance(part.writer, Template) else ():
            if each.field in asked:
                asked[each.field] = each.spread(asked[each.field])
    return {**given, **asked}


def _operator(value: Any) -> Operator:
    return value if isinstance(value, Operator) else eq(value)


def _check_names(key: EntityKey, given: Mapping[str, Any], where: str) -> None:
    for name in given:
        if name not in key.fields:
            near = did_you_mean(name, key.fields)
            raise InvalidValue(
                "key-unknown-part",
                f"{where}: field {name!r} is not a part of this key.",
                expected=f"Its parts are: {', '.join(key.fields) or 'none'}.",
                fix=f"did you mean {near!r}?" if near else "filter by it, or use where().",
            )


def _sort(key: EntityKey, given: Mapping[str, Any], where: str) -> tuple[SortBounds, set[str]]:
    """The condition on each sort attribute, from the left, as far as the question reaches; and fields it uses."""
    found: list[tuple[str, Bounds]] = []
    used: set[str] = set()
    decided = set(key.partition_fields)
    open_since = ""
    for part in key.sort:
        asked = {field: given[field] for field in part.fields if field in given}
        fresh = [field for field in asked if field not in decided]
        if open_since and fresh:
            raise BoundsError(
                "bounds-gap",
                f"{where}: field {fresh[0]!r} stands in {part.attribute!r}, behind {open_since!r}, which is not fixed.",
                fix=f"give all of {open_since!r} plain values, or leave {fresh[0]!r} out and filter by it.",
            )
        if open_since:
            continue
        leading = _leading(part, asked, decided)
        bounds = part.writer.bounds(leading)
        used |= set(leading)
        if bounds.condition != "all":
            found.append((part.attribute, bounds))
        if bounds.condition != "=":
            open_since = part.attribute
    return tuple(found), used


def _leading(part: KeyPart, asked: Mapping[str, Any], decided: set[str]) -> dict[str, Any]:
    """What of the question the sort key can use: a field that the partition decides may stand behind a gap."""
    if isinstance(part.writer, ScalarKey):
        return dict(asked)
    usable: dict[str, Any] = {}
    for each in part.writer.parts:
        if each.field not in asked:
            break
        usable[each.field] = asked[each.field]
        if isinstance(asked[each.field], Operator):
            break
    rest = {field: value for field, value in asked.items() if field not in usable and field not in decided}
    return {**usable, **rest}
