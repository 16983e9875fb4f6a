"""Choices by a number: the same number gives the same choices again."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

__all__ = ["Chance"]

T = TypeVar("T")


class Chance:
    """What is chosen for the exchange of one number."""

    def __init__(self, number: int) -> None:
        self._random = Random(number)
        self.pick = self._random.choice
        self.number = self._random.randint
        self.bytes = self._random.randbytes

    def pick(self, options: Sequence[T]) -> T:  # type: ignore[no-redef]  # pragma: no cover
        """One of these."""
        raise NotImplementedError
