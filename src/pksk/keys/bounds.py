"""The condition on a key attribute, and the filters still needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from pksk.dataclass import dataclass
from pksk.errors import quote
from pksk.keys.operators import Operator
from pksk.keys.parts.part import Part

if TYPE_CHECKING:
    from pksk.keys.automaton import Automaton
    from pksk.keys.template import Template

Condition = Literal["all", "none", "=", "begins_with", "BETWEEN", ">=", ">", "<=", "<"]


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on a field that the key condition cannot express."""

    field: str
    operator: Operator

    def accepts(self, values: Mapping[str, Any]) -> bool:
        """Whether an item with these values passes."""
        return self.operator.accepts(values[self.field])

    def __str__(self) -> str:
        operands = ", ".join(map(quote, self.operator.operands))
        return f"{self.field} {self.operator.name}({operands})"


@dataclass(frozen=True, slots=True)
class Bounds:
    """The condition on a key attribute, and the filters that are still needed.

    `lower` and `upper` are included, except after `>` and `<`. `exact` means that no filter is needed:
    of the rows of this template, the condition returns exactly the requested ones.

    Example:
        >>> from pksk import Template, lt
        >>> found = Template("NAME#{name}").bounds({"name": lt("m")})
        >>> found.condition, found.lower, found.upper, found.exact
        ('BETWEEN', 'NAME#', 'NAME#m', False)
        >>> print(found.filters[0], "because", found.reason)
        name lt('m') because BETWEEN includes its ends, and text has no predecessor
    """

    condition: Condition
    lower: Any = None
    upper: Any = None
    filters: tuple[Filter, ...] = ()
    reason: str = ""

    @property
    def exact(self) -> bool:
        """Whether the key condition alone is enough."""
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

    def may_contain_key_of(self, template: Template) -> bool:
        """Whether a key of this template can lie within the bounds; text never lies among numbers or bytes.

        Example:
            >>> from pksk import Template
            >>> orders = Template("ORDER#{id}#{line}").bounds({"id": "1"})
            >>> orders.may_contain_key_of(Template("ORDER#{id}"))
            False
            >>> orders.may_contain_key_of(Template("ORDER#{id}#META"))
            True
        """
        if self.condition == "none":
            return False
        if not all(isinstance(end, str) for end in (self.lower, self.upper) if end is not None):
            return False
        if self._misses(template.literals[0]):
            return False
        from pksk.keys.automaton import intersect

        common = intersect(template.language, *self._languages(), limit=1)
        return bool(common.words) or not common.complete

    def _misses(self, head: str) -> bool:
        """Whether all keys that begin with `head` lie outside the bounds; a cheap test that settles most cases."""
        upper = {"=": self.lower, "begins_with": prefix_upper_bound(self.lower or "")}.get(
            self.condition, self.upper
        )
        top = prefix_upper_bound(head)
        return (upper is not None and head > upper) or (
            self.lower is not None and top is not None and top <= self.lower
        )

    def _languages(self) -> list[Automaton]:
        from pksk.keys.automaton import range_automata

        if self.condition == "begins_with":
            return range_automata(self.lower, prefix_upper_bound(self.lower), upper_included=False)
        upper = self.lower if self.condition == "=" else self.upper
        return range_automata(self.lower, upper, upper_included=self.condition != "<")

    def __str__(self) -> str:
        texts = {
            "all": "every key",
            "none": "no key",
            "BETWEEN": f"BETWEEN {quote(self.lower)} AND {quote(self.upper)}",
            "begins_with": f"begins_with {quote(self.lower)}",
        }
        operand = self.upper if self.lower is None else self.lower
        text = texts.get(self.condition, f"{self.condition} {quote(operand)}")
        return text if self.exact else f"{text}, then filter {' and '.join(map(str, self.filters))}"


def prefix_upper_bound(text: str) -> str | None:
    """The smallest text greater than every text that begins with `text`; None if there is none.

    Example:
        >>> prefix_upper_bound("ORDER#1#")
        'ORDER#1$'
    """
    while text:
        code = ord(text[-1]) + 1
        if code <= 0x10FFFF:
            return text[:-1] + chr(0xE000 if code == 0xD800 else code)
        text = text[:-1]
    return None


@dataclass(frozen=True, slots=True)
class Edge:
    """One end of a range of keys: open if `key` is None; `exact` if it needs no filter."""

    key: str | None
    included: bool = True
    exact: bool = True


def bounds_between(lower: Edge, upper: Edge) -> Bounds:
    """The condition for keys between two ends; keys are never empty, so no bound is ''."""
    if upper.key == "":
        return Bounds("none")
    if lower.key == "":
        lower = Edge(None)
    if lower.key is None and upper.key is None:
        return Bounds("all")
    if upper.key is None:
        return Bounds(">=" if lower.included else ">", lower.key)
    if lower.key is None:
        return Bounds("<=" if upper.included else "<", None, upper.key)
    if lower.key == upper.key:
        return Bounds("=", lower.key)
    return Bounds("BETWEEN", lower.key, upper.key) if lower.key < upper.key else Bounds("none")


class Edges:
    """Computes the ends of a range of one part's values, after the prefix made of the leading values."""

    def __init__(self, prefix: str, part: Part, closing: str) -> None:
        self.prefix, self.part, self.closing = prefix, part, closing
        # Without a prefix one end stays open, and < and > exclude the boundary.
        self.open = not prefix

    def first(self) -> Edge:
        """The end below every key with this prefix."""
        return Edge(self.prefix or None)

    def last(self) -> Edge:
        """The end above every key with this prefix."""
        return Edge(prefix_upper_bound(self.prefix))

    def from_(self, value: Any) -> Edge:
        """The first key with this value or a greater one."""
        if self.part.is_beginning(value):
            return self._between_values(value)
        text = self.prefix + self.part.encode(value)
        if not self.part.sorts_in_key:
            return Edge(text, exact=False)
        return Edge(text + self.closing, exact=self._starts_span(value))

    def to(self, value: Any) -> Edge:
        """The last key with this value or a smaller one."""
        if self.part.is_beginning(value):
            return self._between_values(value, is_upper=True)
        text = self.prefix + self.part.encode(value)
        if not self.part.sorts_in_key:
            return Edge(self._highest(self.part.encode(value)), exact=False)
        return Edge(
            prefix_upper_bound(text + self.closing) if self.closing else text, exact=self._ends_span(value)
        )

    def after(self, value: Any) -> Edge | None:
        """The first key with a greater value; None if there cannot be one."""
        if self.part.is_beginning(value):
            return self._between_values(value)
        if not self.part.sorts_in_key or not self._ends_span(value):
            return replace(self.from_(value), exact=False)
        text = self.prefix + self.part.encode(value)
        if self.closing:
            return Edge(prefix_upper_bound(text + self.closing))
        if self.open:
            return Edge(text, included=False)
        if self.part.discrete:
            following = self.part.neighbour(self.part.span(value)[1], 1)
            return None if following is None else Edge(self.prefix + self.part.encode(following))
        return Edge(text + "\0")

    def before(self, value: Any) -> Edge | None:
        """The last key with a smaller value; None if there cannot be one."""
        if self.part.is_beginning(value):
            return self._between_values(value, is_upper=True)
        if not self.part.sorts_in_key or not self._starts_span(value):
            return replace(self.to(value), exact=False)
        text = self.prefix + self.part.encode(value)
        if self.closing:
            return Edge(text)
        if self.open:
            return Edge(text, included=False)
        if self.part.discrete:
            previous = self.part.neighbour(self.part.span(value)[0], -1)
            return None if previous is None else Edge(self.prefix + self.part.encode(previous))
        return Edge(text, exact=False)

    def _between_values(self, value: Any, *, is_upper: bool = False) -> Edge:
        """The end at a text that is shorter than any value: no key is equal to it, or begins before it ends."""
        text = self.part.encode_prefix(value) or ""
        if is_upper and text and not self.part.sorts_in_key:
            return Edge(self._highest(text), exact=False)
        return Edge(self.prefix + text, exact=self.part.sorts_in_key and not self.part.lossy)

    def _starts_span(self, value: Any) -> bool:
        return not self.part.lossy or (self.part.discrete and self.part.starts_span(value))

    def _ends_span(self, value: Any) -> bool:
        return not self.part.lossy or (self.part.discrete and self.part.ends_span(value))

    def _highest(self, text: str) -> str | None:
        """The end above every key whose text is at most this one; shorter texts may end higher than longer ones."""
        shortest = 0 if self.part.may_be_empty else 1
        starts = [text[:length] for length in range(shortest, len(text) + 1)]
        tops = [prefix_upper_bound(self.prefix + start + self.closing) for start in starts]
        return None if None in tops else max(top for top in tops if top is not None)
