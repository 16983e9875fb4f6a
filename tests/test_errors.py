"""Values in messages."""

from __future__ import annotations

from pksk.errors import quote


def test_the_length_of_a_cut_text_is_that_of_the_text_itself() -> None:
    assert quote("x" * 81, limit=80) == f"'{'x' * 79}…' (81 characters)"
    assert quote("\n" * 50) == "'" + "\\n" * 39 + "\\…' (50 characters)"
    assert quote(b"x" * 100, limit=4) == "b'xx…' (100 bytes)"


def test_a_cut_value_that_is_not_a_text_has_no_length() -> None:
    assert quote(list(range(9)), limit=6) == "[0, 1,…"
