"""`pksk key`."""

from __future__ import annotations

import json

import pytest

from tests.cli.run_pksk import pksk


def test_render_prints_only_the_key() -> None:
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
        ("10.0.0.256", "IPv4Address"),
        ("::g", "IPv6Address"),
        ("abc", "bytes"),
        ("yes", "bool"),
    ],
)
def test_the_error_about_a_value_of_the_wrong_type_names_its_field(value: str, kind: str) -> None:
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
        "Fix: write it in this format, or choose another type.  (pksk explain argument-value)\n"
    )


def test_the_error_about_an_unknown_choice_lists_the_choices() -> None:
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
def test_an_invalid_argument_is_rejected_with_its_code(arguments: list[str], code: str) -> None:
    ran = pksk("key", "render", "ORDER#{id}", *arguments)

    assert (ran.code, ran.out) == (2, "")
    assert f"(pksk explain {code})" in ran.err


def test_a_sort_key_holds_1024_bytes() -> None:
    ran = pksk("key", "render", "{id}", "id=" + "x" * 1025, "--sort")

    assert "a sort key holds at most 1024" in ran.err


def test_raw_uses_values_unchanged() -> None:
    assert pksk("key", "render", "{a}/{b}", "a=x y", "b=z$", "--codec", "raw").out == "x y/z$\n"


def test_the_delimiter_is_an_option() -> None:
    assert pksk("key", "render", "{a}#b|{c}", "a=1|", "c=2", "--delimiter", "#").out == "1|#b|2\n"


def test_a_type_for_one_field_does_not_affect_the_others() -> None:
    ran = pksk("key", "render", "{n:04d}#{day}", "n=7", "day=2025-12-31", "-t", "day=date")

    assert ran.out == "0007#2025-12-31\n"


def test_an_invalid_format_is_rejected_for_the_declared_type() -> None:
    ran = pksk("key", "render", "{n:6d}", "n=7", "-t", "n=int")

    assert "{n:6d} is not a format for int in a key" in ran.err


def test_render_as_json_says_how_long_the_key_is() -> None:
    ran = pksk("key", "render", "NAME#{name}", "name=é", "--json")

    assert json.loads(ran.out) == {
        "template": "NAME#{name}",
        "key": "NAME#é",
        "bytes": 7,
        "limit": 2048,
        "role": "partition",
    }


LINE_TEMPLATE = "ORDER#{id}#LINE#{n:04d}"


def test_match_prints_the_fields_one_a_line() -> None:
    assert pksk("key", "match", LINE_TEMPLATE, "ORDER#7#LINE#0012").out == "id=7\nn=12\n"


def test_rendering_the_output_of_match_gives_the_key() -> None:
    fields = pksk("key", "match", LINE_TEMPLATE, "ORDER#a$23b#LINE#-9987").out.splitlines()

    assert pksk("key", "render", LINE_TEMPLATE, *fields).out == "ORDER#a$23b#LINE#-9987\n"


def test_the_error_about_a_key_of_another_template_shows_the_difference() -> None:
    ran = pksk("key", "match", LINE_TEMPLATE, "ORDER#7#LINE#12")

    assert (ran.code, ran.out) == (2, "")
    assert "key-mismatch" in ran.err
    assert "{n:04d}" in ran.err


def test_match_reports_a_field_that_the_key_has_only_a_part_of() -> None:
    ran = pksk("key", "match", "{name:.2}#{id}", "Al#7")

    assert ran.out == "id=7\n"
    assert ran.err == "The key holds only a part of 'name', which cannot be restored.\n"


def test_a_value_that_cannot_be_printed_is_quoted() -> None:
    assert pksk("key", "match", "A#{x}", "A#\x1b[31m").out == "x='\\x1b[31m'\n"


def test_a_key_that_begins_with_a_hyphen_comes_after_two() -> None:
    assert pksk("key", "match", "{n:06d}", "--", "-999994").out == "n=-5\n"


def test_match_as_json_keeps_exact_values() -> None:
    types = ["-t", "p=Decimal", "-t", "at=datetime", "-t", "b=bytes"]
    ran = pksk(
        "key", "match", "{n:03d}|{p}|{at}|{b}", "007|1.5|2025-12-31T18:30:00.000000Z|00ff", *types, "--json"
    )

    assert json.loads(ran.out)["values"] == {"n": 7, "p": "1.5", "at": "2025-12-31T18:30:00Z", "b": "00ff"}


LINE = "ORDER#{id}#LINE#{n:04d}"


def test_leading_values_give_a_prefix() -> None:
    assert pksk("key", "bounds", LINE, "id=7").out == (
        "condition  begins_with(sk, 'ORDER#7#LINE#')\nexact      yes\nfilter     none\n"
    )


@pytest.mark.parametrize(
    ("word", "symbol", "condition"),
    [
        ("n:lt=100", "n<100", "sk BETWEEN 'ORDER#7#LINE#' AND 'ORDER#7#LINE#0099'"),
        ("n:lte=100", "n<=100", "sk BETWEEN 'ORDER#7#LINE#' AND 'ORDER#7#LINE#0100'"),
        ("n:gt=100", "n>100", "sk BETWEEN 'ORDER#7#LINE#0101' AND 'ORDER#7#LINE$'"),
        ("n:gte=100", "n>=100", "sk BETWEEN 'ORDER#7#LINE#0100' AND 'ORDER#7#LINE$'"),
        ("n:between=1..20", "n=1..20", "sk BETWEEN 'ORDER#7#LINE#0001' AND 'ORDER#7#LINE#0020'"),
        ("n:eq=5", "n=5", "sk = 'ORDER#7#LINE#0005'"),
    ],
)
def test_words_and_symbols_are_the_same_operators(word: str, symbol: str, condition: str) -> None:
    by_word, by_symbol = (pksk("key", "bounds", LINE, "id=7", each).out for each in (word, symbol))

    assert by_word.splitlines()[0] == f"condition  {condition}"
    assert by_symbol == by_word


@pytest.mark.parametrize(
    ("argument", "condition"),
    [("n<100", "sk < '0100'"), ("n<=100", "sk <= '0100'"), ("n>100", "sk > '0100'")],
)
def test_a_range_of_a_key_that_begins_with_its_part_has_one_end(argument: str, condition: str) -> None:
    ran = pksk("key", "bounds", "{n:04d}", argument)

    assert ran.out.splitlines()[0] == f"condition  {condition}"


def test_begins_with_is_a_word_or_a_symbol() -> None:
    by_word, by_symbol = (
        pksk("key", "bounds", "N#{name}", each).out for each in ("name:begins=ab", "name^=ab")
    )

    assert by_word.startswith("condition  begins_with(sk, 'N#ab')")
    assert by_symbol == by_word


@pytest.mark.parametrize("value", ["a..b", "ab*", "=x", ">5", "a:b=c"])
def test_a_plain_text_value_is_unchanged(value: str) -> None:
    assert pksk("key", "bounds", "N#{name}", f"name={value}").out.startswith(f"condition  sk = 'N#{value}'")


def test_a_range_can_have_values_with_dots() -> None:
    ran = pksk("key", "bounds", "{p:08.2f}", "p:between=1.50..2.75")

    assert ran.out.startswith("condition  sk BETWEEN '00001.50' AND '00002.75'")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["name:between=a..b..c"], "argument-range"),
        (["name:between=a"], "argument-range"),
        (["name:between=b..a"], "bounds-backwards"),
        (["name:gte=a", "name:lte=b"], "argument-twice"),
        (["name:begin=a"], "argument-operator"),
        (["n=5"], "bounds-gap"),
        (["name=a", "n:begins=5"], "bounds-operator"),
        (["name=a", "n:gt=x"], "argument-value"),
        (["nam=a"], "key-unknown-part"),
    ],
)
def test_an_impossible_condition_is_rejected_with_its_code(arguments: list[str], code: str) -> None:
    ran = pksk("key", "bounds", "{name}#{n:04d}", *arguments)

    assert (ran.code, ran.out) == (2, "")
    assert f"(pksk explain {code})" in ran.err


def test_conditions_that_do_not_fit_the_key_are_shown_as_filters_with_the_reason() -> None:
    ran = pksk("key", "bounds", "{name}::{n}", "name:lt=m")

    assert ran.out == (
        "condition  sk <= 'm:;'\n"
        "exact      no: what follows {name} does not sort below every character of it\n"
        "filter     name < 'm'\n"
    )


def test_a_date_in_a_filter_has_the_format_of_its_argument() -> None:
    ran = pksk("key", "bounds", "{day:%Y-%m}", "day:between=2025-11-05..2025-12-31")

    assert "filter     day BETWEEN 2025-11-05 AND 2025-12-31" in ran.out


def test_without_a_value_the_bounds_include_every_key() -> None:
    assert pksk("key", "bounds", "{a}#{b}").out.startswith("condition  none: every sk matches")


def test_a_range_of_partition_keys_comes_with_a_note() -> None:
    ran = pksk("key", "bounds", LINE, "id=7", "--partition")

    assert "note       DynamoDB takes only = on a partition key" in ran.out


def test_an_equality_on_the_partition_key_comes_without_a_note() -> None:
    assert "note" not in pksk("key", "bounds", LINE, "id=7", "n=1", "--partition").out


def test_a_bound_is_printed_in_full_however_long() -> None:
    assert "x" * 900 in pksk("key", "bounds", "{a}#{b}", "a=" + "x" * 900).out


def test_bounds_as_json_are_ready_for_a_query() -> None:
    document = json.loads(pksk("key", "bounds", LINE, "id=7", "n:between=1..20", "--json").out)

    assert document["KeyConditionExpression"] == "sk BETWEEN :lower AND :upper"
    assert document["ExpressionAttributeValues"] == {
        ":lower": {"S": "ORDER#7#LINE#0001"},
        ":upper": {"S": "ORDER#7#LINE#0020"},
    }
    assert (document["exact"], document["filters"]) == (True, [])


def test_filters_as_json_name_field_operator_and_values() -> None:
    document = json.loads(pksk("key", "bounds", "{name}::{n}", "name:lt=m", "--json").out)

    assert document["filters"] == [{"field": "name", "operator": "lt", "values": ["m"], "text": "name < 'm'"}]


def test_templates_that_never_overlap_are_reported() -> None:
    assert pksk("key", "compare", "A#{x}", "B#{y}").out == (
        "same key                       never\n"
        "a left key begins a right one  never\n"
        "a right key begins a left one  never\n"
    )


def test_an_overlap_is_shown_by_an_example() -> None:
    first, *_ = pksk("key", "compare", "{name}", "user_{n}", "-t", "n=int").out.splitlines()

    assert (
        first
        == "same key                       possible: left 'user_0' from name=user_0, right 'user_0' from n=0"
    )


def test_overlapping_templates_exit_with_1_only_with_fail() -> None:
    assert pksk("key", "compare", "{a}", "{b}").code == 0
    assert pksk("key", "compare", "{a}", "{b}", "--fail").code == 1


def test_templates_that_never_overlap_exit_with_0() -> None:
    assert pksk("key", "compare", "A#{x}", "B#{y}", "--fail").code == 0


def test_a_type_can_belong_to_one_of_the_templates() -> None:
    sides = ["-t", "left.x=int", "-t", "right.x=date"]

    assert pksk("key", "compare", "{x}", "{x}", *sides).out.startswith("same key                       never")


def test_a_type_of_an_unknown_field_is_rejected() -> None:
    ran = pksk("key", "compare", "{x}", "{y}", "-t", "z=int")

    assert ran.code == 2
    assert "argument-type-field" in ran.err


def test_a_comparison_as_json_gives_verdicts_and_examples() -> None:
    document = json.loads(pksk("key", "compare", "{name}", "user_{n:02d}", "--json").out)

    assert document["disjoint"] is False
    assert document["same"]["verdict"] == "possible"
    assert document["same"]["left"]["key"] == document["same"]["right"]["key"]
