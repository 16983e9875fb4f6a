"""Turns values of leading fields into one condition on the key, and says what it leaves to a filter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from pksk.errors import BoundsError
from pksk.keys.bounds import Bounds, Edge, Edges, Filter, bounds_between, prefix_upper_bound
from pksk.keys.operators import Operator, eq
from pksk.keys.render import check_mapping, check_size, encode_part, refuse_unknown_field

if TYPE_CHECKING:
    from pksk.keys.parts.part import Part
    from pksk.keys.template import Template

__all__ = ["common_prefix", "template_bounds", "unchecked_bounds"]


def common_prefix(template: Template, values: Mapping[str, Any]) -> str:
    """What all keys with these leading values begin with."""
    question = _checked_query(template, values)
    if question.operator is not None:
        _refuse(
            template,
            "bounds-operator",
            f"{question.operator!r} is not a value",
            "give plain values, or use bounds.",
        )
    return question.prefix


def template_bounds(template: Template, values: Mapping[str, Any]) -> Bounds:
    """The condition on the key that answers a question about leading fields."""
    return _bounds_of(_checked_query(template, values))


def unchecked_bounds(
    template: Template, values: Mapping[str, Any], count: int, operator: Operator | None
) -> Bounds:
    """The same for a question that is known to be one: so many parts with plain values, then the operator."""
    return _bounds_of(_KeyQuery(template, values, count, operator))


def _bounds_of(question: _KeyQuery) -> Bounds:
    if question.operator is None:
        return question.answer(_prefix_bounds(question))
    template = question.template
    part = template.parts[question.count]
    operator = question.operator = part.expand_operator(question.operator)
    _check_operator(template, part, operator)
    found = _begins_bounds(question, part) if operator.name == "begins" else _range_bounds(question, part)
    return question.answer(_limit_bounds(template, found, part.field, operator))


def _checked_query(template: Template, values: Mapping[str, Any]) -> _KeyQuery:
    """The question that values are, if they are one."""
    check_mapping(template.where, values)
    for name in values:
        if name not in template.fields:
            refuse_unknown_field(template, name)
    plain = {name: _plain_value(value) for name, value in values.items()}
    count, operator = _leading_values(template, plain)
    _check_gap(template, plain, count, operator)
    return _KeyQuery(template, plain, count, operator)


def _leading_values(template: Template, values: Mapping[str, Any]) -> tuple[int, Operator | None]:
    """How many parts have plain values, and the operator on the part that follows them."""
    for index, part in enumerate(template.parts):
        if part.field not in values:
            return index, None
        if isinstance(values[part.field], Operator):
            return index, values[part.field]
    return len(template.parts), None


def _check_gap(template: Template, values: Mapping[str, Any], count: int, operator: Operator | None) -> None:
    used = {part.field for part in template.parts[: count + (1 if operator else 0)]}
    for name in values:
        if name in used:
            continue
        stop = template.parts[count].field
        state = "has an operator" if operator else "is not given"
        _refuse(
            template, "bounds-gap", f"field {name!r} comes after {stop!r}, which {state}",
            f"give {stop!r} a plain value, or leave {name!r} out and filter by it.",
        )  # fmt: skip


class _KeyQuery:
    """Leading values, at most one operator after them, and nothing else."""

    __slots__ = ("count", "operator", "prefix", "template", "values")

    def __init__(
        self, template: Template, values: Mapping[str, Any], count: int, operator: Operator | None
    ) -> None:
        self.template, self.values, self.count, self.operator = template, values, count, operator
        self.prefix = self._prefix()

    def _prefix(self) -> str:
        literals = self.template.literals
        pieces = [literals[0]]
        for index, part in enumerate(self.template.parts[: self.count], 1):
            pieces += [encode_part(part, self.values), literals[index]]
        prefix = "".join(pieces)
        return check_size(self.template, prefix) if prefix else prefix

    def answer(self, found: Bounds) -> Bounds:
        """The bounds, with a filter for each leading field that the key does not hold in full."""
        vague = self.template.partial_fields[self.count]
        if not vague or found.condition == "none":
            return found
        filters = tuple(Filter(field, eq(self.values[field])) for field in vague)
        reason = f"the key holds only a piece of {', '.join(map(repr, vague))}"
        return replace(found, filters=found.filters + filters, reason=found.reason or reason)


def _plain_value(value: Any) -> Any:
    return value.operands[0] if isinstance(value, Operator) and value.name == "eq" else value


def _refuse(template: Template, code: str, problem: str, fix: str) -> NoReturn:
    raise BoundsError(code, f"{template.where}: {problem}.", fix=fix)


def _prefix_bounds(question: _KeyQuery) -> Bounds:
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


def _check_direction(template: Template, part: Part, low: Any, high: Any) -> None:
    if part.incomparable(low, high):
        _refuse(
            template, "bounds-mixed-zones",
            f"between({low!r}, {high!r}) on field {part.field!r} mixes a time with a zone and one without",
            "give both ends a zone, or neither.",
        )  # fmt: skip
    if part.is_greater(low, high):
        _refuse(
            template, "bounds-backwards",
            f"between({low!r}, {high!r}) on field {part.field!r} ends before it begins",
            f"write between({high!r}, {low!r}).",
        )  # fmt: skip


def _begins_bounds(question: _KeyQuery, part: Part) -> Bounds:
    assert question.operator is not None
    (start,) = question.operator.operands
    text = part.encode_prefix(start)
    if text is None:
        return Bounds("none")
    closed = text + _following_literal(question.template, part) if part.truncates(start) else text
    prefix = question.prefix + closed
    found = Bounds("begins_with", check_size(question.template, prefix)) if prefix else Bounds("all")
    return found if part.prefix_is_exact(start) else _with_filter(question, part, found)


def _following_literal(template: Template, part: Part) -> str:
    return template.literals[template.parts.index(part) + 1]


def _with_filter(question: _KeyQuery, part: Part, found: Bounds) -> Bounds:
    assert question.operator is not None
    if found.condition == "none":
        return found
    reason = (
        f"{part.placeholder} holds only a piece of {part.field!r}"
        if part.lossy
        else f"what follows {part.placeholder} does not sort below every character of it"
        if not part.sorts_in_key
        else "BETWEEN includes its ends, and text has no predecessor"
    )
    return replace(found, filters=(Filter(part.field, question.operator),), reason=reason)


def _range_bounds(question: _KeyQuery, part: Part) -> Bounds:
    assert question.operator is not None
    name, operands = question.operator.name, question.operator.operands
    edges = Edges(question.prefix, part, _following_literal(question.template, part))
    lower: Edge | None
    upper: Edge | None
    if name == "between":
        # The ends first: a value that is none of this part is refused as such.
        lower, upper = edges.from_(operands[0]), edges.to(operands[1])
        _check_direction(question.template, part, *operands)
    elif name in ("gt", "gte"):
        lower, upper = (edges.from_ if name == "gte" else edges.after)(operands[0]), edges.last()
    else:
        lower, upper = edges.first(), (edges.to if name == "lte" else edges.before)(operands[0])
    if lower is None or upper is None:
        return Bounds("none")
    found = bounds_between(lower, upper)
    return found if lower.exact and upper.exact else _with_filter(question, part, found)


def _limit_bounds(template: Template, found: Bounds, field: str, operator: Operator) -> Bounds:
    """The bounds with keys that DynamoDB takes: one that is too long is cut, and the rest left to a filter."""
    if _certainly_fits(found.lower, template.limit) and _certainly_fits(found.upper, template.limit):
        return found
    lower, upper = _truncate(found.lower, template.limit), _truncate(found.upper, template.limit)
    if (lower, upper) == (found.lower, found.upper):
        return found
    if found.condition == "=":
        return Bounds("none")
    if upper != found.upper:
        upper = _upper_bound_within(upper, template.limit)
    wider = bounds_between(Edge(lower), Edge(upper))
    reason = f"the exact bound is longer than {template.limit} bytes"
    return replace(wider, filters=found.filters or (Filter(field, operator),), reason=found.reason or reason)


def _upper_bound_within(text: str, limit: int) -> str | None:
    above = prefix_upper_bound(text)
    while above is not None and len(above.encode()) > limit:
        text = text[:-1]
        above = prefix_upper_bound(text)
    return above


def _certainly_fits(key: str | None, limit: int) -> bool:
    """Whether the key fits without being encoded: no character has more than four bytes."""
    return key is None or 4 * len(key) <= limit


def _truncate(key: str | None, limit: int) -> Any:
    if key is None:
        return None
    data = key.encode()
    return key if len(data) <= limit else data[:limit].decode(errors="ignore")
