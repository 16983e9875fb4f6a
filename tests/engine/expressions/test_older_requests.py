"""Errors in expressions of requests for AWS's older layer have the older wording."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.operations.items import ABSENT, KEY, PREFIX, Items

WORD = {"BOOL": "true"}
INVALID = "One or more parameter values were invalid: "
NAMED = f"ExpressionAttributeValues contains invalid value: {INVALID}"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"SS": ["a", "a"]}, "Input collection [a, a] contains duplicates."),
        ({"BS": ["eA==", "eA=="]}, "Input collection [eA==, eA==]of type BS contains duplicates."),
        ({"SS": []}, "An string set  may not be empty"),
        ({"L": [{"NS": []}]}, "An number set  may not be empty"),
        ({"NULL": False}, "Null attribute value types must have the value of true"),
    ],
)
@pytest.mark.parametrize("older", [WORD, {"L": [WORD]}, {"M": {"k": {"NULL": "yes"}}}])
def test_an_invalid_value_is_reported_with_its_placeholder_in_an_older_request(
    value: dict[str, Any], message: str, older: dict[str, Any]
) -> None:
    items = Items()
    values = {":v": value, ":w": older}
    update = {"Key": KEY, "UpdateExpression": "SET a = :v, b = :w", "ExpressionAttributeValues": values}
    put = {"Item": KEY, "ConditionExpression": "a = :v OR b = :w", "ExpressionAttributeValues": values}

    assert items.invalid("UpdateItem", TableName=ABSENT, **update) == f"{NAMED}{message} for key :v"
    assert items.invalid("PutItem", TableName=ABSENT, **put) == f"{NAMED}{message} for key :v"


def test_a_value_of_two_types_makes_a_request_older() -> None:
    values = {":v": {"SS": ["a", "a"]}, ":w": {"M": {"k": {"S": "x", "N": "1"}}}}

    assert Items().invalid(
        "UpdateItem", Key=KEY, UpdateExpression="SET a = :v, b = :w", ExpressionAttributeValues=values
    ) == (f"{NAMED}Input collection [a, a] contains duplicates. for key :v")


def test_an_empty_value_does_not_make_a_request_older() -> None:
    values = {":v": {"SS": ["a", "a"]}, ":w": {}}

    assert Items().invalid(
        "UpdateItem", Key=KEY, UpdateExpression="SET a = :v, b = :w", ExpressionAttributeValues=values
    ) == (f'{PREFIX}{INVALID}Input collection ["a", "a"] contains duplicates.')


def test_messages_with_a_placeholder_have_members_without_quotes() -> None:
    items = Items()
    values = {":v": {"SS": ["a", "a"]}}
    check = {"Key": KEY, "ConditionExpression": "a = :v", "ExpressionAttributeValues": values}
    message = f"{NAMED}Input collection [a, a] contains duplicates. for key :v"

    assert items.invalid("Scan", FilterExpression="a = :v", ExpressionAttributeValues=values) == message
    assert items.invalid(
        "TransactWriteItems", TransactItems=[{"Delete": {"TableName": ABSENT, **check}}]
    ) == (message)


TOO_LONG = "Expression size has exceeded the maximum allowed size;"


def test_the_error_of_a_long_expression_has_its_size() -> None:
    items = Items()
    long = f"a{'é' * 2048} = :v"
    members = {"Key": KEY, "UpdateExpression": "SET a = :v", "ConditionExpression": long}

    def error_of(value: dict[str, Any]) -> str:
        return items.invalid("UpdateItem", **members, ExpressionAttributeValues={":v": value})

    assert error_of({"BOOL": True}) == f"{PREFIX}Invalid ConditionExpression: {TOO_LONG}"
    assert error_of(WORD) == f"Invalid ConditionExpression: {TOO_LONG} expression size: 4102"


def test_the_first_of_two_long_expressions_is_reported_and_an_update_without_its_size() -> None:
    members = {"UpdateExpression": f"SET {'a' * 4093} = :v", "ConditionExpression": f"{'b' * 5000} = :v"}

    assert Items().invalid("UpdateItem", Key=KEY, **members, ExpressionAttributeValues={":v": WORD}) == (
        f"Invalid UpdateExpression: {TOO_LONG}"
    )


def test_a_valid_older_request_is_carried_out() -> None:
    items = Items()
    items.update("SET a = :v, b = :w", v={"SS": ["b", "a"]}, w=WORD)

    assert items.get() == {**KEY, "a": {"SS": ["a", "b"]}, "b": {"BOOL": True}}


def test_an_item_of_an_older_request_has_the_older_wording() -> None:
    item = {**KEY, "a": {"SS": ["x", "x"]}, "b": WORD}

    assert Items().invalid("PutItem", Item=item) == (
        "One or more parameter values were invalid: Input collection [x, x] contains duplicates."
    )
