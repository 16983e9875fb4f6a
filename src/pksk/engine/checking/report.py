"""The report of a checked file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from pksk.dataclass import dataclass

# Called with the name of what is being checked, and the number of its rows so far.
Progress: TypeAlias = Callable[[str, int], None]
# More problems than this are only counted.
_MOST_LINES: Final = 1000
_EVERY: Final = 1000


@dataclass(frozen=True, slots=True)
class FileReport:
    """A checked file: a line for each problem, and the number of checked rows and records by kind.

    Example:
        >>> print(FileReport("tables.db", (), 0, {"tables": 1, "items": 2000}))
        tables.db is sound: 1 tables, 2,000 items.
        >>> print(FileReport("tables.db", ("orders: item 7: its size is stored as 3, and is 9.",), 1, {"tables": 1}))
        orders: item 7: its size is stored as 3, and is 9.
        tables.db has 1 problems: 1 tables.
    """

    path: str
    problems: tuple[str, ...]
    problem_count: int
    counts: Mapping[str, int]

    @property
    def is_sound(self) -> bool:
        """Whether there are no problems."""
        return not self.problem_count

    def __str__(self) -> str:
        counts = ", ".join(f"{count:,} {what}" for what, count in self.counts.items())
        result = "is sound" if self.is_sound else f"has {self.problem_count:,} problems"
        more = ["..."] if self.problem_count > len(self.problems) else []
        return "\n".join([*self.problems, *more, f"{self.path} {result}: {counts}."])


class Findings:
    """Collects problems and counts while a file is checked."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._problems: list[str] = []
        self._problem_count = 0
        self._counts: Counter[str] = Counter()

    def problem(self, where: str, text: str) -> None:
        """Add a problem."""
        self._problem_count += 1
        if len(self._problems) < _MOST_LINES:
            self._problems.append(f"{where}: {text}")

    def count(self, what: str, number: int = 1) -> None:
        """Count checked rows or records of a kind."""
        self._counts[what] += number

    def show_progress(self, what: str, rows: int) -> None:
        """Report progress every thousand rows."""
        if self._progress is not None and rows % _EVERY == 0:
            self._progress(what, rows)

    def report(self, path: str) -> FileReport:
        """The report of the file."""
        return FileReport(path, tuple(self._problems), self._problem_count, dict(self._counts))
