"""Finds texts that several languages have in common, the shortest and most readable first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from pksk.keys.language import Frozen

__all__ = ["Shared", "intersect"]

# Characters that make an example easy to read, tried before the first of a range.
_READABLE = "a01bAZ-"

_MOST_STEPS = 20_000
_MOST_STATES = 20_000


@dataclass(frozen=True, slots=True)
class Shared:
    """Texts that languages have in common, shortest first; `complete` when there are no others."""

    words: tuple[Any, ...]
    complete: bool


def intersect(*languages: Frozen, most: int = 64) -> Shared:
    """Texts that belong to all the languages: some of them where there are many.

    Example:
        >>> from pksk.keys.language import Language
        >>> left, right = Language(), Language()
        >>> left.word("a"); left.repeat([(48, 57)])
        >>> right.choice(["a1", "b2"])
        >>> intersect(left.freeze(), right.freeze())
        Shared(words=('a1',), complete=True)
    """
    steps = _steps(languages)
    if steps is None:
        return Shared((), complete=False)
    distances = _distances(languages, steps)
    if (0,) * len(languages) not in distances:
        return Shared((), complete=True)
    return _walk(languages, steps, distances, most)


States = tuple[int, ...]
Step = tuple[int, int, States]


def _steps(languages: tuple[Frozen, ...]) -> dict[States, list[Step]] | None:
    """For each combination of states that can be reached: the steps out of it; None where there are too many."""
    start = (0,) * len(languages)
    steps: dict[States, list[Step]] = {}
    waiting = [start]
    while waiting:
        states = waiting.pop()
        if states in steps:
            continue
        if len(steps) >= _MOST_STATES:
            return None
        steps[states] = sorted(_joint(languages, states), key=_readability)
        waiting.extend(target for _, _, target in steps[states])
    return steps


def _readability(step: Step) -> int:
    low, high, _ = step
    return next((rank for rank, char in enumerate(_READABLE) if low <= ord(char) <= high), len(_READABLE))


def _joint(languages: tuple[Frozen, ...], states: States) -> Iterator[Step]:
    found: list[Step] = [(0, 0x10FFFF, ())]
    for language, state in zip(languages, states, strict=True):
        found = [
            (max(low, arc.low), min(high, arc.high), (*targets, arc.target))
            for low, high, targets in found
            for arc in language.arcs[state]
            if max(low, arc.low) <= min(high, arc.high)
        ]
    yield from dict.fromkeys(found)


def _accepted(languages: tuple[Frozen, ...], states: States) -> bool:
    return all(state in language.accepting for language, state in zip(languages, states, strict=True))


def _distances(languages: tuple[Frozen, ...], steps: dict[States, list[Step]]) -> dict[States, int]:
    """For each combination from which a common text can still be completed: how many characters that takes."""
    before: dict[States, list[States]] = {}
    for states, out in steps.items():
        for _, _, target in out:
            before.setdefault(target, []).append(states)
    distances = {states: 0 for states in steps if _accepted(languages, states)}
    waiting = deque(distances)
    while waiting:
        target = waiting.popleft()
        for states in before.get(target, ()):
            if states not in distances:
                distances[states] = distances[target] + 1
                waiting.append(states)
    return distances


def _walk(
    languages: tuple[Frozen, ...], steps: dict[States, list[Step]], distances: dict[States, int], most: int
) -> Shared:
    """Best first: a text that can be finished in the fewest characters, and of those the longest so far."""
    words: dict[str, None] = {}
    complete = True
    start = (0,) * len(languages)
    queue: list[tuple[int, int, int, States, str]] = [(distances[start], 0, 0, start, "")]
    ticket = 0
    while queue and len(words) < most and ticket < _MOST_STEPS:
        _, _, _, states, text = heappop(queue)
        if _accepted(languages, states):
            words[text] = None
        for low, high, target in steps[states]:
            if target not in distances:
                continue
            samples = _samples(low, high)
            complete = complete and len(samples) == high - low + 1
            for character in samples:
                ticket += 1
                total = len(text) + 1 + distances[target]
                heappush(queue, (total, -len(text), ticket, target, text + character))
    return Shared(tuple(words), complete and not queue)


def _samples(low: int, high: int) -> list[str]:
    if high - low < 4:
        return [chr(code) for code in range(low, high + 1)]
    readable = [character for character in _READABLE if low <= ord(character) <= high]
    return (readable or [chr(low)])[:2]
