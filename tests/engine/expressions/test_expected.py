"""Expected in both of its forms."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.engine.expressions.parameters import DELETE_ITEM, UPDATE_ITEM
from pksk.engine.expressions.read_expressions import read_expressions
from pksk.engine.service_errors import InvalidRequest

FIVE = {"N": "5"}
ITEM: Any = {"a": FIVE, "b": {"BS": ["eA==", "eQ=="]}}


def holds(entry: dict[str, Any], attribute: str = "a") -> bool:
    condition = read_expressions({"Expected": {attribute: entry}}, UPDATE_ITEM).condition
    assert condition is not None
    return condition.test(ITEM)


@pytest.mark.parametrize(
    ("attribute", "entry", "expected"),
    [
        ("a", {"Value": {"N": "5.0"}}, True),
        ("a", {"Value": {"N": "6"}}, False),
        ("a", {"Exists": True, "Value": FIVE}, True),
        ("gone", {"Value": FIVE}, False),
        ("b", {"Value": {"BS": ["eQ==", "eA=="]}}, True),
        ("a", {"Exists": False}, False),
        ("gone", {"Exists": False}, True),
        ("a", {"ComparisonOperator": "GT", "Value": {"N": "4"}}, True),
        ("a", {"ComparisonOperator": "IN", "AttributeValueList": [FIVE]}, True),
        ("gone", {"ComparisonOperator": "NULL"}, True),
        ("gone", {"ComparisonOperator": "NULL", "AttributeValueList": []}, True),
    ],
)
def test_expected_conditions_are_evaluated(attribute: str, entry: dict[str, Any], expected: bool) -> None:
    assert holds(entry, attribute) is expected


def test_expectations_are_joined() -> None:
    request = {"Expected": {"a": {"Value": {"N": "6"}}, "gone": {"Exists": False}}}
    both = read_expressions(request, DELETE_ITEM).condition
    one = read_expressions(request | {"ConditionalOperator": "OR"}, DELETE_ITEM).condition

    assert both is not None
    assert one is not None
    assert (both.test(ITEM), one.test(ITEM)) == (False, True)


def test_an_empty_expected_is_not_a_condition() -> None:
    assert read_expressions({"Expected": {}}, UPDATE_ITEM).condition is None


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({}, "Value must be provided when Exists is null for Attribute: a"),
        ({"Exists": True}, "Value must be provided when Exists is true for Attribute: a"),
        ({"Exists": False, "Value": FIVE}, "Value cannot be used when Exists is false for Attribute: a"),
        (
            {"Value": FIVE, "AttributeValueList": [FIVE], "Exists": True},
            "Value and AttributeValueList cannot be used together for Attribute: a",
        ),
        (
            {"Exists": False, "AttributeValueList": [FIVE]},
            "AttributeValueList can only be used with a ComparisonOperator for Attribute: a",
        ),
        (
            {"Exists": True, "ComparisonOperator": "EQ", "AttributeValueList": [FIVE]},
            "Exists and ComparisonOperator cannot be used together for Attribute: a",
        ),
        (
            {"ComparisonOperator": "GE"},
            "Value or AttributeValueList must be used with ComparisonOperator: GE for Attribute: a",
        ),
        ({"ComparisonOperator": "ge"}, "Invalid comparison operator"),
        (
            {"ComparisonOperator": "EQ", "AttributeValueList": []},
            "Invalid number of argument(s) for the EQ ComparisonOperator",
        ),
        (
            {"ComparisonOperator": "NOT_NULL", "Value": FIVE},
            "Invalid number of argument(s) for the NOT_NULL ComparisonOperator",
        ),
        (
            {"ComparisonOperator": "BEGINS_WITH", "Value": FIVE},
            "ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type",
        ),
        ({"Value": {"NULL": False}}, "Null attribute value types must have the value of true"),
    ],
)
def test_an_invalid_expected_is_rejected(entry: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        read_expressions({"Expected": {"a": entry}}, UPDATE_ITEM)

    assert raised.value.message == f"One or more parameter values were invalid: {text}"
