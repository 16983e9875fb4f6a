"""`pksk key compare`."""

from __future__ import annotations

import json

from tests.cli.running import pksk


def test_templates_that_never_meet_are_said_to() -> None:
    assert pksk("key", "compare", "A#{x}", "B#{y}").out == (
        "same key                       never\n"
        "a left key begins a right one  never\n"
        "a right key begins a left one  never\n"
    )


def test_a_meeting_is_shown_by_an_example() -> None:
    first, *_ = pksk("key", "compare", "{name}", "user_{n}", "-t", "n=int").out.splitlines()

    assert (
        first
        == "same key                       possible: left 'user_0' from name=user_0, right 'user_0' from n=0"
    )


def test_templates_that_meet_do_not_fail_unless_asked() -> None:
    assert pksk("key", "compare", "{a}", "{b}").code == 0
    assert pksk("key", "compare", "{a}", "{b}", "--fail").code == 1


def test_templates_that_never_meet_do_not_fail() -> None:
    assert pksk("key", "compare", "A#{x}", "B#{y}", "--fail").code == 0


def test_a_type_can_be_of_one_side() -> None:
    sides = ["-t", "left.x=int", "-t", "right.x=date"]

    assert pksk("key", "compare", "{x}", "{x}", *sides).out.startswith("same key                       never")


def test_a_type_of_a_field_that_neither_has_is_refused() -> None:
    ran = pksk("key", "compare", "{x}", "{y}", "-t", "z=int")

    assert ran.code == 2
    assert "argument-type-field" in ran.err


def test_a_comparison_as_json_gives_verdicts_and_examples() -> None:
    document = json.loads(pksk("key", "compare", "{name}", "user_{n:02d}", "--json").out)

    assert document["disjoint"] is False
    assert document["same"]["verdict"] == "possible"
    assert document["same"]["left"]["key"] == document["same"]["right"]["key"]
