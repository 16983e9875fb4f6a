"""Parses the regular expressions that both engines of Pydantic know, and builds automata of what they match."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
from unicodedata import category

from pksk.dataclass import dataclass, field


class UnknownPattern(Exception):
    """A regular expression that cannot be analysed: look-around, back-references, flags, Unicode classes."""


@dataclass(frozen=True)
class Characters:
    """A set of characters: ranges and tests, or all others.

    Example:
        >>> "b" in Characters((("a", "c"),)), "b" in Characters((("a", "c"),), negated=True)
        (True, False)
    """

    ranges: tuple[tuple[str, str], ...] = ()
    tests: tuple[Callable[[str], bool], ...] = ()
    negated: bool = False

    def __contains__(self, character: str) -> bool:
        is_member = any(low <= character <= high for low, high in self.ranges) or any(
            test(character) for test in self.tests
        )
        return is_member is not self.negated

    def sample(self) -> str | None:
        """A character of the set, an ordinary one if possible."""
        return next((each for each in (*_ORDINARY, *(low for low, _ in self.ranges)) if each in self), None)


_ORDINARY: Final = "a0A-_.@ " + "".join(map(chr, range(33, 127)))
ANYTHING: Final = Characters(negated=True)


@dataclass
class PatternAutomaton:
    """The texts in which a regular expression finds a match, as states with arcs.

    `jumps` need no character; those of kind "begin" and "end" are possible only at the beginning and end of a text.
    State 0 is the first one and `accepting` the last one. The number of the state after the end of a text is inverted.
    """

    arcs: list[list[tuple[Characters, int]]] = field(default_factory=list)
    jumps: list[list[tuple[str, int]]] = field(default_factory=list)
    accepting: int = 0

    def state(self) -> int:
        """Add a state without transitions."""
        if len(self.arcs) >= _MAX_STATES:
            raise UnknownPattern
        self.arcs.append([])
        self.jumps.append([])
        return len(self.arcs) - 1

    def closure(self, state: int, *, at_begin: bool) -> frozenset[int]:
        """The states that can be reached without a further character."""
        seen, waiting = {state}, [state]
        while waiting:
            here = waiting.pop()
            ended = here < 0
            for kind, target in self.jumps[~here if ended else here]:
                arc_target = ~target if ended or kind == "end" else target
                if arc_target not in seen and (kind != "begin" or at_begin):
                    seen.add(arc_target)
                    waiting.append(arc_target)
        return frozenset(seen)


# Extends an automaton from a state; returns the state after it.
_Build = Callable[[PatternAutomaton, int], int]

_MAX_STATES = 2000
# Longer repetitions are not counted: {1,500} may repeat for ever.
_MAX_COUNTED = 100


def pattern_automaton(pattern: str, *, python: bool) -> PatternAutomaton:
    """The automaton of a pattern, for Python's engine or that of Rust; raises UnknownPattern if it is not known.

    Example:
        >>> len(pattern_automaton("^[a-z]{2}$", python=False).arcs)
        6
    """
    build = _Parser(pattern, python=python).parsed()
    automaton = PatternAutomaton()
    start = automaton.state()
    automaton.arcs[start].append((ANYTHING, start))
    automaton.accepting = build(automaton, start)
    automaton.arcs[automaton.accepting].append((ANYTHING, automaton.accepting))
    return automaton


def _jump(kind: str) -> _Build:
    def build(automaton: PatternAutomaton, start: int) -> int:
        end = automaton.state()
        automaton.jumps[start].append((kind, end))
        return end

    return build


def _one(characters: Characters) -> _Build:
    def build(automaton: PatternAutomaton, start: int) -> int:
        end = automaton.state()
        automaton.arcs[start].append((characters, end))
        return end

    return build


def _line_end(automaton: PatternAutomaton, start: int) -> int:
    """What `$` is in Python: the end of the text, or before a newline at its end."""
    end = automaton.state()
    automaton.jumps[start].append(("end", end))
    automaton.arcs[start].append((Characters((("\n", "\n"),)), ~end))
    return end


def _sequence(builds: list[_Build]) -> _Build:
    def build(automaton: PatternAutomaton, start: int) -> int:
        for each in builds:
            start = each(automaton, start)
        return start

    return build


def _choice(builds: list[_Build]) -> _Build:
    def build(automaton: PatternAutomaton, start: int) -> int:
        end = automaton.state()
        for each in builds:
            automaton.jumps[each(automaton, _jump("")(automaton, start))].append(("", end))
        return end

    return build


def _repeated(once: _Build, low: int, high: int | None) -> _Build:
    def build(automaton: PatternAutomaton, start: int) -> int:
        for _ in range(min(low, _MAX_COUNTED)):
            start = once(automaton, start)
        if high is None or high > _MAX_COUNTED:
            loop = _jump("")(automaton, start)
            automaton.jumps[once(automaton, loop)].append(("", loop))
            return _jump("")(automaton, loop)
        ends = [start]
        for _ in range(high - low):
            ends.append(once(automaton, ends[-1]))
        end = automaton.state()
        for each in ends:
            automaton.jumps[each].append(("", end))
        return end

    return build


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _is_unicode_word(character: str) -> bool:
    r"""What `\w` is in Rust: letters, marks, decimal digits, connectors and joiners."""
    kind = category(character)
    letter = kind[0] in "LM" or kind in ("Nd", "Nl", "Pc") or character in "\u200c\u200d"
    return letter or "\u24b6" <= character <= "\u24e9" or "\U0001f130" <= character <= "\U0001f189"


def _is_space(character: str) -> bool:
    return character.isspace()


def _is_unicode_space(character: str) -> bool:
    r"""What `\s` is in Rust, which does not count separators of data as space."""
    return character.isspace() and not "\x1c" <= character <= "\x1f"


_CONTROLS: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_QUANTIFIER: Final = re.compile(r"[*+?]|\{(\d+)(,(\d*))?\}")


class _Parser:
    """A recursive descent over the text of a pattern."""

    def __init__(self, text: str, *, python: bool) -> None:
        self.text, self.python, self.at = text, python, 0

    def parsed(self) -> _Build:
        build = self.choice()
        if self.at < len(self.text):
            raise UnknownPattern
        return build

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        if self.at >= len(self.text):
            raise UnknownPattern
        self.at += 1
        return self.text[self.at - 1]

    def skip(self, text: str) -> bool:
        is_next = self.text.startswith(text, self.at)
        self.at += len(text) if is_next else 0
        return is_next

    def choice(self) -> _Build:
        branches = [self.sequence()]
        while self.skip("|"):
            branches.append(self.sequence())
        return branches[0] if len(branches) == 1 else _choice(branches)

    def sequence(self) -> _Build:
        items: list[_Build] = []
        while self.peek() not in ("", "|", ")"):
            items.append(self.repetition(self.atom()))
        return _sequence(items)

    def repetition(self, build: _Build) -> _Build:
        quantifier = _QUANTIFIER.match(self.text, self.at)
        if quantifier is None:
            return build
        self.at = quantifier.end()
        # Lazy or not, it matches the same texts.
        self.skip("?")
        if self.peek() in ("*", "+", "{"):
            raise UnknownPattern  # possessive in Python, repeated twice in Rust
        if quantifier[1] is None:
            low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[quantifier[0]]
        else:
            low = int(quantifier[1])
            high = low if quantifier[2] is None else int(quantifier[3]) if quantifier[3] else None
        return _repeated(build, low, high)

    def atom(self) -> _Build:
        character = self.take()
        if character == "(":
            return self.group()
        if character == "[":
            return _one(self.characters())
        if character == ".":
            return _one(Characters((("\n", "\n"),), negated=True))
        if character == "^":
            return _jump("begin")
        if character == "$":
            return _line_end if self.python else _jump("end")
        if character == "\\":
            return self.escape()
        if character in "*+?{":
            raise UnknownPattern
        return _one(Characters(((character, character),)))

    def group(self) -> _Build:
        if self.skip("?"):
            named = self.skip("P<") or (not self.python and self.peek() == "<" and self.skip("<"))
            if named:
                self.at = self.text.find(">", self.at) + 1
                if not self.at or not re.fullmatch(r"\w+", self.text[: self.at - 1].rpartition("<")[2]):
                    raise UnknownPattern
            elif not self.skip(":"):
                raise UnknownPattern
        build = self.choice()
        if not self.skip(")"):
            raise UnknownPattern
        return build

    def escape(self) -> _Build:
        character = self.peek()
        if character == "A":
            self.at += 1
            return _jump("begin")
        if character == ("Z" if self.python else "z"):
            self.at += 1
            return _jump("end")
        return _one(self.escaped())

    def escaped(self) -> Characters:
        """The characters that an escape stands for, in a class or outside."""
        character = self.take()
        if character.lower() in "dws":
            return Characters(tests=(self._test(character.lower()),), negated=character.isupper())
        if character == "x" and self.peek() != "{":
            code, self.at = self.text[self.at : self.at + 2], self.at + 2
            if not re.fullmatch("[0-9A-Fa-f]{2}", code):
                raise UnknownPattern
            character = chr(int(code, 16))
        elif character in _CONTROLS:
            character = _CONTROLS[character]
        elif character.isalnum() or not character.isascii() or (character in "<>" and not self.python):
            raise UnknownPattern
        return Characters(((character, character),))

    def _test(self, kind: str) -> Callable[[str], bool]:
        if kind == "d":
            return str.isdecimal
        if kind == "w":
            return _is_word if self.python else _is_unicode_word
        return _is_space if self.python else _is_unicode_space

    def characters(self) -> Characters:
        """The class after `[`."""
        negated = self.skip("^")
        ranges: list[tuple[str, str]] = []
        tests: list[Callable[[str], bool]] = []
        first = True
        while first or self.peek() != "]":
            if not self.python and (
                self.peek() == "[" or self.text[self.at : self.at + 2] in ("&&", "--", "~~")
            ):
                raise UnknownPattern
            first = False
            low = self._member()
            if low.tests:
                tests.append(low.__contains__)
                continue
            ((start, end),) = low.ranges
            if self.peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                high = self._member()
                if high.tests or (not self.python and start == "-"):
                    raise UnknownPattern
                end = high.ranges[0][1]
            ranges.append((start, end))
        self.at += 1
        return Characters(tuple(ranges), tuple(tests), negated=negated)

    def _member(self) -> Characters:
        character = self.take()
        return self.escaped() if character == "\\" else Characters(((character, character),))
