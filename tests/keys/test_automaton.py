"""Automata against regular expressions and plain comparison."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pksk.keys.automaton import AutomatonBuilder, intersect, range_automata
from pksk.keys.bounds import prefix_upper_bound

TEXT = st.text("ab0\ud7ff\ue000\U0010ffff", max_size=4)


def word(text: str) -> AutomatonBuilder:
    language = AutomatonBuilder()
    language.word(text)
    return language


@given(st.lists(TEXT, min_size=1, max_size=4), st.lists(TEXT, min_size=1, max_size=4))
def test_two_finite_languages_share_exactly_their_common_words(left: list[str], right: list[str]) -> None:
    first, second = AutomatonBuilder(), AutomatonBuilder()
    first.choice(left)
    second.choice(right)
    shared = intersect(first.freeze(), second.freeze())

    assert set(shared.words) == set(left) & set(right)
    assert shared.complete


@given(TEXT, TEXT, TEXT, st.booleans())
def test_a_span_holds_what_lies_between(text: str, lower: str, upper: str, included: bool) -> None:
    found = intersect(word(text).freeze(), *range_automata(lower, upper, upper_included=included))

    assert bool(found.words) == (lower <= text and (text <= upper if included else text < upper))


@given(TEXT, TEXT)
def test_raised_is_above_everything_that_begins_so_and_nothing_else(text: str, other: str) -> None:
    above = prefix_upper_bound(text)
    if text:
        assert above is None or above.encode()
        inside = text <= other and (above is None or other < above)
        assert inside == other.startswith(text)


def test_an_extended_language_goes_on_after_a_word() -> None:
    longer = word("ab").freeze().extended()

    assert intersect(longer, word("abc").freeze()).words == ("abc",)
    assert not intersect(longer, word("ab").freeze()).words
