"""`pksk key bounds`."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import pksk

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
def test_words_and_symbols_ask_the_same(word: str, symbol: str, condition: str) -> None:
    by_word, by_symbol = (pksk("key", "bounds", LINE, "id=7", each).out for each in (word, symbol))

    assert by_word.splitlines()[0] == f"condition  {condition}"
    assert by_symbol == by_word


def test_text_begins_by_word_and_by_symbol() -> None:
    by_word, by_symbol = (
        pksk("key", "bounds", "N#{name}", each).out for each in ("name:begins=ab", "name^=ab")
    )

    assert by_word.startswith("condition  begins_with(sk, 'N#ab')")
    assert by_symbol == by_word


@pytest.mark.parametrize("value", ["a..b", "ab*", "=x", ">5", "a:b=c"])
def test_a_plain_text_value_is_taken_as_it_is(value: str) -> None:
    assert pksk("key", "bounds", "N#{name}", f"name={value}").out.startswith(f"condition  sk = 'N#{value}'")


def test_a_range_of_times_may_hold_points_of_its_own() -> None:
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
def test_a_question_that_cannot_be_answered_is_refused_with_its_code(arguments: list[str], code: str) -> None:
    ran = pksk("key", "bounds", "{name}#{n:04d}", *arguments)

    assert (ran.code, ran.out) == (2, "")
    assert f"(pksk explain {code})" in ran.err


def test_what_the_condition_leaves_over_is_shown_as_a_filter_with_the_reason() -> None:
    ran = pksk("key", "bounds", "{name}::{n}", "name:lt=m")

    assert ran.out == (
        "condition  sk <= 'm:;'\n"
        "exact      no: what follows {name} does not sort below every character of it\n"
        "filter     name < 'm'\n"
    )


def test_a_date_in_a_filter_is_written_as_it_was_given() -> None:
    ran = pksk("key", "bounds", "{day:%Y-%m}", "day:between=2025-11-05..2025-12-31")

    assert "filter     day BETWEEN 2025-11-05 AND 2025-12-31" in ran.out


def test_no_value_asks_for_every_key() -> None:
    assert pksk("key", "bounds", "{a}#{b}").out.startswith("condition  none: every sk is asked for")


def test_a_range_of_partition_keys_comes_with_a_note() -> None:
    ran = pksk("key", "bounds", LINE, "id=7", "--partition")

    assert "note       DynamoDB takes only = on a partition key" in ran.out


def test_an_equal_partition_key_comes_without_one() -> None:
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
