"""What verifying a file has found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from pksk.dataclass import dataclass

__all__ = ["FileReport", "Findings", "Progress"]

# Told what is being verified, and how many rows of it were.
Progress: TypeAlias = Callable[[str, int], None]
# Of one thing that is wrong everywhere, no more lines than these are kept.
_MOST_LINES: Final = 1000
_EVERY: Final = 1000


@dataclass(frozen=True, slots=True)
class FileReport:
    """A file that was verified: lines that each name one problem, and how much was looked at by kind.

    Example:
        >>> print(FileReport("tables.db", (), 0, {"tables": 1, "items": 2000}))
        tables.db is sound: 1 tables, 2,000 items.
        >>> print(FileReport("tables.db", ("orders: item 7: its size is stored as 3, and is 9.",), 1, {"tables": 1}))
        orders: item 7: its size is stored as 3, and is 9.
        tables.db has 1 problems: 1 tables.
    """

    path: str
    problems: tuple[str, ...]
    found: int  # how many there are; beyond a thousand they are only counted
    counts: Mapping[str, int]

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found."""
        return not self.found

    def __str__(self) -> str:
        counts = ", ".join(f"{count:,} {what}" for what, count in self.counts.items())
        told = "is sound" if self.is_sound else f"has {self.found:,} problems"
        more = ["..."] if self.found > len(self.problems) else []
        return "\n".join([*self.problems, *more, f"{self.path} {told}: {counts}."])


class Findings:
    """What is found while a file is verified."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._problems: list[str] = []
        self._found = 0
        self._counts: Counter[str] = Counter()

    def problem(self, where: str, text: str) -> None:
        """Something is wrong somewhere."""
        self._found += 1
        if len(self._problems) < _MOST_LINES:
            self._problems.append(f"{where}: {text}")

    def count(self, what: str, number: int = 1) -> None:
        """So many things of a kind were looked at."""
        self._counts[what] += number

    def verified(self, what: str, rows: int) -> None:
        """So many rows of something were looked at by now."""
        if self._progress is not None and rows % _EVERY == 0:
            self._progress(what, rows)

    def report(self, path: str) -> FileReport:
        """All of it."""
        return FileReport(path, tuple(self._problems), self._found, dict(self._counts))
