"""What an author declares about an access pattern."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pksk.errors import DesignError, quote
from pksk.model.patterns.rates import Rate, per_second

__all__ = ["Declared"]


# The options beside the rate: name, type, what it is in words, and an example.
_OPTIONS: tuple[tuple[str, Any, str, str], ...] = (
    ("items", int, "a number of items", "20"),
    ("item_size", int, "a number of bytes", "400"),
    ("consistent", bool, "True or False", "True"),
    ("example", Mapping, "a dict of arguments", '{"id": "7"}'),
)


@dataclass(frozen=True)
class Declared:
    """How often a pattern is called, how many items a call reads, how large they are, and an example call."""

    rate: Rate | None = None
    items: int | None = None
    item_size: int | None = None
    consistent: bool | None = None
    example: Mapping[str, Any] | None = None

    def check(self, where: str) -> None:
        """Refuse what is no rate, no count and no size."""
        self.calls_per_second(where)
        for option, kind, what, example in _OPTIONS:
            value: object = getattr(self, option)
            wrong = not isinstance(value, kind) or (kind is int and (isinstance(value, bool) or value < 0))
            if value is not None and wrong:
                raise DesignError(
                    "access-option",
                    f"{where}: {option}={quote(value)} is not {what}.",
                    fix=f"write {option}={example}, for example.",
                )

    def calls_per_second(self, where: str = "access") -> float | None:
        """The rate, or None where none is declared: a missing rate is never zero."""
        return None if self.rate is None else per_second(where, self.rate)
