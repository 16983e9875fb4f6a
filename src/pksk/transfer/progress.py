"""The progress of an export or an import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from pksk.dataclass import dataclass

Step: TypeAlias = Literal["exporting", "checking", "writing"]


@dataclass(frozen=True, slots=True)
class Progress:
    """A step, and how much of it is done: items of an export, bytes of the files of an import.

    The total of an export is the item count of the table, which on AWS is some hours old.

    Example:
        >>> Progress("checking", 512, 1024).share
        0.5
    """

    step: Step
    done: int
    total: int

    @property
    def share(self) -> float:
        """The completed share, from 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 1.0


OnProgress: TypeAlias = Callable[[Progress], None]


def ignore_progress(_progress: Progress) -> None:
    """Report no progress."""
