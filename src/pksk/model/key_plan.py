"""Plans a question on one key: its partitions, the condition on the sort key, and what is left to a filter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pksk.errors import BoundsError, InvalidValue, did_you_mean
from pksk.keys import Bounds, Filter, Operator, ScalarKey, Template
from pksk.keys.operators import eq
from pksk.model.entity_key import EntityKey, KeyPart
from pksk.model.partitions import partitions

__all__ = ["KeyPlan", "plan_key"]


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """Where the answer stands: in these partitions, within these bounds, behind these filters."""

    key: EntityKey
    partitions: tuple[dict[str, Any], ...]
    sort: tuple[tuple[str, Bounds], ...]
    filters: tuple[Filter, ...]
    reasons: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """Whether the key conditions alone answer the question, for rows of this entity."""
        return not self.filters


def plan_key(key: EntityKey, given: Mapping[str, Any], where: str) -> KeyPlan:
    """The plan for a question on one key, or the error that says why there is none."""
    _check_names(key, given, where)
    found = tuple(partitions(key, given, where))
    sort, used = _sort(key, given, where)
    filters = {each.field: each for _, bounds in sort for each in bounds.filters}
    reasons = [bounds.reason for _, bounds in sort if bounds.reason]
    for field in _vague(key, given, used):
        filters.setdefault(field, Filter(field, _operator(given[field])))
        reasons.append(f"the partition key holds only a piece of {field!r}")
    return KeyPlan(key, found, sort, tuple(filters.values()), tuple(dict.fromkeys(reasons)))


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


def _sort(
    key: EntityKey, given: Mapping[str, Any], where: str
) -> tuple[tuple[tuple[str, Bounds], ...], set[str]]:
    """The condition on each sort attribute, from the left, as far as the question reaches; and fields it uses."""
    found: list[tuple[str, Bounds]] = []
    used: set[str] = set()
    decided = {field for part in key.partition for field in part.fields}
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


def _vague(key: EntityKey, given: Mapping[str, Any], used: set[str]) -> list[str]:
    """Given fields that the partition key holds only in pieces, and that the sort key does not settle."""
    whole = {field for part in key.partition for field in _whole(part.writer)}
    pieces = {field for part in key.partition for field in part.fields}
    return [field for field in given if field in pieces - whole - used]


def _whole(writer: Template | ScalarKey) -> list[str]:
    if isinstance(writer, ScalarKey):
        return [writer.field]
    return [part.field for part in writer.parts if not part.lossy]
