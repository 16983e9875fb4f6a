"""`pksk key render`."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import pksk


def test_render_prints_the_key_and_nothing_else() -> None:
    ran = pksk("key", "render", "ORDER#{id}#LINE#{n:04d}", "id=7", "n=12")

    assert (ran.code, ran.out, ran.err) == (0, "ORDER#7#LINE#0012\n", "")


@pytest.mark.parametrize(
    ("template", "value", "kind", "key"),
    [
        ("A#{x}", "a#b", "str", "A#a$23b"),
        ("A#{x}", "a=b..c", "str", "A#a=b..c"),
        ("A#{x}", "-5", "int", "A#-5"),
        ("A#{x}", "007", "int", "A#7"),
        ("A#{x}", "1.50", "Decimal", "A#1.5"),
        ("A#{x}", "2025-12-31", "date", "A#2025-12-31"),
        ("A#{x}", "2025-12-31T10:30-08:00", "datetime", "A#2025-12-31T18:30:00.000000Z"),
        ("A#{x}", "2025-12-31T10:30:00.5Z", "datetime", "A#2025-12-31T10:30:00.500000Z"),
        ("A#{x}", "8C5BE0F2-6B1E-4F0A-9F0E-2D7C1B6A4E55", "uuid", "A#8c5be0f2-6b1e-4f0a-9f0e-2d7c1b6a4e55"),
        ("A#{x}", "01arz3ndektsv4rrffq69g5fav", "ULID", "A#01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        ("A#{x}", "00FF", "bytes", "A#00ff"),
        ("A#{x:yes/no}", "true", "bool", "A#yes"),
        ("A#{x}", "paid", "literal:open,paid", "A#paid"),
    ],
)
def test_render_reads_a_value_by_its_type(template: str, value: str, kind: str, key: str) -> None:
    ran = pksk("key", "render", template, f"x={value}", "-t", f"x={kind}")

    assert (ran.out, ran.err) == (f"{key}\n", "")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("1_000", "int"),
        (" 5", "int"),
        ("5.0", "int"),
        ("٣", "int"),
        ("NaN", "Decimal"),
        ("1,5", "Decimal"),
        ("2025-02-30", "date"),
        ("20251231", "date"),
        ("2025-12-31", "datetime"),
        ("8c5be0f26b1e4f0a9f0e2d7c1b6a4e55", "UUID"),
        ("01ARZ3NDEKTSV4RRFFQ69G5FA", "ULID"),
        ("abc", "bytes"),
        ("yes", "bool"),
    ],
)
def test_a_value_that_its_type_does_not_take_is_refused_by_name(value: str, kind: str) -> None:
    ran = pksk("key", "render", "A#{x}", f"x={value}", "-t", f"x={kind}")

    expected = "template-bool" if kind == "bool" else "argument-value"
    assert ran.code == 2
    assert ran.out == ""
    assert f"pksk explain {expected}" in ran.err


def test_the_message_about_a_value_names_field_value_and_form() -> None:
    ran = pksk("key", "render", "ORDER#{n:04d}", "n=12x")

    assert ran.err == (
        "field 'n' is '12x', which is not an int.\n"
        "A value of this type is a whole number, such as 12 or -5.\n"
        "Fix: write it like that, or give it another type.  (pksk explain argument-value)\n"
    )


def test_a_choice_outside_the_list_is_refused_with_the_list() -> None:
    ran = pksk("key", "render", "INV#{state}", "state=sent", "-t", "state=literal:open,paid")

    assert ran.code == 2
    assert "The values are: 'open', 'paid'." in ran.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["id"], "argument-syntax"),
        (["7=id"], "argument-syntax"),
        (["id=1", "id=2"], "argument-twice"),
        (["id:gte=1"], "argument-operator"),
        (["id:is=1"], "argument-operator"),
        (["ids=1"], "key-unknown-part"),
        ([], "key-missing-part"),
        (["id=1", "-t", "id"], "argument-type"),
        (["id=1", "-t", "id=integer"], "argument-type"),
        (["id=1", "-t", "id=literal:a,,b"], "argument-type"),
        (["id=1", "-t", "idd=int"], "argument-type-field"),
        (["id=1", "-t", "id=float"], "template-float"),
        (["id=" + "x" * 2048], "key-too-long"),
    ],
)
def test_a_wrong_argument_is_refused_with_its_code(arguments: list[str], code: str) -> None:
    ran = pksk("key", "render", "ORDER#{id}", *arguments)

    assert (ran.code, ran.out) == (2, "")
    assert f"(pksk explain {code})" in ran.err


def test_a_sort_key_holds_1024_bytes() -> None:
    ran = pksk("key", "render", "{id}", "id=" + "x" * 1025, "--sort")

    assert "a sort key holds at most 1024" in ran.err


def test_raw_takes_values_as_they_are() -> None:
    assert pksk("key", "render", "{a}/{b}", "a=x y", "b=z$", "--codec", "raw").out == "x y/z$\n"


def test_a_delimiter_can_be_named() -> None:
    assert pksk("key", "render", "{a}#b|{c}", "a=1|", "c=2", "--delimiter", "#").out == "1|#b|2\n"


def test_a_type_for_one_field_leaves_the_guess_for_the_others() -> None:
    ran = pksk("key", "render", "{n:04d}#{day}", "n=7", "day=2025-12-31", "-t", "day=date")

    assert ran.out == "0007#2025-12-31\n"


def test_a_format_that_is_wrong_is_refused_for_the_declared_type() -> None:
    ran = pksk("key", "render", "{n:6d}", "n=7", "-t", "n=int")

    assert "{n:6d} is no way to write int in a key" in ran.err


def test_render_as_json_says_how_long_the_key_is() -> None:
    ran = pksk("key", "render", "NAME#{name}", "name=é", "--json")

    assert json.loads(ran.out) == {
        "template": "NAME#{name}",
        "key": "NAME#é",
        "bytes": 7,
        "limit": 2048,
        "role": "partition",
    }
