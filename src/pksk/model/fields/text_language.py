"""The texts that a field can hold: whether a text is the beginning, or a part, of one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any, Final, Protocol

from pksk.errors import quote
from pksk.model.fields.text_patterns import PatternAutomaton, UnknownPattern, pattern_automaton
from pksk.model.markers.stored import stored_marker
from pksk.model.storing.core_schema import Node, inner_node, is_trusted, wire_types, wrapped_nodes


class Texts(Protocol):
    """A set of texts, such as those that match a pattern."""

    rule: str

    def adapted(self, text: str) -> str:
        """A text with the changes that validation makes to values, such as lower case."""

    def can_begin(self, text: str) -> bool:
        """Whether one of the texts begins so; True if that is not known."""

    def can_contain(self, text: str) -> bool:
        """Whether one of the texts contains this; True if that is not known."""

    def completed(self, text: str) -> str | None:
        """One of the texts that begins so, as short as possible; None if none is known."""


class FiniteTexts:
    """A few texts, such as the values of an Enum.

    Example:
        >>> FiniteTexts(["open", "paid"]).can_begin("pa")
        True
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.rule = f"one of {', '.join(map(quote, texts))}"

    def adapted(self, text: str) -> str:
        return text

    def can_begin(self, text: str) -> bool:
        return self.completed(text) is not None

    def can_contain(self, text: str) -> bool:
        return any(text in each for each in self.texts)

    def completed(self, text: str) -> str | None:
        return next((each for each in self.texts if each.startswith(text)), None)


class EitherTexts:
    """The texts of several sets."""

    def __init__(self, choices: Sequence[Texts]) -> None:
        self.choices = choices
        self.rule = " or ".join(each.rule for each in choices)

    def adapted(self, text: str) -> str:
        return next((each.adapted(text) for each in self.choices if each.can_begin(text)), text)

    def can_begin(self, text: str) -> bool:
        return any(each.can_begin(text) for each in self.choices)

    def can_contain(self, text: str) -> bool:
        return any(each.can_contain(text) for each in self.choices)

    def completed(self, text: str) -> str | None:
        return next(
            (completion for each in self.choices if (completion := each.completed(text)) is not None), None
        )


_MAX_REMEMBERED = 10_000
# The number of further characters up to which it is known whether they complete a text.
_MAX_LAYERS = 2_000
_States = frozenset[int]


class PatternTexts:
    """Texts of some lengths in which a regular expression finds a match, perhaps stripped or in one letter case.

    Example:
        >>> cells = PatternTexts("^[0-9a-z]*$", shortest=3, longest=3)
        >>> cells.can_begin("w0"), cells.can_begin("W0"), cells.can_begin("w000"), cells.completed("w")
        (True, False, False, 'waa')
    """

    def __init__(
        self,
        pattern: str | re.Pattern[str] | None = None,
        *,
        shortest: int = 0,
        longest: int | None = None,
        case: str = "",
        strip: bool = False,
        python: bool = False,
        rule: str = "",
    ) -> None:
        self.shortest, self.longest, self.case, self.strip = shortest, longest, case, strip
        text = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
        self.rule = rule or _rule(text, shortest, longest)
        self._automaton = None if pattern is None else _automaton(pattern, python=python)
        self._layers: list[_States] = []
        self._followers: dict[tuple[_States, str], _States] = {}
        if self._automaton is not None:
            automaton = self._automaton
            self._start = automaton.closure(0, at_begin=True)
            self._closures = [
                [(characters, automaton.closure(target, at_begin=False)) for characters, target in arcs]
                for arcs in automaton.arcs
            ]

    def adapted(self, text: str) -> str:
        stripped = text.lstrip() if self.strip else text
        return (
            stripped.lower()
            if self.case == "lower"
            else stripped.upper()
            if self.case == "upper"
            else stripped
        )

    def can_begin(self, text: str) -> bool:
        if self.longest is not None and len(text) > self.longest:
            return False
        states = self._after(text)
        return states is None or self._characters_to_end(states, len(text)) is not None

    def can_contain(self, text: str) -> bool:
        if self.longest is not None and len(text) > self.longest:
            return False
        if self._automaton is None:
            return True
        # Whether such a text also has the right length is not looked into.
        states = self._after(text, self._anywhere())
        return states is not None and self._end_within(states, 0, None) is not None

    def _anywhere(self) -> _States:
        """The states after any text."""
        states = self._start
        while True:
            arcs = [self._closures[state] for state in states if state >= 0]
            more = states.union(*(follower for each in arcs for _, follower in each))
            if more == states:
                return states
            states = more

    def completed(self, text: str) -> str | None:
        states = self._after(text)
        if states is None:
            return text + "a" * (self.shortest - len(text))
        count = self._characters_to_end(states, len(text))
        return None if count is None else self._completed(text, states, count)

    def _completed(self, text: str, states: _States, count: int) -> str | None:
        for remaining in range(count - 1, -1, -1):
            follower = next(self._samples(states, self._layer(remaining)), None)
            if follower is None:
                return None
            text += follower
            states = self._next(states, follower)
        return text

    def _samples(self, states: _States, then: _States) -> Iterator[str]:
        for state in states:
            for characters, targets in self._closures[state] if state >= 0 else ():
                sample = characters.sample() if targets & then else None
                if sample is not None:
                    yield sample

    def _after(self, text: str, states: _States | None = None) -> _States | None:
        """The states after a text; None without a pattern."""
        if self._automaton is None:
            return None
        states = self._start if states is None else states
        for character in text:
            states = self._next(states, character)
        return states

    def _next(self, states: _States, character: str) -> _States:
        followers = self._followers.get((states, character))
        if followers is None:
            if len(self._followers) >= _MAX_REMEMBERED:
                self._followers.clear()
            # The pattern applies before the letter case changes.
            cases = {character, *(character.lower() + character.upper() if self.case else "")}
            followers = frozenset().union(
                *(
                    follower
                    for state in states
                    for characters, follower in (self._closures[state] if state >= 0 else ())
                    if any(each in characters for each in cases)
                )
            )
            self._followers[states, character] = followers
        return followers

    def _characters_to_end(self, states: _States, length: int) -> int | None:
        """How many more characters complete a text of this length; None if none do."""
        longest = None if self.longest is None else self.longest - length
        return self._end_within(states, max(0, self.shortest - length), longest)

    def _end_within(self, states: _States, low: int, high: int | None) -> int | None:
        """The fewest characters, at least `low` and at most `high`, that lead from these states to the end."""
        if not states:
            return None
        count = min(low, _MAX_LAYERS)
        seen: set[_States] = set()
        while high is None or count <= high:
            layer = self._layer(count)
            if states & layer or count > _MAX_LAYERS:
                return count
            # From here on, the layers repeat themselves.
            if layer in seen:
                return None
            seen.add(layer)
            count += 1
        return None

    def _layer(self, count: int) -> _States:
        """The states from which this many characters lead to the end."""
        assert self._automaton is not None
        if not self._layers:
            accepting = self._automaton.accepting
            self._layers.append(frozenset((accepting, ~accepting)))
        while len(self._layers) <= count:
            last = self._layers[-1]
            self._layers.append(
                frozenset(
                    state
                    for state, arcs in enumerate(self._closures)
                    if any(not last.isdisjoint(targets) for _, targets in arcs)
                )
            )
        return self._layers[count]


def _automaton(pattern: str | re.Pattern[str], *, python: bool) -> PatternAutomaton | None:
    """The automaton of a pattern; None if it is not known."""
    try:
        if isinstance(pattern, str):
            return pattern_automaton(pattern, python=python)
        return pattern_automaton(pattern.pattern, python=True) if pattern.flags == re.UNICODE else None
    except UnknownPattern:
        return None


def _rule(pattern: str | None, shortest: int, longest: int | None) -> str:
    """The rule in words."""
    lengths = (
        f"{shortest} to {longest} characters" if shortest and longest is not None and shortest != longest
        else f"{longest} characters" if shortest and longest is not None
        else f"at most {longest} characters" if longest is not None
        else f"at least {shortest} characters" if shortest
        else ""
    )  # fmt: skip
    match = "" if pattern is None else f"text that matches {quote(pattern)}"
    return ", ".join(each for each in (match, lengths) if each) or "text"


_DAY = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_MINUTE = r"([01][0-9]|2[0-3]):[0-5][0-9]"
_SECOND = _MINUTE + ":[0-5][0-9]"
_UUIDS = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


# The stored texts of dates and times, by type or format: their pattern, and an example.
_TIMES: Final[Mapping[str, tuple[str, str]]] = {
    "date": (_DAY, "2025-03-01"),
    "time": (rf"{_SECOND}(\.[0-9]{{6}})?([+-]{_MINUTE})?", "18:30:00"),
    "naive": (rf"{_DAY}T{_SECOND}(\.[0-9]{{6}})?", "2025-03-01T18:30:00"),
    "iso-minutes": (f"{_DAY}T{_MINUTE}Z", "2025-03-01T18:30Z"),
    "iso-seconds": (f"{_DAY}T{_SECOND}Z", "2025-03-01T18:30:00Z"),
    "iso-milliseconds": (rf"{_DAY}T{_SECOND}\.[0-9]{{3}}Z", "2025-03-01T18:30:00.000Z"),
    "iso-microseconds": (rf"{_DAY}T{_SECOND}\.[0-9]{{6}}Z", "2025-03-01T18:30:00.000000Z"),
}


@cache
def _times(name: str) -> PatternTexts | None:
    if name not in _TIMES:
        return None
    pattern, example = _TIMES[name]
    return PatternTexts(f"^{pattern}$", rule=f"{'dates' if name == 'date' else 'times'} such as {example!r}")


def texts_of(node: Node, known: Mapping[str, Node], config: Mapping[str, Any]) -> Texts | None:
    """The texts that values of a core schema are stored as; None if all are possible, or it is not known."""
    kind = node["type"]
    if (marker := stored_marker(node)) is not None:
        return _times(marker.format) if isinstance(marker.format, str) else None
    if kind == "definition-ref":
        return texts_of(known[node["schema_ref"]], known, config)
    if kind == "str":
        return _constrained_texts(node, config)
    if kind in ("date", "time", "datetime"):
        is_naive = node.get("tz_constraint") == "naive"
        return _times(kind if kind != "datetime" else "naive" if is_naive else "iso-microseconds")
    if kind == "uuid":
        return PatternTexts(_UUIDS, case="lower", rule="UUIDs in lower case")
    if kind in ("enum", "literal"):
        values = [
            each.value if isinstance(each, Enum) else each for each in node.get("members") or node["expected"]
        ]
        return FiniteTexts([each for each in values if isinstance(each, str)])
    if kind == "union":
        listed = [each[0] if isinstance(each, tuple) else each for each in node["choices"]]
        return _either_texts(listed, known, config)
    inside = inner_node(node)
    return None if inside is None else texts_of(inside, known, config)


def _either_texts(choices: list[Node], known: Mapping[str, Node], config: Mapping[str, Any]) -> Texts | None:
    languages: list[Texts] = []
    for each in choices:
        types = wire_types(each, known)
        if types is not None and "S" not in types:
            continue
        # What validators of the user make of a value is not known.
        known_value = all(is_trusted(one) for one in wrapped_nodes(each, known) if "function" in one)
        texts = texts_of(each, known, config) if known_value else None
        if texts is None:
            return None
        languages.append(texts)
    return EitherTexts(languages)


def _constrained_texts(node: Node, config: Mapping[str, Any]) -> Texts | None:
    def option(name: str) -> Any:
        own = node.get(name)
        return config.get(f"str_{name}") if own is None else own

    case = "lower" if option("to_lower") else "upper" if option("to_upper") else ""
    shortest, longest = option("min_length") or 0, option("max_length")
    pattern, strip = node.get("pattern"), bool(option("strip_whitespace"))
    if not (case or strip or shortest or pattern) and longest is None:
        return None
    engine = node.get("regex_engine") or config.get("regex_engine")
    return PatternTexts(
        pattern, shortest=shortest, longest=longest, case=case, strip=strip, python=engine == "python-re"
    )
