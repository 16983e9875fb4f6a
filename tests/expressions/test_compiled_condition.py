"""Conditions are compiled once and decide with any values, at any depth."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from pksk.expressions import (
    And,
    Call,
    Compare,
    Condition,
    Not,
    Or,
    Path,
    Placeholders,
    Value,
    apply,
    parse_condition,
    parse_projection,
    parse_update,
    project,
    render,
)
from pksk.expressions.evaluate import compile_condition
from tests.expressions import model
from tests.expressions.strategies import CONDITIONS, ITEMS

TRUE = Call("attribute_exists", (Path(("a",)),))
FALSE = Call("attribute_exists", (Path(("z",)),))
ITEM = {"a": {"S": "x"}}


@given(CONDITIONS, ITEMS)
def test_values_can_be_in_a_condition_or_beside_it(condition: Any, item: Any) -> None:
    placeholders = Placeholders()
    text = render(condition, placeholders).text
    compiled = compile_condition(parse_condition(text, placeholders.names, None))

    assert compiled.test(placeholders.values)(item) == model.holds(condition, item)


def test_a_compiled_condition_can_be_used_with_many_values() -> None:
    compiled = compile_condition(parse_condition("a > :v OR NOT (size(:v) < b AND contains(a, :v))"))
    item = {"a": {"S": "m"}, "b": {"N": "5"}}

    assert [compiled.test({":v": {"S": text}})(item) for text in ("l", "m", "n")] == [True, False, True]


@pytest.mark.parametrize("depth", [1, 2, 20_001])
def test_a_condition_can_be_nested_deeply(depth: int) -> None:
    alternating: Condition = TRUE
    negated: Condition = TRUE
    for level in range(depth):
        alternating = Or((FALSE, alternating)) if level % 2 else And((TRUE, alternating))
        negated = Not(negated)

    assert compile_condition(alternating).test({})(ITEM) is True
    assert compile_condition(negated).test({})(ITEM) is (depth % 2 == 0)


def test_evaluation_stops_at_the_first_decisive_operand() -> None:
    evaluated: list[str] = []

    class Item(dict[str, Any]):
        def get(self, name: Any, default: Any = None) -> Any:
            evaluated.append(name)
            return super().get(name, default)

    text = "a = :v AND (b = :v OR c = :v) OR NOT d = :v AND e = :v"
    test = compile_condition(parse_condition(text)).test({":v": {"S": "x"}})

    assert test(Item(a={"S": "x"}, c={"S": "x"})) is True
    assert evaluated == ["a", "b", "c"]
    evaluated.clear()
    assert test(Item(a={"S": "x"}, d={"S": "x"})) is False
    assert evaluated == ["a", "b", "c", "d"]


def test_a_missing_value_raises() -> None:
    with pytest.raises(TypeError, match="resolved"):
        compile_condition(parse_condition("size(:v) = a")).test({})
    with pytest.raises(TypeError, match="operand of a condition"):
        compile_condition(Compare("=", Path(("a",)), Call("if_not_exists", (Path(("b",)), Value({"S": ""})))))


@pytest.mark.parametrize(
    ("text", "before", "value", "after"),
    [
        ("ADD a :v", {"SS": ["é", "a"]}, {"SS": ["z", "b"]}, {"SS": ["a", "b", "z", "é"]}),
        ("ADD a :v", {"NS": ["100", "9"]}, {"NS": ["-1", "10.5"]}, {"NS": ["-1", "9", "10.5", "100"]}),
        ("ADD a :v", {"BS": ["/w==", "AA=="]}, {"BS": ["gA=="]}, {"BS": ["AA==", "gA==", "/w=="]}),
        ("DELETE a :v", {"NS": ["100", "9", "20"]}, {"NS": ["2e1"]}, {"NS": ["9", "100"]}),
        ("ADD b :v", {"S": "x"}, {"NS": ["10", "9"]}, {"S": "x"}),
    ],
)
def test_sets_are_sorted(text: str, before: Any, value: Any, after: Any) -> None:
    made = apply(parse_update(text, {}, {":v": value}), {"a": before})

    assert made["a"] == after
    assert made.get("b") in (None, {"NS": ["9", "10"]})


def test_a_projection_is_used_for_many_items() -> None:
    projection = parse_projection("a.b, c")
    items = [{"a": {"M": {"b": {"N": "1"}, "x": {"N": "2"}}}}, {"c": {"S": "y"}, "a": {"L": []}}, {}]

    assert [project(projection, item) for item in items] == [  # type: ignore[arg-type]
        {"a": {"M": {"b": {"N": "1"}}}},
        {"c": {"S": "y"}},
        {},
    ]
    assert projection == parse_projection("a.b, c")
