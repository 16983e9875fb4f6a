"""Finite automata for the keys that templates can render, and the texts that several of them share."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import Any, NamedTuple

from pksk.dataclass import dataclass

Interval = tuple[int, int]

# All code points that UTF-8 can encode, so no surrogates.
ALL_CHARACTERS: tuple[Interval, ...] = ((0, 0xD7FF), (0xE000, 0x10FFFF))


class Arc(NamedTuple):
    """A transition: any character from `low` to `high` leads to state `target`."""

    low: int
    high: int
    target: int


def _split(low: int, high: int, code: int) -> Iterator[Interval]:
    if not low <= code <= high:
        yield low, high
        return
    if low < code:
        yield low, code - 1
    if code < high:
        yield code + 1, high


class AutomatonBuilder:
    """Builds an automaton from left to right; `end` is the state after the text added so far.

    Example:
        >>> language = AutomatonBuilder()
        >>> language.word("a#")
        >>> language.repeat([(ord("0"), ord("9"))])
        >>> language.accepts("a#42"), language.accepts("a#x")
        (True, False)
    """

    DIGITS: tuple[Interval, ...] = ((ord("0"), ord("9")),)
    HEX_DIGITS: tuple[Interval, ...] = (*DIGITS, (ord("a"), ord("f")))
    ALL_CHARACTERS = ALL_CHARACTERS

    @staticmethod
    def all_except(characters: str) -> tuple[Interval, ...]:
        """All characters but some."""
        intervals = list(ALL_CHARACTERS)
        for code in sorted(map(ord, characters)):
            intervals = [piece for low, high in intervals for piece in _split(low, high, code)]
        return tuple(intervals)

    def __init__(self) -> None:
        self.arcs: list[list[Arc]] = [[]]
        self.jumps: list[list[int]] = [[]]
        self.end = 0

    def state(self) -> int:
        """Add a state without transitions to it."""
        self.arcs.append([])
        self.jumps.append([])
        return len(self.arcs) - 1

    def arc(self, source: int, intervals: Iterable[Interval], target: int) -> None:
        """Any character of the intervals leads from source to target."""
        self.arcs[source].extend(Arc(low, high, target) for low, high in intervals)

    def word(self, text: str) -> None:
        """Continue with exactly this text."""
        self.choice([text])

    def choice(self, texts: Iterable[str]) -> None:
        """Continue with one of these texts."""
        target = self.state()
        tree: dict[str, int] = {"": self.end}
        for text in texts:
            for length in range(1, len(text) + 1):
                if text[:length] not in tree:
                    tree[text[:length]] = self.state()
                    code = ord(text[length - 1])
                    self.arc(tree[text[: length - 1]], [(code, code)], tree[text[:length]])
            self.jumps[tree[text]].append(target)
        self.end = target

    def one(self, intervals: Iterable[Interval]) -> None:
        """Continue with one character of the intervals."""
        target = self.state()
        self.arc(self.end, intervals, target)
        self.end = target

    def repeat(self, intervals: Iterable[Interval], *, minimum: int = 0) -> None:
        """Continue with any number of characters of the intervals."""
        intervals = list(intervals)
        for _ in range(minimum):
            self.one(intervals)
        loop = self.state()
        self.jumps[self.end].append(loop)
        self.arc(loop, intervals, loop)
        self.end = loop

    def closure(self, state: int) -> set[int]:
        """All states reachable from a state by jumps alone."""
        seen, waiting = {state}, [state]
        while waiting:
            for target in self.jumps[waiting.pop()]:
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return seen

    def freeze(self) -> Automaton:
        """The automaton without jumps, ready to be searched."""
        closures = [self.closure(state) for state in range(len(self.arcs))]
        arcs = tuple(
            tuple(arc for state in sorted(closure) for arc in self.arcs[state]) for closure in closures
        )
        return Automaton(
            arcs, frozenset(state for state, closure in enumerate(closures) if self.end in closure)
        )

    def accepts(self, text: str) -> bool:
        """Whether the automaton accepts the text."""
        frozen, states = self.freeze(), {0}
        for code in map(ord, text):
            states = {
                arc.target for state in states for arc in frozen.arcs[state] if arc.low <= code <= arc.high
            }
        return bool(states & frozen.accepting)


@dataclass(frozen=True, slots=True)
class Automaton:
    """An automaton ready to be searched; it begins at state 0."""

    arcs: tuple[tuple[Arc, ...], ...]
    accepting: frozenset[int]

    def extended(self) -> Automaton:
        """The texts of this language extended by one or more characters."""
        anything, arcs = len(self.arcs), list(self.arcs)
        for state in self.accepting:
            arcs[state] = (*arcs[state], *(Arc(low, high, anything) for low, high in ALL_CHARACTERS))
        arcs.append(tuple(Arc(low, high, anything) for low, high in ALL_CHARACTERS))
        return Automaton(tuple(arcs), frozenset([anything]))


def range_automata(lower: str | None, upper: str | None, *, upper_included: bool = True) -> list[Automaton]:
    """The texts from `lower` to `upper`, as languages to intersect with; None means no limit."""
    limits = []
    if lower is not None:
        limits.append(_at_least(lower))
    if upper is not None:
        limits.append(_at_most(upper, included=upper_included))
    return limits


def _at_least(text: str) -> Automaton:
    end = len(text)
    arcs = [(Arc(ord(char), ord(char), index + 1), *_above(char, end)) for index, char in enumerate(text)]
    arcs.append(tuple(Arc(low, high, end) for low, high in ALL_CHARACTERS))
    return Automaton(tuple(arcs), frozenset([end]))


def _above(character: str, target: int) -> list[Arc]:
    first = ord(character) + 1
    return [Arc(max(low, first), high, target) for low, high in ALL_CHARACTERS if high >= first]


def _at_most(text: str, *, included: bool) -> Automaton:
    end, anything = len(text), len(text) + 1
    arcs: list[tuple[Arc, ...]] = []
    for index, character in enumerate(text):
        last = ord(character) - 1
        below = [Arc(low, min(high, last), anything) for low, high in ALL_CHARACTERS if low <= last]
        arcs.append((Arc(ord(character), ord(character), index + 1), *below))
    arcs.append(())
    arcs.append(tuple(Arc(low, high, anything) for low, high in ALL_CHARACTERS))
    accepting = {*range(end), anything} | ({end} if included else set())
    return Automaton(tuple(arcs), frozenset(accepting))


# Characters that make an example readable; tried before the first one of a range.
_READABLE = "a01bAZ-"

_MAX_STEPS = 20_000
_MAX_STATES = 20_000


@dataclass(frozen=True, slots=True)
class CommonTexts:
    """Texts common to several languages, shortest first; `complete` if the list has all of them."""

    words: tuple[Any, ...]
    complete: bool


def intersect(*languages: Automaton, limit: int = 64) -> CommonTexts:
    """Texts common to all the languages, at most `limit` of them."""
    steps = _steps(languages)
    if steps is None:
        return CommonTexts((), complete=False)
    distances = _distances(languages, steps)
    if (0,) * len(languages) not in distances:
        return CommonTexts((), complete=True)
    return _search(languages, steps, distances, limit)


States = tuple[int, ...]
Step = tuple[int, int, States]


def _steps(languages: tuple[Automaton, ...]) -> dict[States, list[Step]] | None:
    """The steps out of each reachable combination of states; None if there are too many."""
    start = (0,) * len(languages)
    steps: dict[States, list[Step]] = {}
    waiting = [start]
    while waiting:
        states = waiting.pop()
        if states in steps:
            continue
        if len(steps) >= _MAX_STATES:
            return None
        steps[states] = sorted(_common_steps(languages, states), key=_readability)
        waiting.extend(target for _, _, target in steps[states])
    return steps


def _readability(step: Step) -> int:
    low, high, _ = step
    return next((rank for rank, char in enumerate(_READABLE) if low <= ord(char) <= high), len(_READABLE))


def _common_steps(languages: tuple[Automaton, ...], states: States) -> Iterator[Step]:
    steps: list[Step] = [(0, 0x10FFFF, ())]
    for language, state in zip(languages, states, strict=True):
        steps = [
            (max(low, arc.low), min(high, arc.high), (*targets, arc.target))
            for low, high, targets in steps
            for arc in language.arcs[state]
            if max(low, arc.low) <= min(high, arc.high)
        ]
    yield from dict.fromkeys(steps)


def _is_accepting(languages: tuple[Automaton, ...], states: States) -> bool:
    return all(state in language.accepting for language, state in zip(languages, states, strict=True))


def _distances(languages: tuple[Automaton, ...], steps: dict[States, list[Step]]) -> dict[States, int]:
    """The fewest characters that complete a common text, for each combination of states."""
    before: dict[States, list[States]] = {}
    for states, out in steps.items():
        for _, _, target in out:
            before.setdefault(target, []).append(states)
    distances = {states: 0 for states in steps if _is_accepting(languages, states)}
    waiting = deque(distances)
    while waiting:
        target = waiting.popleft()
        for states in before.get(target, ()):
            if states not in distances:
                distances[states] = distances[target] + 1
                waiting.append(states)
    return distances


def _search(
    languages: tuple[Automaton, ...],
    steps: dict[States, list[Step]],
    distances: dict[States, int],
    limit: int,
) -> CommonTexts:
    """Best-first search: the text with the fewest characters left to add, then the longest one."""
    words: dict[str, None] = {}
    complete = True
    start = (0,) * len(languages)
    queue: list[tuple[int, int, int, States, str]] = [(distances[start], 0, 0, start, "")]
    ticket = 0
    while queue and len(words) < limit and ticket < _MAX_STEPS:
        _, _, _, states, text = heappop(queue)
        if _is_accepting(languages, states):
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
    return CommonTexts(tuple(words), complete and not queue)


def _samples(low: int, high: int) -> list[str]:
    if high - low < 4:
        return [chr(code) for code in range(low, high + 1)]
    readable = [character for character in _READABLE if low <= ord(character) <= high]
    return (readable or [chr(low)])[:2]
