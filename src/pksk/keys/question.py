"""Turns a question about leading fields into one condition on the key, and says what it leaves to a filter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from pksk.errors import BoundsError
from pksk.keys.bounds import Bounds, Filter, raised
from pksk.keys.edges import Edge, Edges, condition
from pksk.keys.matching import determines
from pksk.keys.operators import Operator, eq
from pksk.keys.rendering import check_mapping, check_size, encode_part, refuse_unknown

if TYPE_CHECKING:
    from pksk.keys.parts.part import Part
    from pksk.keys.template import Template

__all__ = ["bounds", "leading"]


def leading(template: Template, values: Mapping[str, Any]) -> str:
    """What all keys with these leading values begin with."""
    question = _Question(template, values)
    if question.operator is not None:
        _refuse(
            template,
            "bounds-operator",
            f"{question.operator!r} is not a value",
            "give plain values, or use bounds.",
        )
    return question.prefix


def bounds(template: Template, values: Mapping[str, Any]) -> Bounds:
    """The condition on the key that answers a question about leading fields."""
    question = _Question(template, values)
    if question.operator is None:
        return question.answer(_leading_bounds(question))
    part = template.parts[question.count]
    question.operator = part.spread(question.operator)
    _check_operator(template, part, question.operator)
    found = _begins(question, part) if question.operator.name == "begins" else _range(question, part)
    return question.answer(_within_limit(template, found, Filter(part.field, question.operator)))


class _Question:
    """Leading values, at most one operator after them, and nothing else."""

    def __init__(self, template: Template, values: Mapping[str, Any]) -> None:
        check_mapping(template.where, values)
        values = {name: _plain(value) for name, value in values.items()}
        for name in values:
            if name not in template.fields:
                refuse_unknown(template, name)
        self.template, self.values = template, values
        self.count = self._count()
        self.operator = self._operator()
        self._check_gap()
        self.prefix = self._prefix()

    def _count(self) -> int:
        for index, part in enumerate(self.template.parts):
            if part.field not in self.values or isinstance(self.values[part.field], Operator):
                return index
        return len(self.template.parts)

    def _operator(self) -> Operator | None:
        if self.count == len(self.template.parts):
            return None
        operator = self.values.get(self.template.parts[self.count].field)
        return operator if isinstance(operator, Operator) else None

    def _check_gap(self) -> None:
        parts = self.template.parts
        used = {part.field for part in parts[: self.count + (1 if self.operator else 0)]}
        for name in self.values:
            if name in used:
                continue
            stop = parts[self.count].field
            what = f"field {name!r} comes after {stop!r}, which " + (
                "has an operator" if self.operator else "is not given"
            )
            _refuse(
                self.template, "bounds-gap", what,
                f"give {stop!r} a plain value, or leave {name!r} out and filter by it.",
            )  # fmt: skip

    def _prefix(self) -> str:
        pieces = [self.template.literals[0]]
        for part, after in zip(self.template.parts[: self.count], self.template.literals[1:], strict=False):
            pieces += [encode_part(part, self.values), after]
        prefix = "".join(pieces)
        return check_size(self.template, prefix) if prefix else prefix

    def answer(self, found: Bounds) -> Bounds:
        """The bounds, with a filter for each leading field that the key does not hold in full."""
        parts = self.template.parts[: self.count]
        fields = {part.field for part in parts}
        vague = {field for field in fields if not determines([part for part in parts if part.field == field])}
        if not vague or found.condition == "none":
            return found
        filters = tuple(Filter(field, eq(self.values[field])) for field in sorted(vague))
        reason = f"the key holds only a piece of {', '.join(map(repr, sorted(vague)))}"
        return replace(found, filters=found.filters + filters, reason=found.reason or reason)


def _plain(value: Any) -> Any:
    return value.operands[0] if isinstance(value, Operator) and value.name == "eq" else value


def _refuse(template: Template, code: str, problem: str, fix: str) -> NoReturn:
    raise BoundsError(code, f"{template.where}: {problem}.", fix=fix)


def _leading_bounds(question: _Question) -> Bounds:
    if question.count == len(question.template.parts):
        return Bounds("=", check_size(question.template, question.prefix))
    return Bounds("begins_with", question.prefix) if question.prefix else Bounds("all")


def _check_operator(template: Template, part: Part, operator: Operator) -> None:
    if operator.name == "begins":
        if part.type_name != "str" or not part.ordered:
            _refuse(
                template, "bounds-operator",
                f"{operator!r} on field {part.field!r}, which {part.placeholder} writes as {part.type_name}",
                "begins works on whole text or its first characters; use between for anything else.",
            )  # fmt: skip
        return
    if not part.ordered:
        _refuse(
            template, "bounds-unordered",
            f"{operator!r} on field {part.field!r}: {part.unordered_because}",
            "change the part so that it sorts, or query by the parts before it and filter.",
        )  # fmt: skip
    if operator.name == "between":
        _check_direction(template, part, *operator.operands)


def _check_direction(template: Template, part: Part, low: Any, high: Any) -> None:
    part.encode(low), part.encode(high)
    if part.mixes(low, high):
        _refuse(
            template, "bounds-mixed-zones",
            f"between({low!r}, {high!r}) on field {part.field!r} mixes a time with a zone and one without",
            "give both ends a zone, or neither.",
        )  # fmt: skip
    if part.above(low, high):
        _refuse(
            template, "bounds-backwards",
            f"between({low!r}, {high!r}) on field {part.field!r} ends before it begins",
            f"write between({high!r}, {low!r}).",
        )  # fmt: skip


def _begins(question: _Question, part: Part) -> Bounds:
    assert question.operator is not None
    (start,) = question.operator.operands
    text = part.encode_start(start)
    if text is None:
        return Bounds("none")
    closed = text + _closing(question.template, part) if part.cuts_off(start) else text
    prefix = question.prefix + closed
    found = Bounds("begins_with", check_size(question.template, prefix)) if prefix else Bounds("all")
    return found if part.start_is_exact(start) else _filtered(question, part, found)


def _closing(template: Template, part: Part) -> str:
    return template.literals[template.parts.index(part) + 1]


def _filtered(question: _Question, part: Part, found: Bounds) -> Bounds:
    assert question.operator is not None
    if found.condition == "none":
        return found
    reason = (
        f"{part.placeholder} holds only a piece of {part.field!r}"
        if part.lossy
        else f"what follows {part.placeholder} does not sort below every character of it"
        if not part.sorts_here
        else "BETWEEN includes its ends, and text has no predecessor"
    )
    return replace(found, filters=(Filter(part.field, question.operator),), reason=reason)


def _range(question: _Question, part: Part) -> Bounds:
    assert question.operator is not None
    name, operands = question.operator.name, question.operator.operands
    edges = Edges(question.prefix, part, _closing(question.template, part))
    lower: Edge | None
    upper: Edge | None
    if name == "between":
        lower, upper = edges.from_(operands[0]), edges.to(operands[1])
    elif name in ("gt", "gte"):
        lower, upper = (edges.from_ if name == "gte" else edges.after)(operands[0]), edges.last()
    else:
        lower, upper = edges.first(), (edges.to if name == "lte" else edges.before)(operands[0])
    if lower is None or upper is None:
        return Bounds("none")
    found = condition(lower, upper)
    return found if lower.exact and upper.exact else _filtered(question, part, found)


def _within_limit(template: Template, found: Bounds, leftover: Filter) -> Bounds:
    """The bounds with keys that DynamoDB takes: one that is too long is cut, and the rest left to a filter."""
    lower, upper = _cut(found.lower, template.limit), _cut(found.upper, template.limit)
    if (lower, upper) == (found.lower, found.upper):
        return found
    if found.condition == "=":
        return Bounds("none")
    if upper != found.upper:
        upper = _raised_within(upper, template.limit)
    wider = condition(Edge(lower), Edge(upper))
    reason = f"the exact bound is longer than {template.limit} bytes"
    return replace(wider, filters=found.filters or (leftover,), reason=found.reason or reason)


def _raised_within(text: str, limit: int) -> str | None:
    above = raised(text)
    while above is not None and len(above.encode()) > limit:
        text = text[:-1]
        above = raised(text)
    return above


def _cut(key: str | None, limit: int) -> Any:
    if key is None:
        return None
    data = key.encode()
    return key if len(data) <= limit else data[:limit].decode(errors="ignore")
