"""Turns values of leading fields into one condition on the key, plus filters for what it cannot express."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from pksk.errors import BoundsError
from pksk.keys.bounds import Bounds, Edge, Edges, Filter, bounds_between, prefix_upper_bound
from pksk.keys.compiled import check_mapping, check_size, encode_part, reject_unknown_field
from pksk.keys.operators import Operator, eq
from pksk.keys.parts.part import Part

if TYPE_CHECKING:
    from pksk.keys.template import Template


def common_prefix(template: Template, values: Mapping[str, Any]) -> str:
    """The common prefix of all keys with these leading values."""
    query = _checked_query(template, values)
    if query.operator is not None:
        _reject(
            template,
            "bounds-operator",
            f"{query.operator!r} is not a value",
            "pass plain values, or use bounds.",
        )
    return query.prefix


def template_bounds(template: Template, values: Mapping[str, Any]) -> Bounds:
    """The condition on the key for a query by leading fields."""
    return _bounds_of(_checked_query(template, values))


def unchecked_bounds(
    template: Template, values: Mapping[str, Any], count: int, operator: Operator | None
) -> Bounds:
    """The same without checks: `count` parts have plain values, the next one has the operator."""
    return _bounds_of(_KeyQuery(template, values, count, operator))


def _bounds_of(query: _KeyQuery) -> Bounds:
    if query.operator is None:
        return query.answer(_prefix_bounds(query))
    template = query.template
    part = template.parts[query.count]
    operator = query.operator = part.expand_operator(query.operator)
    _check_operator(template, part, operator)
    bounds = _begins_bounds(query, part) if operator.name == "begins" else _range_bounds(query, part)
    return query.answer(_limit_bounds(template, bounds, part.field, operator))


def _checked_query(template: Template, values: Mapping[str, Any]) -> _KeyQuery:
    """The query by these values, after checks."""
    check_mapping(template.where, values)
    for name in values:
        if name not in template.fields:
            reject_unknown_field(template, name)
    plain = {name: _plain_value(value) for name, value in values.items()}
    count, operator = _leading_values(template, plain)
    _check_gap(template, plain, count, operator)
    return _KeyQuery(template, plain, count, operator)


def _leading_values(template: Template, values: Mapping[str, Any]) -> tuple[int, Operator | None]:
    """How many parts have plain values, and the operator on the next part."""
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
        state = "has an operator" if operator else "is missing"
        _reject(
            template, "bounds-gap", f"field {name!r} comes after {stop!r}, which {state}",
            f"pass a plain value for {stop!r}, or leave {name!r} out and filter by it.",
        )  # fmt: skip


class _KeyQuery:
    """Values of leading parts, followed by at most one operator."""

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

    def answer(self, bounds: Bounds) -> Bounds:
        """The bounds, with a filter for each leading field that the key contains only in part."""
        vague = self.template.partial_fields[self.count]
        if not vague or bounds.condition == "none":
            return bounds
        filters = tuple(Filter(field, eq(self.values[field])) for field in vague)
        reason = f"the key contains only a part of {', '.join(map(repr, vague))}"
        return replace(bounds, filters=bounds.filters + filters, reason=bounds.reason or reason)


def _plain_value(value: Any) -> Any:
    return value.operands[0] if isinstance(value, Operator) and value.name == "eq" else value


def _reject(template: Template, code: str, problem: str, fix: str) -> NoReturn:
    raise BoundsError(code, f"{template.where}: {problem}.", fix=fix)


def _prefix_bounds(query: _KeyQuery) -> Bounds:
    if query.count == len(query.template.parts):
        return Bounds("=", check_size(query.template, query.prefix))
    return Bounds("begins_with", query.prefix) if query.prefix else Bounds("all")


def _check_operator(template: Template, part: Part, operator: Operator) -> None:
    if operator.name == "begins":
        if part.type_name != "str" or not part.ordered:
            _reject(
                template, "bounds-operator",
                f"{operator!r} on field {part.field!r}, which {part.placeholder} writes as {part.type_name}",
                "begins works on text and its first characters; otherwise use between.",
            )  # fmt: skip
        return
    if not part.ordered:
        _reject(
            template, "bounds-unordered",
            f"{operator!r} on field {part.field!r}: {part.unordered_because}",
            "change the part so that it sorts, or query by the parts before it and filter.",
        )  # fmt: skip


def _check_direction(template: Template, part: Part, low: Any, high: Any) -> None:
    if part.incomparable(low, high):
        _reject(
            template, "bounds-mixed-zones",
            f"between({low!r}, {high!r}) on field {part.field!r} mixes a time with a time zone and one without",
            "give both ends a time zone, or neither.",
        )  # fmt: skip
    if part.is_greater(low, high):
        _reject(
            template, "bounds-backwards",
            f"between({low!r}, {high!r}) on field {part.field!r} ends before it begins",
            f"write between({high!r}, {low!r}).",
        )  # fmt: skip


def _begins_bounds(query: _KeyQuery, part: Part) -> Bounds:
    assert query.operator is not None
    (start,) = query.operator.operands
    text = part.encode_prefix(start)
    if text is None:
        return Bounds("none")
    closed = text + _following_literal(query.template, part) if part.truncates(start) else text
    prefix = query.prefix + closed
    bounds = Bounds("begins_with", check_size(query.template, prefix)) if prefix else Bounds("all")
    return bounds if part.prefix_is_exact(start) else _with_filter(query, part, bounds)


def _following_literal(template: Template, part: Part) -> str:
    return template.literals[template.parts.index(part) + 1]


def _with_filter(query: _KeyQuery, part: Part, bounds: Bounds) -> Bounds:
    assert query.operator is not None
    if bounds.condition == "none":
        return bounds
    reason = (
        f"{part.placeholder} contains only a part of {part.field!r}"
        if part.lossy
        else f"what follows {part.placeholder} does not sort below every character of it"
        if not part.sorts_in_key
        else "BETWEEN includes its ends, and text has no predecessor"
    )
    return replace(bounds, filters=(Filter(part.field, query.operator),), reason=reason)


def _range_bounds(query: _KeyQuery, part: Part) -> Bounds:
    assert query.operator is not None
    name, operands = query.operator.name, query.operator.operands
    edges = Edges(query.prefix, part, _following_literal(query.template, part))
    lower: Edge | None
    upper: Edge | None
    if name == "between":
        # The ends come first: they raise an error for a value of the wrong type.
        lower, upper = edges.from_(operands[0]), edges.to(operands[1])
        _check_direction(query.template, part, *operands)
    elif name in ("gt", "gte"):
        lower, upper = (edges.from_ if name == "gte" else edges.after)(operands[0]), edges.last()
    else:
        lower, upper = edges.first(), (edges.to if name == "lte" else edges.before)(operands[0])
    if lower is None or upper is None:
        return Bounds("none")
    bounds = bounds_between(lower, upper)
    return bounds if lower.exact and upper.exact else _with_filter(query, part, bounds)


def _limit_bounds(template: Template, bounds: Bounds, field: str, operator: Operator) -> Bounds:
    """The bounds with keys short enough for DynamoDB; a truncated key needs a filter."""
    if _fits(bounds.lower, template.limit) and _fits(bounds.upper, template.limit):
        return bounds
    lower, upper = _truncate(bounds.lower, template.limit), _truncate(bounds.upper, template.limit)
    if (lower, upper) == (bounds.lower, bounds.upper):
        return bounds
    if bounds.condition == "=":
        return Bounds("none")
    if upper != bounds.upper:
        upper = _upper_bound_within(upper, template.limit)
    wider = bounds_between(Edge(lower), Edge(upper))
    reason = f"the exact bound is longer than {template.limit} bytes"
    return replace(
        wider, filters=bounds.filters or (Filter(field, operator),), reason=bounds.reason or reason
    )


def _upper_bound_within(text: str, limit: int) -> str | None:
    above = prefix_upper_bound(text)
    while above is not None and len(above.encode()) > limit:
        text = text[:-1]
        above = prefix_upper_bound(text)
    return above


def _fits(key: str | None, limit: int) -> bool:
    """Whether the key fits without being encoded: no character has more than four bytes."""
    return key is None or 4 * len(key) <= limit


def _truncate(key: str | None, limit: int) -> Any:
    if key is None:
        return None
    data = key.encode()
    return key if len(data) <= limit else data[:limit].decode(errors="ignore")
