"""The tokens of a statement."""

from __future__ import annotations

import pytest

from pksk.client import ServiceError
from pksk.engine.partiql.tokens import Tokens

from .music import MALFORMED


def shown(text: str) -> list[tuple[str, str]]:
    tokens = Tokens(text)
    found = []
    while tokens.next.kind != "end":
        token = tokens.take()
        found.append((token.kind, token.text))
    return found


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("select Select", [("keyword", "SELECT"), ("keyword", "SELECT")]),
        ("a _b $c a1", [("word", "a"), ("word", "_b"), ("word", "$c"), ("word", "a1")]),
        ("year MONTH day", [("word", "year"), ("word", "MONTH"), ("word", "day")]),
        ("\"select\" \"a\"\"b\" \"é😀\"", [("quoted", "select"), ("quoted", 'a"b'), ("quoted", "é😀")]),
        ("'it''s' '' 'a\nb'", [("string", "it's"), ("string", ""), ("string", "a\nb")]),
        ("1 1.5 .5 5. 1e3 1.E-3", [("number", n) for n in ("1", "1.5", ".5", "5.", "1e3", "1.E-3")]),
        ("a<=b<>c!=d<<e>>f>=g", [
            ("word", "a"), ("symbol", "<="), ("word", "b"), ("symbol", "<>"), ("word", "c"), ("symbol", "!="),
            ("word", "d"), ("symbol", "<<"), ("word", "e"), ("symbol", ">>"), ("word", "f"), ("symbol", ">="),
            ("word", "g"),
        ]),
        ("a -- b\n/* c\n * d */ e", [("word", "a"), ("word", "e")]),
        ("?,?", [("symbol", "?"), ("symbol", ","), ("symbol", "?")]),
    ],
)  # fmt: skip
def test_a_statement_is_split_into_tokens(text: str, tokens: list[tuple[str, str]]) -> None:
    assert shown(text) == tokens


@pytest.mark.parametrize(
    "text",
    [
        "'a",
        '"a',
        "'a''",
        "`a`",
        "1a",
        "1e",
        "é",
        "😀",
        "\x00",
        "a # b",
        "!",
        "&",
        "~",
        "\\",
        "/* a",
        "/* " * 2700,
    ],
)
def test_invalid_characters_are_rejected_without_details(text: str) -> None:
    with pytest.raises(ServiceError) as caught:
        Tokens(f"SELECT {text}")

    assert (caught.value.code, caught.value.message) == ("ValidationException", MALFORMED)


@pytest.mark.parametrize(
    ("text", "position"),
    [("a b", "1:3:1"), ("a\n  bcd", "2:3:3"), ("'é' bc", "1:5:2"), ('a\n\n"b c"', "3:1:5")],
)
def test_an_error_has_line_column_and_length(text: str, position: str) -> None:
    tokens = Tokens(text)
    tokens.take()

    assert tokens.located("Words", tokens.next).message == f"Words at {position}"
