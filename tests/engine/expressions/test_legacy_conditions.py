"""Legacy conditions behave as AWS documents them, and like the same expressions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.engine.expressions.parameters import PUT_ITEM, QUERY, SCAN, Parameters
from pksk.engine.expressions.read_expressions import read_expressions
from pksk.values import item_to_wire, to_wire
from tests.expressions.strategies import INNER, SMALL

ITEM = item_to_wire(
    {
        "n": 5,
        "s": "hello",
        "b": b"hi there",
        "t": True,
        "z": None,
        "l": [2, "dog"],
        "m": {"x": 1},
        "ss": {"a", "b"},
        "ns": {1, 2},
        "bs": {b"x", b"y"},
        "a.b": "dotted",
    }
)


def condition(attribute: str, operator: str, *values: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {"ComparisonOperator": operator}
    if values:
        entry["AttributeValueList"] = [to_wire(value) for value in values]
    return {attribute: entry}


def holds(conditions: dict[str, Any], item: Any = ITEM, operator: str | None = None) -> bool:
    request: dict[str, Any] = {"ScanFilter": conditions}
    if operator:
        request["ConditionalOperator"] = operator
    found = read_expressions(request, SCAN).filter
    assert found is not None
    return found.test(item)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (condition("n", "EQ", 5), True),
        (condition("n", "EQ", "5"), False),
        (condition("ns", "EQ", {2, 1}), True),
        (condition("bs", "EQ", {b"y", b"x"}), True),
        (condition("m", "EQ", {"x": 1}), True),
        (condition("l", "EQ", [2, "dog"]), True),
        (condition("t", "EQ", True), True),
        (condition("z", "EQ", None), True),
        (condition("gone", "EQ", 5), False),
        (condition("n", "NE", 4), True),
        (condition("n", "NE", 5), False),
        (condition("gone", "NE", 5), True),
        (condition("n", "LE", 5), True),
        (condition("n", "LT", 5), False),
        (condition("n", "GE", 5), True),
        (condition("n", "GT", 4), True),
        (condition("n", "GT", "4"), False),
        (condition("b", "GT", b"hi"), True),
        (condition("gone", "LT", 5), False),
        (condition("n", "BETWEEN", 5, 9), True),
        (condition("s", "BETWEEN", "i", "j"), False),
        (condition("n", "IN", 1, 5), True),
        (condition("b", "IN", b"hi there"), True),
        (condition("n", "IN", 1, 2), False),
        (condition("gone", "IN", 1), False),
        (condition("n", "NOT_NULL"), True),
        (condition("z", "NOT_NULL"), True),
        (condition("gone", "NOT_NULL"), False),
        (condition("gone", "NULL"), True),
        (condition("z", "NULL"), False),
        (condition("s", "CONTAINS", "ell"), True),
        (condition("b", "CONTAINS", b"the"), True),
        (condition("ss", "CONTAINS", "a"), True),
        (condition("ns", "CONTAINS", 2), True),
        (condition("bs", "CONTAINS", b"x"), True),
        (condition("l", "CONTAINS", "dog"), True),
        (condition("gone", "CONTAINS", "x"), False),
        (condition("s", "NOT_CONTAINS", "ell"), False),
        (condition("ss", "NOT_CONTAINS", "z"), True),
        (condition("l", "NOT_CONTAINS", 2), False),
        (condition("gone", "NOT_CONTAINS", "x"), False),
        (condition("s", "BEGINS_WITH", "he"), True),
        (condition("b", "BEGINS_WITH", b"hi"), True),
        (condition("s", "BEGINS_WITH", "HE"), False),
        (condition("a.b", "EQ", "dotted"), True),
    ],
)
def test_every_comparison_operator_by_type(entry: dict[str, Any], expected: bool) -> None:
    assert holds(entry) is expected


def test_conditions_are_joined_by_and_unless_or_is_requested() -> None:
    both = condition("n", "EQ", 5) | condition("s", "EQ", "no")

    assert (holds(both), holds(both, operator="AND"), holds(both, operator="OR")) == (False, False, True)


_TWINS = {
    "EQ": "a = :a",
    "NE": "a <> :a",
    "LE": "a <= :a",
    "LT": "a < :a",
    "GE": "a >= :a",
    "GT": "a > :a",
    "IN": "a IN (:a, :b)",
    "BETWEEN": "a BETWEEN :a AND :b",
    "CONTAINS": "contains(a, :a)",
    "NOT_CONTAINS": "attribute_exists(a) AND NOT contains(a, :a)",
    "BEGINS_WITH": "begins_with(a, :a)",
}


@given(st.sampled_from(sorted(_TWINS)), st.one_of(SMALL, INNER), SMALL, INNER)
def test_a_legacy_condition_equals_the_same_expression(
    operator: str, one: Any, two: Any, stored: Any
) -> None:
    item = item_to_wire({"a": stored})
    values = [one, two] if operator in {"IN", "BETWEEN"} else [one]
    try:
        legacy = holds(condition("a", operator, *values), item)
    except ServiceError:
        return
    request = {
        "FilterExpression": _TWINS[operator],
        "ExpressionAttributeValues": dict(zip((":a", ":b"), map(to_wire, values), strict=False)),
    }
    twin = read_expressions(request, SCAN).filter
    assert twin is not None

    assert legacy is twin.test(item)


INVALID = "One or more parameter values were invalid: "


def message(parameters: Parameters, request: dict[str, Any]) -> str | None:
    with pytest.raises(ServiceError) as raised:
        read_expressions(request, parameters)
    return raised.value.message


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (condition("a", "eq", 1), "Invalid comparison operator"),
        (condition("a", "LIKE", 1), "Invalid comparison operator"),
        *(
            (
                entry,
                f"Invalid number of argument(s) for the {entry['a']['ComparisonOperator']} ComparisonOperator",
            )
            for entry in (
                condition("a", "EQ"),
                condition("a", "EQ", 1, 2),
                condition("a", "NULL", 1),
                condition("a", "NOT_NULL", 1),
                condition("a", "IN"),
                condition("a", "BETWEEN", 1),
                condition("a", "BETWEEN", 1, 2, 3),
                condition("a", "CONTAINS", 1, 2),
            )
        ),
        *(
            (
                condition("a", operator, *[value] * count),
                f"ComparisonOperator {operator} is not valid for {kind} AttributeValue type",
            )
            for operator, value, kind, count in (
                ("LT", True, "BOOL", 1),
                ("GE", {"x"}, "SS", 1),
                ("BETWEEN", {"x": 1}, "M", 2),
                ("IN", [1], "L", 1),
                ("CONTAINS", {"x"}, "SS", 1),
                ("NOT_CONTAINS", {1}, "NS", 1),
                ("BEGINS_WITH", 1, "N", 1),
            )
        ),
        (condition("a", "IN", 1, "x"), "AttributeValues inside AttributeValueList must be of same type"),
        (condition("a", "BETWEEN", 1, "x"), "AttributeValues inside AttributeValueList must be of same type"),
        (
            {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [{"SS": []}]}},
            "An string set  may not be empty",
        ),
    ],
)
def test_an_invalid_filter_is_rejected(entry: dict[str, Any], text: str) -> None:
    assert message(SCAN, {"ScanFilter": entry}) == INVALID + text
    assert message(QUERY, {"QueryFilter": entry}) == INVALID + text
    assert message(QUERY, {"KeyConditions": entry}) == INVALID + text


def test_between_with_swapped_bounds_is_rejected() -> None:
    assert message(SCAN, {"ScanFilter": condition("a", "BETWEEN", 10, 9)}) == (
        "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
    )


def test_an_operator_without_two_conditions_is_rejected() -> None:
    single = "ConditionalOperator can only be used when Filter or Expected has two or more elements"
    alone = "ConditionalOperator cannot be used without Filter or Expected"
    entry = condition("a", "EQ", 1)

    assert message(SCAN, {"ConditionalOperator": "OR"}) == alone
    assert message(PUT_ITEM, {"ConditionalOperator": "AND", "Expected": {}}) == alone
    assert message(QUERY, {"ConditionalOperator": "OR", "KeyConditions": entry}) == alone
    assert message(QUERY, {"ConditionalOperator": "OR", "QueryFilter": entry}) == single
    assert message(PUT_ITEM, {"ConditionalOperator": "OR", "Expected": {"a": {}}}) == single


@pytest.mark.parametrize("operator", ["NE", "IN", "NULL", "NOT_NULL", "CONTAINS", "NOT_CONTAINS"])
def test_a_legacy_key_condition_with_another_operator_is_rejected(operator: str) -> None:
    values = () if "NULL" in operator else (1,)

    assert message(QUERY, {"KeyConditions": condition("a", operator, *values)}) == (
        "Attempted conditional constraint is not an indexable operation"
    )


def test_key_conditions_become_parts_of_the_key() -> None:
    one = condition("a", "EQ", b"x") | condition("b", "BETWEEN", 1, 2)
    two = condition("c", "BEGINS_WITH", "x") | condition("d", "GE", "x")
    parts = [
        (part.attribute, part.operator, len(part.values))
        for entries in (one, two)
        for part in read_expressions({"KeyConditions": entries}, QUERY).key_parts or ()
    ]

    assert parts == [("a", "=", 1), ("b", "BETWEEN", 2), ("c", "begins_with", 1), ("d", ">=", 1)]


def test_key_conditions_are_at_least_one_and_at_most_as_many_as_a_key_has_attributes() -> None:
    names = "abcdefghi"
    nine = {name: condition(name, "EQ", 1)[name] for name in names}
    eight = {name: nine[name] for name in names[:8]}

    assert len(read_expressions({"KeyConditions": eight}, QUERY).key_parts or ()) == 8
    for conditions in ({}, nine):
        assert message(QUERY, {"KeyConditions": conditions}) == "Conditions can be of length 1 or 2 only"
        with pytest.raises(ServiceError, match="Conditions can be of length 1 or 2 only"):
            Engine.open().call("Query", {"TableName": "absent", "KeyConditions": conditions})


def test_attributes_to_get_are_a_projection_of_top_level_names() -> None:
    projection = read_expressions({"AttributesToGet": ["a.b", "c"]}, SCAN).projection

    assert projection is not None
    assert [path.elements for path in projection.paths] == [("a.b",), ("c",)]


def test_duplicate_attributes_to_get_are_rejected() -> None:
    assert message(SCAN, {"AttributesToGet": ["a", "b", "a", "b"]}) == (
        f"{INVALID}Duplicate value in attribute name: a"
    )


@pytest.mark.parametrize(
    ("parameters", "request_"),
    [
        (SCAN, {"AttributesToGet": ["a", ""]}),
        (SCAN, {"ScanFilter": condition("", "EQ", 1)}),
        (QUERY, {"KeyConditions": condition("", "EQ", 1)}),
        (PUT_ITEM, {"Expected": {"": {"Exists": False}}}),
    ],
)
def test_an_empty_name_is_rejected(parameters: Parameters, request_: dict[str, Any]) -> None:
    assert message(parameters, request_) == "Empty attribute name"
