"""What an import has come to."""

from __future__ import annotations

from dataclasses import dataclass

from pksk.errors import FileProblem

__all__ = ["MOST_TOLD", "Imported", "Skipped"]

# So many skipped lines are told of one by one; more tell nothing new.
MOST_TOLD = 20


@dataclass(frozen=True)
class Skipped:
    """A line that is no item of the table, and why."""

    line: int
    problem: FileProblem


@dataclass(frozen=True)
class Imported:
    """A finished import: the table, whether it was made for it, and what was read and written.

    `items` were written; where several of them share a key, the last one is in the table. `skipped`
    lines were not, and `problems` has the first of these.

    Example:
        >>> Imported("orders", created=True, files=1, items=120, size_bytes=40_000).skipped
        0
    """

    table: str
    created: bool
    files: int
    items: int
    size_bytes: int
    skipped: int = 0
    problems: tuple[Skipped, ...] = ()
