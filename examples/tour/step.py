"""Steps of a tour: what was asked or done, how, what it cost by three reckonings, and whether the answer was right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pksk.capacity import Cost

__all__ = ["Step"]

# More requests than this are told by the first and the last.
_MOST_LINES = 3


@dataclass(frozen=True)
class Step:
    """One question or change.

    `estimated` is what the design expects it to cost, None where that cannot be told; `priced` comes from the items
    that were met, `consumed` from the server. What `failed` has raised `wrong`, and gave no answer.
    """

    title: str
    patterns: tuple[str, ...]
    sent: tuple[str, ...]
    answer: str
    estimated: Cost | None
    priced: Cost
    consumed: Cost
    wrong: str = ""
    failed: bool = False

    @property
    def right(self) -> bool:
        """Whether the answer was the expected one, and the price what was consumed."""
        return not self.wrong and self.priced == self.consumed

    @property
    def plan(self) -> list[str]:
        """The requests, a line each; of many, the first and the last."""
        lines = list(self.sent)
        if len(lines) <= _MOST_LINES:
            return lines
        return [lines[0], f"and {len(lines) - 2} more", lines[-1]]

    @property
    def problems(self) -> list[str]:
        """What is not as it should be."""
        priced = (
            []
            if self.priced == self.consumed or self.failed
            else [f"priced {self.priced}, consumed {self.consumed}"]
        )
        return [*([self.wrong] if self.wrong else []), *priced]

    def data(self) -> dict[str, Any]:
        """The step as JSON can hold it."""
        return {
            "title": self.title,
            "patterns": list(self.patterns),
            "requests": list(self.sent),
            "answer": self.answer,
            "estimated": None if self.estimated is None else self.estimated.data(),
            "priced": self.priced.data(),
            "consumed": self.consumed.data(),
            "problems": self.problems,
        }
