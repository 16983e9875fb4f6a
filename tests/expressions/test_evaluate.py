"""Conditions are decided, and updates applied, as DynamoDB does it."""

from __future__ import annotations

import pickle
from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from pksk.errors import ExpressionError
from pksk.expressions import apply, evaluate, parse_condition, parse_projection, parse_update, project
from pksk.values import InvalidNumber, from_wire, item_to_wire, to_wire
from tests.expressions import model
from tests.expressions.strategies import CONDITIONS, ITEMS, PROJECTIONS, UPDATES

ITEM = item_to_wire(
    {
        "n": 5,
        "s": "hello",
        "e": "a😀",
        "b": b"hi there",
        "t": True,
        "z": None,
        "l": [2, "dog", {1, 2}],
        "m": {"x": 1, "y": [-1, 2]},
        "ss": {"a", "b"},
        "ns": {1, 2},
    }
)


@given(CONDITIONS, ITEMS)
def test_a_condition_agrees_with_the_reference_evaluator(condition: Any, item: Any) -> None:
    assert evaluate(condition, item) == model.holds(condition, item)


@given(UPDATES, ITEMS)
def test_an_update_agrees_with_the_reference_evaluator(update: Any, item: Any) -> None:
    before = deepcopy(item)
    try:
        expected = model.updated(update, item)
    except (model.Refused, InvalidNumber):
        with pytest.raises((ExpressionError, InvalidNumber)):
            apply(update, item)
        return

    assert model.known({"M": apply(update, item)}) == model.known({"M": expected})
    assert item == before


@given(PROJECTIONS, ITEMS)
def test_a_projection_returns_exactly_the_existing_paths(projection: Any, item: Any) -> None:
    kept = project(projection, item)
    found = [path for path in projection.paths if model.at(path, item) is not None]

    assert set(kept) == {path.elements[0] for path in found}
    for path in found:
        if not any(isinstance(element, int) for element in path.elements):
            assert model.at(path, kept) == model.at(path, item)


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("n = :v", 5, True),
        ("n = :v", "5", False),
        ("n <> :v", "5", True),
        ("gone = :v", 5, False),
        ("gone <> :v", 5, True),
        ("gone < :v", 5, False),
        ("n < :v", "9", False),
        (":v < n", 4, True),
        ("n BETWEEN :v AND n2", 1, False),
        ("n IN (:v, s)", 5, True),
        ("l[1] = :v", "dog", True),
        ("l[9] = :v", "dog", False),
        ("m.y[0] = :v", -1, True),
        ("m.x < m.y[1] AND n = :v", 5, True),
        ("size(s) = :v", 5, True),
        ("size(e) = :v", 3, True),
        ("size(b) = :v", 8, True),
        ("size(l) = :v", 3, True),
        ("size(m) = :v", 2, True),
        ("size(ss) = :v", 2, True),
        ("size(n) = :v", 1, False),
        ("size(t) = :v", 1, False),
        ("size(z) = :v", 1, False),
        ("contains(s, :v)", "ell", True),
        ("contains(b, :v)", b"the", True),
        ("contains(ss, :v)", "a", True),
        ("contains(ss, :v)", 1, False),
        ("contains(ns, :v)", 2, True),
        ("contains(l, :v)", "dog", True),
        ("contains(l, :v)", {2, 1}, True),
        ("contains(m, :v)", "x", False),
        ("begins_with(s, :v)", "he", True),
        ("begins_with(s, :v)", "HE", False),
        ("begins_with(b, :v)", b"hi", True),
        ("begins_with(n, :v)", "5", False),
        ("attribute_type(z, :v)", "NULL", True),
        ("attribute_type(s, :v)", "N", False),
        ("attribute_exists(m.x) AND attribute_not_exists(m.q) AND n = :v", 5, True),
        ("NOT n = :v OR t = z", 5, False),
        ("t = :v", True, True),
        ("z = :v", None, True),
        ("ns = :v", {2, 1}, True),
        ("l = :v", [2, "dog", {1, 2}], True),
        ("m = :v", {"x": Decimal("1.0"), "y": [-1, 2]}, True),
        ("m = :v", {"x": 2, "y": [-1, 2]}, False),
        ("m = :v", {"x": 1}, False),
        ("s < gone OR n < gone OR t = :v", False, False),
        ("gone < s OR s < n OR n < s OR t = :v", False, False),
        ("begins_with(gone, :v)", "he", False),
        ("begins_with(s, gone) OR n = :v", 6, False),
        ("n = :v AND s < e AND t <> z", 5, False),
        ("n = :v AND e < s AND t <> z", 5, True),
        ("n = :v AND e < s AND t <> z", 6, False),
        ("n = :v AND e < s AND t = z", 5, False),
        ("n = :v AND e < s AND attribute_exists(t)", 5, True),
    ],
)
def test_every_operator_and_function(text: str, value: Any, holds: bool) -> None:
    condition = parse_condition(text, {}, {":v": to_wire(value)})

    assert evaluate(condition, ITEM) is holds


def test_numbers_of_sets_are_compared_by_value() -> None:
    condition = parse_condition(
        "contains(x, :v) AND x = :w", {}, {":v": {"N": "1"}, ":w": {"NS": ["2", "1.0"]}}
    )

    assert evaluate(condition, {"x": {"NS": ["1.00", "2e0"]}})


def test_an_unresolved_condition_is_not_evaluated() -> None:
    with pytest.raises(TypeError, match="resolved"):
        evaluate(parse_condition("a = :v"), {"a": {"S": "x"}})


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("SET a = :one, b = a", {"a": 7}, {"a": 1, "b": 7}),
        ("SET c = b REMOVE b", {"b": 1}, {"c": 1}),
        ("REMOVE l[0], l[1]", {"l": [1, 2, 3]}, {"l": [3]}),
        ("REMOVE l[1] SET l[3] = :one", {"l": [2, 3, 4, 5, 6]}, {"l": [2, 4, 1, 6]}),
        ("SET l[84] = :one, l[17] = :two", {"l": [0]}, {"l": [0, 2, 1]}),
        ("REMOVE l[17], q, m.q", {"l": [0], "m": {}}, {"l": [0], "m": {}}),
        ("SET m.x = :one", {"m": {"y": 2}}, {"m": {"y": 2, "x": 1}}),
        ("SET a = a + :one", {"a": 2}, {"a": 3}),
        ("SET a = :one - b", {"b": 5}, {"b": 5, "a": -4}),
        ("SET a = if_not_exists(a, :one) + :two", {}, {"a": 3}),
        ("SET a = list_append(if_not_exists(a, :list), :list)", {}, {"a": [1, 2, 1, 2]}),
        ("SET a = list_append(:list, a)", {"a": ["x"]}, {"a": [1, 2, "x"]}),
        ("ADD a :one", {}, {"a": 1}),
        ("ADD a :one", {"a": 4}, {"a": 5}),
        ("ADD a :set", {}, {"a": {1, 2}}),
        ("ADD a :set", {"a": {2, 3}}, {"a": {1, 2, 3}}),
        ("DELETE a :set", {"a": {2, 3}}, {"a": {3}}),
        ("DELETE a :set", {"a": {1, 2}, "b": 1}, {"b": 1}),
        ("DELETE a :set", {"b": 1}, {"b": 1}),
        ("DELETE l[0] :set", {"l": [{1}, "x"]}, {"l": ["x"]}),
        ("ADD m.n :one", {"m": {}}, {"m": {"n": 1}}),
    ],
)
def test_every_action(text: str, before: Any, after: Any) -> None:
    wires = {":one": 1, ":two": 2, ":list": [1, 2], ":set": {1, 2}}
    update = parse_update(text, {}, item_to_wire(wires))
    made = apply(update, item_to_wire(before))

    assert from_wire({"M": made}) == after


PATH = "The document path provided in the update expression is invalid for update"
MISSING = "The provided expression refers to an attribute that does not exist in the item"
TYPE = "An operand in the update expression has an incorrect data type"


@pytest.mark.parametrize(
    ("text", "item", "message"),
    [
        ("SET a.c = :one", {"a": "x"}, PATH),
        ("SET b.c = :one", {"b": ["x"]}, PATH),
        ("SET q.c = :one", {}, PATH),
        ("SET a[0] = :one", {"a": "x"}, PATH),
        ("SET q[0] = :one", {}, PATH),
        ("REMOVE a.c", {"a": "x"}, PATH),
        ("REMOVE q[0]", {}, PATH),
        ("SET l[7].x = :one", {"l": []}, PATH),
        ("SET c = z", {}, MISSING),
        ("SET x = :one, y = x", {}, MISSING),
        ("SET a = b + :one", {}, MISSING),
        ("SET a = list_append(b, :list)", {}, MISSING),
        ("SET a = b + :one", {"b": "x"}, TYPE),
        ("SET a = list_append(b, :list)", {"b": 5}, TYPE),
        ("ADD a :one", {"a": "x"}, TYPE),
        ("ADD a :set", {"a": {"x"}}, TYPE),
        ("DELETE a :set", {"a": [1]}, TYPE),
    ],
)
def test_an_update_that_does_not_fit_the_item_raises(text: str, item: Any, message: str) -> None:
    update = parse_update(text, {}, item_to_wire({":one": 1, ":list": [1], ":set": {1}}))

    with pytest.raises(ExpressionError) as raised:
        apply(update, item_to_wire(item))
    assert raised.value.service_message == message


def test_a_sum_with_too_many_digits_is_an_overflow() -> None:
    update = parse_update("SET a = a + :v", {}, {":v": {"N": "1"}})

    with pytest.raises(InvalidNumber) as raised:
        apply(update, {"a": {"N": "1e60"}})
    assert raised.value.service_message == (
        "Number overflow. Attempting to store a number with magnitude larger than supported range"
    )


def test_projected_list_elements_are_merged_in_order() -> None:
    item = item_to_wire({"l": [{"a": 1, "b": 2, "c": 3}, "x", "y"]})
    kept = project(parse_projection("l[2], l[0].c, l[0].a, l[9], q"), item)

    assert from_wire({"M": kept}) == {"l": [{"c": 3, "a": 1}, "y"]}


@pytest.mark.parametrize(
    ("tree", "evaluated"),
    [(parse_condition("a = b AND NOT c < d"), evaluate), (parse_projection("a, b.c"), project)],
)
def test_evaluating_a_tree_does_not_change_it(tree: Any, evaluated: Any) -> None:
    before = pickle.dumps(tree), repr(tree), hash(tree)
    results = [evaluated(tree, {"a": {"S": "x"}}) for _ in range(2)]

    assert results[0] == results[1]
    assert (pickle.dumps(tree), repr(tree), hash(tree)) == before
    assert deepcopy(tree) == tree
