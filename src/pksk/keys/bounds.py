"""One condition on a key attribute, and what it leaves to a filter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pksk.errors import quote
from pksk.keys.language import Frozen, span_language
from pksk.keys.operators import Operator

if TYPE_CHECKING:
    from pksk.keys.template import Template

__all__ = ["Bounds", "Condition", "Filter", "raised"]

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
        operands = ", ".join(map(quote, self.operator.operands))
        return f"{self.field} {self.operator.name}({operands})"


@dataclass(frozen=True, slots=True)
class Bounds:
    """One condition on a key attribute: what DynamoDB can answer, and the filters that are still needed.

    `lower` and `upper` are included, except after `>` and `<`. `exact` means that no filter is needed: the
    condition returns every row of this template that was asked for, and no other row of it.

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
        """Whether a key of this template can lie within the bounds; text never lies among numbers or bytes.

        Example:
            >>> from pksk import Template
            >>> orders = Template("ORDER#{id}#{line}").bounds({"id": "1"})
            >>> orders.may_hold(Template("ORDER#{id}")), orders.may_hold(Template("ORDER#{id}#META"))
            (False, True)
        """
        if self.condition == "none":
            return False
        if not all(isinstance(end, str) for end in (self.lower, self.upper) if end is not None):
            return False
        if self._misses(template.literals[0]):
            return False
        from pksk.keys.intersect import intersect

        found = intersect(template.language, *self._languages(), most=1)
        return bool(found.words) or not found.complete

    def _misses(self, head: str) -> bool:
        """Whether all keys that begin with `head` lie outside: most templates are told apart by that alone."""
        upper = {"=": self.lower, "begins_with": raised(self.lower or "")}.get(self.condition, self.upper)
        top = raised(head)
        return (upper is not None and head > upper) or (
            self.lower is not None and top is not None and top <= self.lower
        )

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
