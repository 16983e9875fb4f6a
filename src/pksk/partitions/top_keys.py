"""The busiest keys, counted in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, KeysView, Mapping
from operator import itemgetter
from typing import Final, Generic, TypeVar

_Key = TypeVar("_Key", bytes, str, int)
# Small weights are removed when there are so many times the counters, since that takes a sort.
_SLACK: Final = 4


class TopKeys(Generic[_Key]):
    """Weights by key in bounded memory: at least the `counters` largest are kept.

    This is the algorithm of Misra and Gries, in batches: if there are too many weights, the largest one
    beyond `counters` is subtracted from all, and those that reach zero are removed. A weight is never too
    high, and at most `error` too low. `error` is at most `total / counters`, so a key with more than that
    is always counted.

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
        """Add a weight for each occurrence of a key; fastest with many keys at once."""
        counts: Mapping[_Key, float] = Counter(keys)
        self.total += weight * sum(counts.values())
        if len(counts) > 2 * self._counters:
            # Keys that are rare in a large batch are dropped at once.
            counts, least = _keep_largest(counts, self._counters)
            self.error += least * weight
        weights = self._weights
        for key, count in counts.items():
            weights[key] = weights.get(key, 0.0) + count * weight
        if len(weights) > _SLACK * self._counters:
            self._weights, least = _keep_largest(weights, self._counters)
            self.error += least

    def largest(self, count: int) -> list[tuple[_Key, float]]:
        """The keys with the largest weights, largest first, then by key."""
        return sorted(sorted(self._weights.items()), key=itemgetter(1), reverse=True)[:count]

    @property
    def counted(self) -> KeysView[_Key]:
        """The keys that have a weight now."""
        return self._weights.keys()

    def __getitem__(self, key: _Key) -> float:
        """A lower bound of the key's weight."""
        return self._weights.get(key, 0.0)


def _keep_largest(weights: Mapping[_Key, float], counters: int) -> tuple[dict[_Key, float], float]:
    """The `counters` largest weights, each less the largest of the others; and that one."""
    least = sorted(weights.values(), reverse=True)[counters]
    return {key: weight - least for key, weight in weights.items() if weight > least}, least
