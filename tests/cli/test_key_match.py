"""`pksk key match`."""

from __future__ import annotations

import json

from tests.cli.running import pksk

LINE = "ORDER#{id}#LINE#{n:04d}"


def test_match_prints_the_fields_one_a_line() -> None:
    assert pksk("key", "match", LINE, "ORDER#7#LINE#0012").out == "id=7\nn=12\n"


def test_what_match_prints_renders_the_key_again() -> None:
    fields = pksk("key", "match", LINE, "ORDER#a$23b#LINE#-9987").out.splitlines()

    assert pksk("key", "render", LINE, *fields).out == "ORDER#a$23b#LINE#-9987\n"


def test_a_key_of_another_template_is_refused_with_the_part_that_differs() -> None:
    ran = pksk("key", "match", LINE, "ORDER#7#LINE#12")

    assert (ran.code, ran.out) == (2, "")
    assert "key-mismatch" in ran.err
    assert "{n:04d}" in ran.err


def test_a_field_of_which_the_key_holds_a_piece_is_said_to_be_lost() -> None:
    ran = pksk("key", "match", "{name:.2}#{id}", "Al#7")

    assert ran.out == "id=7\n"
    assert ran.err == "The key holds only a piece of 'name', which cannot be given back.\n"


def test_a_value_that_cannot_be_printed_is_quoted() -> None:
    assert pksk("key", "match", "A#{x}", "A#\x1b[31m").out == "x='\\x1b[31m'\n"


def test_a_key_that_begins_with_a_hyphen_comes_after_two() -> None:
    assert pksk("key", "match", "{n:06d}", "--", "-999994").out == "n=-5\n"


def test_match_as_json_gives_values_in_types_that_are_exact() -> None:
    types = ["-t", "p=Decimal", "-t", "at=datetime", "-t", "b=bytes"]
    ran = pksk(
        "key", "match", "{n:03d}|{p}|{at}|{b}", "007|1.5|2025-12-31T18:30:00.000000Z|00ff", *types, "--json"
    )

    assert json.loads(ran.out)["values"] == {"n": 7, "p": "1.5", "at": "2025-12-31T18:30:00Z", "b": "00ff"}
