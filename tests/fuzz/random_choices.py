"""Choices that follow from a number: the same number gives the same choices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import TypeVar

__all__ = ["RandomChoices"]

T = TypeVar("T")


class RandomChoices:
    """What is chosen for the exchange of one number."""

    def __init__(self, number: int) -> None:
        self._random = Random(number)

    def pick(self, options: Sequence[T]) -> T:
        """One of these."""
        return options[int(self._random.random() * len(options))]

    def number(self, low: int, high: int) -> int:
        """From the first to the last of these."""
        return low + int(self._random.random() * (high - low + 1))

    def is_one_in(self, many: int) -> bool:
        """True with the probability 1 in n."""
        return self._random.random() * many < 1

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        """One of these; the weights are given added up."""
        return self._random.choices(options, cum_weights=weights)[0]

    def noise(self, size: int) -> bytes:
        """So many bytes."""
        return self._random.randbytes(size)

    def pieces(self, data: bytes, many: int) -> list[bytes]:
        """The same bytes in a limited number of pieces."""
        cuts = sorted({self.number(1, max(1, len(data) - 1)) for _ in range(many - 1)} | {0, len(data)})
        return [data[start:end] for start, end in pairwise(cuts)]
