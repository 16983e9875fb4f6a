"""A step of a tour: what was done, with which requests, at which cost, and what was wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pksk.capacity import Cost

# Of more requests than this, only the first and the last are shown.
_MOST_LINES = 3


@dataclass(frozen=True)
class Step:
    """One read, or one operation of the application.

    `estimated` is what the design expects it to cost, or None where it cannot say; `priced` is computed from the items
    involved, and `consumed` is what the server reports. A step whose operation raised an error has `failed`, and the
    error as `wrong`.
    """

    title: str
    patterns: tuple[str, ...]
    requests: tuple[str, ...]
    answer: str
    estimated: Cost | None
    priced: Cost
    consumed: Cost
    wrong: str = ""
    failed: bool = False

    @property
    def right(self) -> bool:
        """Whether the answer is the expected one, and the price is what was consumed."""
        return not self.wrong and is_price_of(self.priced, self.consumed)

    @property
    def plan(self) -> list[str]:
        """The requests, one per line; of many, only the first and the last."""
        lines = list(self.requests)
        if len(lines) <= _MOST_LINES:
            return lines
        return [lines[0], f"and {len(lines) - 2} more", lines[-1]]

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong with the step."""
        mispriced = not self.failed and not is_price_of(self.priced, self.consumed)
        return [
            *([self.wrong] if self.wrong else []),
            *([f"priced {self.priced}, consumed {self.consumed}"] if mispriced else []),
        ]

    def data(self) -> dict[str, Any]:
        """The step as JSON-compatible data."""
        return {
            "title": self.title,
            "patterns": list(self.patterns),
            "requests": list(self.requests),
            "answer": self.answer,
            "estimated": None if self.estimated is None else self.estimated.data(),
            "priced": self.priced.data(),
            "consumed": self.consumed.data(),
            "problems": self.problems,
        }


def is_price_of(priced: Cost, consumed: Cost) -> bool:
    """Whether the price is what was consumed, or at least as much where it is an upper bound."""
    if not priced.at_most:
        return priced == consumed
    bounds = ((charge, priced.charge_of(charge.table, charge.index)) for charge in consumed.charges)
    return all(charge.read <= bound.read and charge.write <= bound.write for charge, bound in bounds)
