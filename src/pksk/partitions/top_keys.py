"""The keys that take most, counted in a bounded space whatever the number of keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, KeysView, Mapping
from operator import itemgetter
from typing import Final, Generic, TypeVar

__all__ = ["TopKeys"]

_Key = TypeVar("_Key", bytes, str, int)
# So many times its counters are kept before the small ones are taken out, since that takes a sort.
_SLACK: Final = 4


class TopKeys(Generic[_Key]):
    """Weights by key, of which the largest `counters` are sure to be kept.

    This is SpaceSaving as Misra and Gries have it, in batches: when there are too many counters, the
    first weight that is one too many is taken off all of them, and those that have nothing left are
    gone. A weight is never told too high, nor too low by more than `error`. That is at most the sum of
    all weights over `counters`, so a key that has more than that is always there.

    Example:
        >>> top = TopKeys[str](counters=2)
        >>> top.add(["a", "b", "a", "c"], 1.5)
        >>> top.largest(1), top.total, top.error
        ([('a', 3.0)], 6.0, 0.0)
    """

    __slots__ = ("_counters", "_weights", "error", "total")

    def __init__(self, counters: int = 1000) -> None:
        self._counters = counters
        self._weights: dict[_Key, float] = {}
        self.total = 0.0
        self.error = 0.0

    def add(self, keys: Iterable[_Key], weight: float = 1.0) -> None:
        """Add a weight for each time that a key is given; fastest with many keys at once."""
        self._merge(Counter(keys), weight)

    def _merge(self, counts: Mapping[_Key, float], weight: float) -> None:
        self.total += weight * sum(counts.values())
        if len(counts) > 2 * self._counters:
            # What is small within a batch does not even reach the counters.
            counts, least = _purged(counts, self._counters)
            self.error += least * weight
        weights = self._weights
        for key, count in counts.items():
            weights[key] = weights.get(key, 0.0) + count * weight
        if len(weights) > _SLACK * self._counters:
            self._weights, least = _purged(weights, self._counters)
            self.error += least

    def largest(self, count: int) -> list[tuple[_Key, float]]:
        """The keys with the largest weights, the largest first and equal ones in their own order."""
        return sorted(sorted(self._weights.items()), key=itemgetter(1), reverse=True)[:count]

    @property
    def kept(self) -> KeysView[_Key]:
        """The keys that have a counter now."""
        return self._weights.keys()

    def __getitem__(self, key: _Key) -> float:
        """The weight that a key has at least."""
        return self._weights.get(key, 0.0)


def _purged(weights: Mapping[_Key, float], counters: int) -> tuple[dict[_Key, float], float]:
    """At most so many of the weights, each less by what the first that is one too many had; and that."""
    least = sorted(weights.values(), reverse=True)[counters]
    return {key: weight - least for key, weight in weights.items() if weight > least}, least
