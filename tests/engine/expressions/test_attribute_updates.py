"""AttributeUpdates: the effects of its actions, and invalid ones."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine.expressions.parameters import UPDATE_ITEM
from pksk.engine.expressions.read_expressions import read_expressions
from pksk.engine.expressions.updates import apply_update
from pksk.engine.service_errors import InvalidRequest
from pksk.expressions import parse_update
from tests.engine.operations.items import KEY, Items

BEFORE: Any = {
    "n": {"N": "5"},
    "s": {"S": "x"},
    "ss": {"SS": ["b", "d"]},
    "ns": {"NS": ["9", "10"]},
    "bs": {"BS": ["AA==", "/w=="]},
    "l": {"L": [{"S": "x"}]},
}
NOT_ADDABLE: list[Any] = [{"S": "x"}, {"B": "eA=="}, {"BOOL": True}, {"NULL": True}, {"M": {}}]
NO_SETS: list[Any] = [{"S": "x"}, {"N": "1"}, {"L": []}]


def after(name: str, action: str | None, value: Any = None) -> Any:
    entry = ({"Action": action} if action else {}) | ({"Value": value} if value else {})
    update = read_expressions({"AttributeUpdates": {name: entry}}, UPDATE_ITEM).update
    assert update is not None
    return apply_update(update, BEFORE).get(name)


@pytest.mark.parametrize(
    ("name", "action", "value", "expected"),
    [
        ("s", None, {"N": "1.0"}, {"N": "1"}),
        ("s", "PUT", {"SS": ["z", "a"]}, {"SS": ["a", "z"]}),
        ("s", "DELETE", None, None),
        ("gone", "DELETE", None, None),
        ("n", "ADD", {"N": "-7"}, {"N": "-2"}),
        ("gone", "ADD", {"N": "3"}, {"N": "3"}),
        ("ss", "ADD", {"SS": ["c", "a", "b"]}, {"SS": ["a", "b", "c", "d"]}),
        ("ns", "ADD", {"NS": ["100", "9.5", "10"]}, {"NS": ["9", "9.5", "10", "100"]}),
        ("bs", "ADD", {"BS": ["gA=="]}, {"BS": ["AA==", "gA==", "/w=="]}),
        ("gone", "ADD", {"NS": ["10", "9"]}, {"NS": ["9", "10"]}),
        ("l", "ADD", {"L": [{"N": "1"}]}, {"L": [{"S": "x"}, {"N": "1"}]}),
        ("gone", "ADD", {"L": [{"N": "1"}]}, {"L": [{"N": "1"}]}),
        ("ss", "DELETE", {"SS": ["b", "z"]}, {"SS": ["d"]}),
        ("ns", "DELETE", {"NS": ["10.0", "9"]}, None),
        ("gone", "DELETE", {"SS": ["b"]}, None),
    ],
)
def test_every_action_of_attribute_updates(name: str, action: str | None, value: Any, expected: Any) -> None:
    assert after(name, action, value) == expected


@pytest.mark.parametrize(
    ("name", "action", "value"),
    [
        ("s", "ADD", {"N": "1"}),
        ("ss", "ADD", {"NS": ["1"]}),
        ("n", "ADD", {"L": []}),
        ("n", "DELETE", {"NS": ["5"]}),
    ],
)
def test_a_stored_value_of_another_type_is_rejected(name: str, action: str, value: Any) -> None:
    with pytest.raises(ServiceError) as raised:
        after(name, action, value)

    assert raised.value.message == "Type mismatch for attribute to update"
    assert not isinstance(raised.value, InvalidRequest)


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({}, "Only DELETE action is allowed when no attribute value is specified"),
        ({"Action": "PUT"}, "Only DELETE action is allowed when no attribute value is specified"),
        ({"Action": "ADD"}, "Only DELETE action is allowed when no attribute value is specified"),
        *(
            (
                {"Action": "ADD", "Value": value},
                f"ADD action is not supported for the type {next(iter(value))}",
            )
            for value in NOT_ADDABLE
        ),
        *(
            (
                {"Action": "DELETE", "Value": value},
                f"DELETE action with value is not supported for the type {next(iter(value))}",
            )
            for value in NO_SETS
        ),
        ({"Value": {"SS": []}}, "An string set  may not be empty"),
    ],
)
def test_an_invalid_action_is_rejected(entry: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        read_expressions({"AttributeUpdates": {"a": entry}}, UPDATE_ITEM)

    assert raised.value.message == f"One or more parameter values were invalid: {text}"


def test_an_empty_update_is_not_an_update() -> None:
    assert read_expressions({"AttributeUpdates": {}}, UPDATE_ITEM).update is None


def test_an_expression_that_does_not_fit_the_item_has_its_own_message() -> None:
    values = {":v": {"N": "1"}}
    with pytest.raises(ServiceError, match="An operand in the update expression has an incorrect data type"):
        apply_update(parse_update("SET a = s + :v", {}, values), BEFORE)


@pytest.mark.parametrize(
    ("stored", "text", "value", "message"),
    [
        (
            "9" * 38,
            "SET n = n + :v",
            "0.1",
            "Number overflow. Attempting to store a number with magnitude larger than supported range",
        ),
        (
            "9e125",
            "ADD n :v",
            "9e125",
            "Number overflow. Attempting to store a number with magnitude larger than supported range",
        ),
        (
            "1e-130",
            "SET n = n - :v",
            "1.1e-130",
            "Number underflow. Attempting to store a number with magnitude smaller than supported range",
        ),
    ],
)
def test_an_invalid_sum_has_no_prefix(stored: str, text: str, value: str, message: str) -> None:
    items = Items()
    items.put({**KEY, "n": {"N": stored}})

    values = {":v": {"N": value}}
    assert items.invalid("UpdateItem", Key=KEY, UpdateExpression=text, ExpressionAttributeValues=values) == (
        message
    )
    if text.startswith("ADD"):
        legacy = {"n": {"Action": "ADD", "Value": {"N": value}}}
        assert items.invalid("UpdateItem", Key=KEY, AttributeUpdates=legacy) == message
