"""The set of all texts that something can render, as a finite automaton that can be asked what it shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["DIGITS", "HEX_DIGITS", "SCALARS", "Frozen", "Interval", "Language", "span_language", "without"]

Interval = tuple[int, int]

DIGITS: tuple[Interval, ...] = ((ord("0"), ord("9")),)
HEX_DIGITS: tuple[Interval, ...] = (*DIGITS, (ord("a"), ord("f")))

# Every code point that UTF-8 can hold: all but the surrogates.
SCALARS: tuple[Interval, ...] = ((0, 0xD7FF), (0xE000, 0x10FFFF))


class Arc(NamedTuple):
    """One step: any character from `low` to `high` leads to `target`."""

    low: int
    high: int
    target: int


def without(characters: str, intervals: Iterable[Interval] = SCALARS) -> tuple[Interval, ...]:
    """The intervals with some characters taken out.

    Example:
        >>> without("b", [(ord("a"), ord("c"))])
        ((97, 97), (99, 99))
    """
    left = list(intervals)
    for code in sorted(map(ord, characters)):
        left = [piece for low, high in left for piece in _split(low, high, code)]
    return tuple(left)


def _split(low: int, high: int, code: int) -> Iterator[Interval]:
    if not low <= code <= high:
        yield low, high
        return
    if low < code:
        yield low, code - 1
    if code < high:
        yield code + 1, high


class Language:
    """An automaton that is built from left to right: `end` is where the text read so far stops.

    Example:
        >>> language = Language()
        >>> language.word("a#")
        >>> language.repeat([(ord("0"), ord("9"))])
        >>> language.accepts("a#42"), language.accepts("a#x")
        (True, False)
    """

    def __init__(self) -> None:
        self.arcs: list[list[Arc]] = [[]]
        self.jumps: list[list[int]] = [[]]
        self.end = 0

    def state(self) -> int:
        """A new state that nothing leads to yet."""
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

    def repeat(self, intervals: Iterable[Interval], *, least: int = 0) -> None:
        """Continue with any number of characters of the intervals."""
        intervals = list(intervals)
        for _ in range(least):
            self.one(intervals)
        loop = self.state()
        self.jumps[self.end].append(loop)
        self.arc(loop, intervals, loop)
        self.end = loop

    def closure(self, state: int) -> set[int]:
        """The states that a state is, by jumps that read nothing."""
        seen, waiting = {state}, [state]
        while waiting:
            for target in self.jumps[waiting.pop()]:
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return seen

    def freeze(self) -> Frozen:
        """The automaton without jumps, ready to be searched."""
        closures = [self.closure(state) for state in range(len(self.arcs))]
        arcs = tuple(
            tuple(arc for state in sorted(closure) for arc in self.arcs[state]) for closure in closures
        )
        return Frozen(arcs, frozenset(state for state, closure in enumerate(closures) if self.end in closure))

    def accepts(self, text: str) -> bool:
        """Whether the text belongs to the language."""
        frozen, states = self.freeze(), {0}
        for code in map(ord, text):
            states = {
                arc.target for state in states for arc in frozen.arcs[state] if arc.low <= code <= arc.high
            }
        return bool(states & frozen.accepting)


@dataclass(frozen=True, slots=True)
class Frozen:
    """An automaton ready to be searched; it begins at state 0."""

    arcs: tuple[tuple[Arc, ...], ...]
    accepting: frozenset[int]

    def extended(self) -> Frozen:
        """The texts that go on for at least one character after one of this language."""
        anything, arcs = len(self.arcs), list(self.arcs)
        for state in self.accepting:
            arcs[state] = (*arcs[state], *(Arc(low, high, anything) for low, high in SCALARS))
        arcs.append(tuple(Arc(low, high, anything) for low, high in SCALARS))
        return Frozen(tuple(arcs), frozenset([anything]))


def span_language(lower: str | None, upper: str | None, *, upper_included: bool = True) -> list[Frozen]:
    """The texts from `lower` to `upper`, as languages to intersect with; None is no limit.

    Example:
        >>> len(span_language("b", "d")), len(span_language(None, "d"))
        (2, 1)
    """
    limits = []
    if lower is not None:
        limits.append(_at_least(lower))
    if upper is not None:
        limits.append(_at_most(upper, included=upper_included))
    return limits


def _at_least(text: str) -> Frozen:
    end = len(text)
    arcs = [(Arc(ord(char), ord(char), index + 1), *_above(char, end)) for index, char in enumerate(text)]
    arcs.append(tuple(Arc(low, high, end) for low, high in SCALARS))
    return Frozen(tuple(arcs), frozenset([end]))


def _above(character: str, target: int) -> list[Arc]:
    first = ord(character) + 1
    return [Arc(max(low, first), high, target) for low, high in SCALARS if high >= first]


def _at_most(text: str, *, included: bool) -> Frozen:
    end, anything = len(text), len(text) + 1
    arcs: list[tuple[Arc, ...]] = []
    for index, character in enumerate(text):
        last = ord(character) - 1
        below = [Arc(low, min(high, last), anything) for low, high in SCALARS if low <= last]
        arcs.append((Arc(ord(character), ord(character), index + 1), *below))
    arcs.append(())
    arcs.append(tuple(Arc(low, high, anything) for low, high in SCALARS))
    accepting = {*range(end), anything} | ({end} if included else set())
    return Frozen(tuple(arcs), frozenset(accepting))
