"""The operators for a field of a key in a query: `gt(5)`, `between(a, b)`, `begins("x")`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any
from uuid import UUID

from pksk.dataclass import dataclass
from pksk.errors import BoundsError


@dataclass(frozen=True, slots=True)
class Operator:
    """A condition on the value of a field (not on the text of the key).

    Example:
        >>> between(3, 5)
        between(3, 5)
        >>> between(3, 5).accepts(4)
        True
    """

    name: str
    operands: tuple[Any, ...]

    def __post_init__(self) -> None:
        if self.name not in _TESTS or len(self.operands) != (2 if self.name == "between" else 1):
            raise BoundsError(
                "bounds-operator",
                f"{self!r} is not an operator.",
                expected=f"Operators are: {', '.join(_TESTS)}; between takes two operands, the others one.",
                fix="make one with lt(), lte(), gt(), gte(), between() or begins().",
            )

    def accepts(self, value: Any) -> bool:
        """Whether a value satisfies the condition; a value that cannot be compared does not.

        Example:
            >>> gt(5).accepts(5)
            False
        """
        try:
            return bool(_TESTS[self.name](*map(_comparable, (value, *self.operands))))
        except (AttributeError, TypeError):
            return False

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(repr, self.operands))})"


def _comparable(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    # In the repeated hour of a time zone, Python treats equal instants as unequal (PEP 495).
    if isinstance(value, datetime) and value.utcoffset() is not None:
        return value.astimezone(UTC)
    return value


def _text_of(value: Any) -> Any:
    """The text that `begins` compares: ISO format for dates and times, the stored form for UUIDs and IP addresses."""
    if isinstance(value, UUID) or type(value).__module__ == "ipaddress":
        return str(value)
    return value.isoformat() if isinstance(value, date) else value


_TESTS: dict[str, Callable[..., Any]] = {
    "eq": lambda value, operand: value == operand,
    "lt": lambda value, operand: value < operand,
    "lte": lambda value, operand: value <= operand,
    "gt": lambda value, operand: value > operand,
    "gte": lambda value, operand: value >= operand,
    "between": lambda value, low, high: low <= value <= high,
    "begins": lambda value, start: _text_of(value).startswith(start),
}


def eq(value: Any) -> Operator:
    """Equal to the value; a plain value in a query means the same."""
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
