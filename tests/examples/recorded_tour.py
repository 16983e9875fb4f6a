"""A listener that records the events of a tour."""

from __future__ import annotations

from collections.abc import Sequence

from examples.tour import Step

__all__ = ["RecordedTour"]


class RecordedTour:
    """The steps, sections and tables of a tour."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.sections: list[str] = []
        self.tables: dict[tuple[str, ...], list[Sequence[str]]] = {}
        self.stored = 0

    @property
    def requested(self) -> set[str]:
        """The access patterns that were run."""
        return {pattern for step in self.steps for pattern in step.patterns}

    @property
    def wrong(self) -> list[tuple[str, list[str]]]:
        """The wrong steps, and why."""
        return [(step.title, step.problems) for step in self.steps if not step.right]

    def section(self, title: str) -> None:
        self.sections.append(title)

    def step(self, step: Step) -> None:
        self.steps.append(step)

    def note(self, text: str) -> None:
        assert text

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> None:
        assert all(len(row) == len(headers) for row in rows)
        assert all(place < len(headers) for place in right)
        self.tables[tuple(headers)] = list(rows)

    def progress(self, what: str, done: int, total: int) -> None:
        assert what
        assert done > 0
        assert total > 0

    def filled(self, what: str, done: int) -> None:
        assert what
        self.stored += done
