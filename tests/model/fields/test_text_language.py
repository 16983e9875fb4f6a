"""Whether a text is the beginning of a valid one: against Pydantic itself, with both of its regex engines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic_core import SchemaError, SchemaValidator, ValidationError

from pksk.model.fields.text_language import FiniteTexts, PatternTexts, texts_of
from pksk.model.fields.text_patterns import UnknownPattern, pattern_automaton

ALPHABET = "abAZ09_- \n.é"
Engine = Literal["rust-regex", "python-re"]

_CLASSES = [
    r"\d",
    r"\w",
    r"\s",
    r"\D",
    r"\W",
    r"\S",
    ".",
    "[a-z]",
    "[^a-z]",
    "[0-9A-F]",
    "[-_.]",
    r"[\w-]",
    r"[^\d ]",
]
_ATOMS = st.sampled_from([*"abA09_", *_CLASSES, r"\.", r"\n", r"\-"])
_QUANTIFIERS = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "*?", "+?"])


@st.composite
def _patterns(draw: st.DrawFn, depth: int = 2) -> str:
    branches = []
    for _ in range(draw(st.integers(1, 2))):
        items = []
        for _ in range(draw(st.integers(0, 4))):
            inner = depth and draw(st.integers(0, 4)) == 0
            opening = draw(st.sampled_from(["(", "(?:", "(?P<n>"])) if inner else ""
            atom = f"{opening}{draw(_patterns(depth=depth - 1))})" if inner else draw(_ATOMS)
            items.append(atom + draw(_QUANTIFIERS))
        begin, end = draw(st.sampled_from([("^", "$"), ("", ""), ("^", ""), ("", "$"), (r"\A", "")]))
        branches.append(begin + "".join(items) + end)
    return "|".join(branches)


def _validator(pattern: str, engine: Engine, **lengths: int | None) -> SchemaValidator:
    limits = {name: limit for name, limit in lengths.items() if limit is not None}
    node: Any = {"type": "str", "pattern": pattern, "regex_engine": engine, **limits}
    try:
        return SchemaValidator(node)
    except SchemaError:  # such as one name for two groups
        assume(False)
        raise


def _accepts(validator: SchemaValidator, text: str) -> bool:
    try:
        validator.validate_python(text)
    except ValidationError:
        return False
    return True


def _parts(text: str) -> Iterator[str]:
    return (text[start:end] for start in range(len(text)) for end in range(start, len(text) + 1))


@settings(max_examples=400)
@given(
    pattern=_patterns(),
    engine=st.sampled_from(["rust-regex", "python-re"]),
    text=st.text(ALPHABET, max_size=6),
    shortest=st.integers(0, 4),
    longest=st.none() | st.integers(0, 7),
)
def test_exactly_the_beginnings_of_valid_texts_can_begin_one(
    pattern: str, engine: Engine, text: str, shortest: int, longest: int | None
) -> None:
    validator = _validator(pattern, engine, min_length=shortest, max_length=longest)
    texts = PatternTexts(pattern, shortest=shortest, longest=longest, python=engine == "python-re")

    if _accepts(validator, text):
        assert all(texts.can_begin(text[:end]) for end in range(len(text) + 1))
        assert all(texts.can_contain(part) for part in _parts(text))
    completed = texts.completed(text)
    assert texts.can_begin(text) == (completed is not None)
    if completed is not None:
        assert completed.startswith(text)
        assert _accepts(validator, completed), completed


@given(
    text=st.text("abAB ", max_size=4), change=st.sampled_from(["to_lower", "to_upper", "strip_whitespace"])
)
def test_beginnings_of_changed_texts_can_begin_one(text: str, change: str) -> None:
    node: Any = {"type": "str", "pattern": "^[aB]+( [aB]+)*$", change: True}
    validator, texts = SchemaValidator(node), texts_of(node, {}, {})
    assert texts is not None

    if _accepts(validator, text):
        made = validator.validate_python(text)
        assert all(texts.can_begin(made[:end]) for end in range(len(made) + 1))
        assert made.startswith(texts.adapted(text).rstrip())
    else:
        assert all(not texts.can_begin(texts.adapted(text + more)) for more in ("C", "-", "1"))


@pytest.mark.parametrize(
    "pattern",
    ["(?i)a", r"\ba", "(?=a)", r"(a)\1", r"\p{L}", "[a-z&&[^b]]", "[[:alpha:]]", "a++", "(?<!a)b", "a{,3}"],
)
def test_a_pattern_that_cannot_be_analysed_allows_every_text(pattern: str) -> None:
    with pytest.raises(UnknownPattern):
        pattern_automaton(pattern, python=False)

    texts = PatternTexts(pattern, longest=5)
    assert texts.can_begin("W00")
    assert not texts.can_begin("W00000")


def test_a_compiled_pattern_with_flags_is_not_analysed() -> None:
    assert not PatternTexts(re.compile("^a")).can_begin("A")
    assert PatternTexts(re.compile("^a", re.IGNORECASE)).can_begin("A")


def test_a_long_repetition_is_counted_by_the_length_alone() -> None:
    texts = PatternTexts("^[a-z]{3,500}$", longest=500)

    assert texts.can_begin("a" * 500)
    assert not texts.can_begin("a" * 501)
    assert not texts.can_begin("A")


def test_values_of_a_union_are_those_of_each_choice() -> None:
    choices = [
        {"type": "literal", "expected": ["none"]},
        {"type": "str", "pattern": "^[0-9]+$"},
        {"type": "int"},
    ]
    texts = texts_of({"type": "union", "choices": choices}, {}, {})
    assert texts is not None

    assert [texts.can_begin(each) for each in ("no", "12", "x", "n1")] == [True, True, False, False]
    assert [texts.can_contain(each) for each in ("on", "2", "x")] == [True, True, False]
    assert (texts.completed("n"), texts.completed("1"), texts.completed("x")) == ("none", "1", None)


def test_texts_of_an_enum_are_its_values() -> None:
    texts = FiniteTexts(["open", "paid"])

    assert [texts.can_begin(each) for each in ("", "op", "paid", "paids", "x")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert texts.rule == "one of 'open', 'paid'"
