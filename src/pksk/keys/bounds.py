"""Turns a question about fields into one condition on the key, and says what it leaves to a filter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from pksk.errors import BoundsError, quote
from pksk.keys.language import Frozen, intersect, span_language
from pksk.keys.operators import Operator, eq
from pksk.keys.rendering import check_size, encode_part, refuse_unknown

if TYPE_CHECKING:
    from pksk.keys.parts.part import Part
    from pksk.keys.template import Template

__all__ = ["Bounds", "Filter", "bounds", "leading", "raised"]

Condition = Literal["all", "none", "=", "begins_with", "BETWEEN", ">=", ">", "<=", "<"]


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on a field that the key condition leaves over."""

    field: str
    operator: Operator

    def accepts(self, values: Mapping[str, Any]) -> bool:
        """Whether an item with these values passes."""
        return self.operator.accepts(values[self.field])

    def __str__(self) -> str:
        return f"{self.field} {self.operator!r}"


@dataclass(frozen=True, slots=True)
class Bounds:
    """One condition on a key attribute: what DynamoDB can answer, and the filters that are still needed.

    `lower` and `upper` are included, except after `>` and `<`. `exact` means that no filter is needed: the
    condition returns every row of this template that was asked for, and no other row of it.
    """

    condition: Condition
    lower: Any = None
    upper: Any = None
    filters: tuple[Filter, ...] = ()
    reason: str = ""

    @property
    def exact(self) -> bool:
        """Whether the key condition alone answers the question."""
        return not self.filters

    def contains(self, key: Any) -> bool:
        """Whether DynamoDB would return a row with this key, before any filter.

        Example:
            >>> Bounds("begins_with", "ORDER#1#").contains("ORDER#10#x")
            False
        """
        tests: dict[str, Callable[[], Any]] = {
            "all": lambda: True,
            "none": lambda: False,
            "=": lambda: key == self.lower,
            "begins_with": lambda: key.startswith(self.lower),
            "BETWEEN": lambda: self.lower <= key <= self.upper,
            ">=": lambda: key >= self.lower,
            ">": lambda: key > self.lower,
            "<=": lambda: key <= self.upper,
            "<": lambda: key < self.upper,
        }
        return bool(tests[self.condition]())

    def may_hold(self, template: Template) -> bool:
        """Whether a key of this template can lie within the bounds.

        Example:
            >>> from pksk import Template
            >>> orders = Template("ORDER#{id}#{line}").bounds({"id": "1"})
            >>> orders.may_hold(Template("ORDER#{id}")), orders.may_hold(Template("ORDER#{id}#META"))
            (False, True)
        """
        if self.condition == "none":
            return False
        return bool(intersect(template.language, *self._languages(), most=1).words)

    def _languages(self) -> list[Frozen]:
        if self.condition == "begins_with":
            return span_language(self.lower, raised(self.lower), upper_included=False)
        upper = self.lower if self.condition == "=" else self.upper
        return span_language(self.lower, upper, upper_included=self.condition != "<")

    def __str__(self) -> str:
        shown = {
            "all": "every key",
            "none": "no key",
            "BETWEEN": f"BETWEEN {quote(self.lower)} AND {quote(self.upper)}",
            "begins_with": f"begins_with {quote(self.lower)}",
        }
        operand = self.upper if self.lower is None else self.lower
        text = shown.get(self.condition, f"{self.condition} {quote(operand)}")
        return text if self.exact else f"{text}, then filter {' and '.join(map(str, self.filters))}"


def raised(text: str) -> str | None:
    """The smallest text above everything that begins with `text`; None where there is none.

    Example:
        >>> raised("ORDER#1#")
        'ORDER#1$'
    """
    while text:
        code = ord(text[-1]) + 1
        if code <= 0x10FFFF:
            return text[:-1] + chr(0xE000 if code == 0xD800 else code)
        text = text[:-1]
    return None


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
    _check_operator(template, part, question.operator)
    found = _begins(question, part) if question.operator.name == "begins" else _range(question, part)
    return question.answer(_within_limit(template, found, Filter(part.field, question.operator)))


class _Question:
    """Leading values, at most one operator after them, and nothing else."""

    def __init__(self, template: Template, values: Mapping[str, Any]) -> None:
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
        known = {part.field for part in self.template.parts[: self.count] if not part.lossy}
        vague = {part.field for part in self.template.parts[: self.count] if part.lossy} - known
        if self.operator:
            vague.discard(self.template.parts[self.count].field)
        if not vague or found.condition == "none":
            return found
        filters = tuple(Filter(field, eq(self.values[field])) for field in sorted(vague))
        reason = f"the key holds only a piece of {', '.join(map(repr, sorted(vague)))}"
        return replace(found, filters=found.filters + filters, reason=found.reason or reason)


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
    edges = _Edges(question, part)
    if name == "between":
        lower, upper = edges.from_(operands[0]), edges.to(operands[1])
    elif name in ("gt", "gte"):
        lower, upper = (edges.from_ if name == "gte" else edges.after)(operands[0]), edges.last()
    else:
        lower, upper = edges.first(), (edges.to if name == "lte" else edges.before)(operands[0])
    if lower is None or upper is None:
        return Bounds("none")
    found = _condition(lower, upper)
    return found if lower.exact and upper.exact else _filtered(question, part, found)


@dataclass(frozen=True, slots=True)
class _Edge:
    """One end of a range: a key, or open; whether it is included, and whether it is where it should be."""

    key: str | None
    included: bool = True
    exact: bool = True


def _condition(lower: _Edge, upper: _Edge) -> Bounds:
    if lower.key is None and upper.key is None:
        return Bounds("all")
    if upper.key is None:
        return Bounds(">=" if lower.included else ">", lower.key)
    if lower.key is None:
        return Bounds("<=" if upper.included else "<", None, upper.key)
    if lower.key == upper.key:
        return Bounds("=", lower.key)
    return Bounds("BETWEEN", lower.key, upper.key) if lower.key < upper.key else Bounds("none")


class _Edges:
    """The ends of ranges over one part, behind the prefix that the leading values make."""

    def __init__(self, question: _Question, part: Part) -> None:
        self.prefix, self.part = question.prefix, part
        self.closing = _closing(question.template, part)
        # Without a prefix one end stays open, and < and > leave out the boundary by themselves.
        self.open = not question.prefix

    def first(self) -> _Edge:
        """Before every key with this prefix."""
        return _Edge(self.prefix or None)

    def last(self) -> _Edge:
        """After every key with this prefix."""
        return _Edge(raised(self.prefix))

    def from_(self, value: Any) -> _Edge | None:
        """The first key with this value or a greater one."""
        text = self.prefix + self.part.encode(value)
        if not self.part.sorts_here:
            return _Edge(text, exact=False)
        return _Edge(text + self.closing, exact=self._begins_grain(value))

    def to(self, value: Any) -> _Edge | None:
        """The last key with this value or a smaller one."""
        text = self.prefix + self.part.encode(value)
        if not self.part.sorts_here:
            return _Edge(self._highest(self.part.encode(value)), exact=False)
        return _Edge(raised(text + self.closing) if self.closing else text, exact=self._ends_grain(value))

    def after(self, value: Any) -> _Edge | None:
        """The first key with a greater value."""
        if not self.part.sorts_here or not self._ends_grain(value):
            edge = self.from_(value)
            return edge and replace(edge, exact=False)
        text = self.prefix + self.part.encode(value)
        if self.closing:
            return _Edge(raised(text + self.closing))
        if self.open:
            return _Edge(text, included=False)
        if self.part.discrete:
            following = self.part.step(self.part.span(value)[1], 1)
            return None if following is None else _Edge(self.prefix + self.part.encode(following))
        return _Edge(text + "\0")

    def before(self, value: Any) -> _Edge | None:
        """The last key with a smaller value."""
        if not self.part.sorts_here or not self._begins_grain(value):
            edge = self.to(value)
            return edge and replace(edge, exact=False)
        text = self.prefix + self.part.encode(value)
        if self.closing:
            return _Edge(text)
        if self.open:
            return _Edge(text, included=False)
        if self.part.discrete:
            previous = self.part.step(self.part.span(value)[0], -1)
            return None if previous is None else _Edge(self.prefix + self.part.encode(previous))
        return _Edge(text, exact=False)

    def _begins_grain(self, value: Any) -> bool:
        return not self.part.lossy or (self.part.discrete and self.part.span(value)[0] == value)

    def _ends_grain(self, value: Any) -> bool:
        return not self.part.lossy or (self.part.discrete and self.part.span(value)[1] == value)

    def _highest(self, text: str) -> str | None:
        """Above every key whose text is at most this one: shorter texts may close higher than longer ones."""
        shortest = 0 if self.part.may_be_empty else 1
        starts = [text[:length] for length in range(shortest, len(text) + 1)]
        tops = [raised(self.prefix + start + self.closing) for start in starts]
        return None if None in tops else max(top for top in tops if top is not None)


def _within_limit(template: Template, found: Bounds, leftover: Filter) -> Bounds:
    """The bounds with keys that DynamoDB takes: one that is too long is cut, and the rest left to a filter."""
    lower, upper = _cut(found.lower, template.limit), _cut(found.upper, template.limit)
    if (lower, upper) == (found.lower, found.upper):
        return found
    if upper != found.upper:
        upper = _raised_within(upper, template.limit)
    wider = _condition(_Edge(lower), _Edge(upper))
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
