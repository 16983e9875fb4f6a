"""How far an export or an import has come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from pksk.dataclass import dataclass

__all__ = ["OnProgress", "Progress", "ignore_progress"]

Step: TypeAlias = Literal["exporting", "checking", "writing"]


@dataclass(frozen=True, slots=True)
class Progress:
    """What is being done, and how much of it is: items of an export, bytes of the files of an import.

    The total of an export is what the table says of itself, which on AWS is some hours old.

    Example:
        >>> Progress("checking", 512, 1024).share
        0.5
    """

    step: Step
    done: int
    total: int

    @property
    def share(self) -> float:
        """The part that is done, from 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 1.0


OnProgress: TypeAlias = Callable[[Progress], None]


def ignore_progress(_progress: Progress) -> None:
    """Tell nobody."""
