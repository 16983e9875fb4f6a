"""Long and deep expressions are parsed or raise, and never crash the process."""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter

import pytest

from pksk.errors import ExpressionError
from pksk.expressions import evaluate, parse_condition, parse_projection, parse_update, render
from pksk.expressions.tree import Compare, Not, Path

MOST_SECONDS = 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(" * 4096, 'Syntax error; token: "<EOF>", near: "("'),
        (")" * 4096, 'Syntax error; token: ")", near: "))"'),
        ("(" * 2046 + "a<b" + ")" * 2046, "The expression has redundant parentheses;"),
        ("a=" + "(" * 2046 + "b" + ")" * 2046, "The expression has redundant parentheses;"),
        ("not " * 1000 + "a<b", "The expression contains too many operators; operator count: 301"),
        (
            "a<b " + "or (a<b " * 454 + ")" * 454,
            "The expression contains too many operators; operator count: 301",
        ),
        ("a < " + "f(" * 1355 + "b" + ")" * 1355, "Invalid function name; function: f"),
        ("a" * 4097, "Expression size has exceeded the maximum allowed size;"),
        ("é" * 2049, "Expression size has exceeded the maximum allowed size;"),
        ("a[" * 2048, 'Syntax error; token: "a", near: "[a["'),
    ],
)
def test_a_deep_or_long_condition_raises(text: str, message: str) -> None:
    began = perf_counter()
    with pytest.raises(ExpressionError) as raised:
        parse_condition(text)

    assert raised.value.service_message == f"Invalid ConditionExpression: {message}"
    assert perf_counter() - began < MOST_SECONDS


def test_a_condition_of_299_operators_in_149_levels_is_parsed_rendered_and_evaluated() -> None:
    text = "a<b " + "or (a<b " * 149 + ")" * 149
    condition = parse_condition(text)

    assert parse_condition(render(condition).text) == condition
    assert evaluate(condition, {"a": {"N": "1"}, "b": {"N": "2"}})


def test_300_operators_are_parsed_and_301_raise() -> None:
    parse_condition("NOT " + " AND ".join(["a < b"] * 150))

    with pytest.raises(ExpressionError, match="too many operators"):
        parse_condition("NOT NOT " + " AND ".join(["a < b"] * 150))


def test_a_tree_of_more_than_300_operators_is_not_rendered() -> None:
    tree = Compare("=", Path(("a",)), Path(("b",)))
    for _ in range(20_000):
        tree = Not(tree)  # type: ignore[assignment]

    with pytest.raises(ExpressionError, match="too many operators"):
        render(tree)


def test_a_rendered_text_of_more_than_4096_bytes_raises() -> None:
    names = [Path((f"attribute_with_quite_a_long_name_{number}",)) for number in range(100)]
    tree = Compare("=", names[0], names[1])
    for one, two in pairwise(names):
        tree = tree | Compare("=", one, two)  # type: ignore[assignment]

    with pytest.raises(ExpressionError, match="Invalid ConditionExpression: Expression size has exceeded"):
        render(tree)


def test_updates_and_projections_of_4_kilobytes_are_parsed_quickly() -> None:
    began = perf_counter()
    update = parse_update("SET " + ", ".join(f"a{number} = :v" for number in range(350)))
    projection = parse_projection(", ".join(f"abc{number}.d" for number in range(400)))

    assert (len(update.actions), len(projection.paths)) == (350, 400)
    assert perf_counter() - began < MOST_SECONDS


def test_deep_functions_and_parentheses_of_an_update_raise() -> None:
    nested = "SET a = " + "if_not_exists(a, " * 239 + "b" + ")" * 0
    with pytest.raises(ExpressionError, match="Syntax error"):
        parse_update(nested)
    with pytest.raises(ExpressionError, match="redundant parentheses"):
        parse_update("SET a = " + "(" * 2000 + "b" + ")" * 2000)


def test_100_operands_of_in_are_parsed_and_101_raise() -> None:
    parse_condition(f"a IN ({', '.join([':v'] * 100)})")

    with pytest.raises(ExpressionError, match="number of operands: 101"):
        parse_condition(f"a IN ({', '.join([':v'] * 101)})")
