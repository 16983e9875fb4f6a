"""The operators that a question may put on one field of a key: `gt(5)`, `between(a, b)`, `begins("x")`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

__all__ = ["Operator", "begins", "between", "eq", "gt", "gte", "lt", "lte"]


@dataclass(frozen=True, slots=True)
class Operator:
    """A condition on the value of one field, never on the text of a key.

    Example:
        >>> between(3, 5)
        between(3, 5)
        >>> between(3, 5).accepts(4)
        True
    """

    name: str
    operands: tuple[Any, ...]

    def accepts(self, value: Any) -> bool:
        """Whether a value satisfies the condition.

        Example:
            >>> gt(5).accepts(5)
            False
        """
        return bool(_TESTS[self.name](*map(_comparable, (value, *self.operands))))

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(repr, self.operands))})"


def _comparable(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


_TESTS: dict[str, Callable[..., Any]] = {
    "eq": lambda value, operand: value == operand,
    "lt": lambda value, operand: value < operand,
    "lte": lambda value, operand: value <= operand,
    "gt": lambda value, operand: value > operand,
    "gte": lambda value, operand: value >= operand,
    "between": lambda value, low, high: low <= value <= high,
    "begins": lambda value, start: value.startswith(start),
}


def eq(value: Any) -> Operator:
    """Equal to the value; a plain value in a question means the same."""
    return Operator("eq", (value,))


def lt(value: Any) -> Operator:
    """Less than the value.

    Example:
        >>> lt(5).accepts(4)
        True
    """
    return Operator("lt", (value,))


def lte(value: Any) -> Operator:
    """Less than the value, or equal to it.

    Example:
        >>> lte(5).accepts(5)
        True
    """
    return Operator("lte", (value,))


def gt(value: Any) -> Operator:
    """Greater than the value.

    Example:
        >>> gt(5).accepts(6)
        True
    """
    return Operator("gt", (value,))


def gte(value: Any) -> Operator:
    """Greater than the value, or equal to it.

    Example:
        >>> gte(5).accepts(5)
        True
    """
    return Operator("gte", (value,))


def between(low: Any, high: Any) -> Operator:
    """From `low` to `high`, both included.

    Example:
        >>> between(1, 3).accepts(3)
        True
    """
    return Operator("between", (low, high))


def begins(text: str) -> Operator:
    """Text that begins with these characters.

    Example:
        >>> begins("ab").accepts("abc")
        True
    """
    return Operator("begins", (text,))
