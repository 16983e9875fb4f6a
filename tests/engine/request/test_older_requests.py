"""Which requests AWS's older layer reads."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.engine.request import OlderRequest, read_request
from pksk.engine.request.read_request import is_older_request
from tests.engine.request.requests import KEY, SOUND, error_of, item_with

WORD = {"BOOL": "true"}
TWO_TYPES = {"S": "a", "N": "1"}


@pytest.mark.parametrize("value", [WORD, {"NULL": "yes"}, TWO_TYPES])
def test_a_boolean_as_a_word_or_a_value_of_two_types_makes_a_request_older(value: Any) -> None:
    for request in (item_with(value), item_with({"L": [{"M": {"deep": value}}]})):
        assert isinstance(read_request("PutItem", request), OlderRequest)


@pytest.mark.parametrize(
    ("operation", "members"),
    [
        ("GetItem", {"Key": {"pk": TWO_TYPES}}),
        ("DeleteItem", {"Key": KEY, "Expected": {"a": {"Value": WORD}}}),
        ("UpdateItem", {"Key": KEY, "AttributeUpdates": {"a": {"Value": WORD}}}),
        ("UpdateItem", {"Key": KEY, "ExpressionAttributeValues": {":a": WORD}}),
        ("Query", {"KeyConditions": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [WORD]}}}),
        ("Query", {"ExclusiveStartKey": {"pk": WORD}}),
    ],
)
def test_the_position_of_the_value_does_not_matter(operation: str, members: dict[str, Any]) -> None:
    assert isinstance(read_request(operation, {"TableName": "orders", **members}), OlderRequest)


def test_other_requests_are_plain_dicts() -> None:
    spelled = {**SOUND["GetItem"], "ConsistentRead": "true", "Key": {"pk": {"B": b"x", "S": None}}}

    assert all(type(read_request(operation, SOUND[operation])) is dict for operation in SOUND)
    assert type(read_request("GetItem", spelled)) is dict


def test_errors_of_an_older_request_have_the_older_wording() -> None:
    assert error_of("PutItem", {**item_with(WORD), "TableName": "ab", "ReturnValues": "X"}) == (
        "ValidationException",
        "2 validation errors detected: Value 'ab' at 'tableName' failed to satisfy constraint: "
        "Member must have length greater than or equal to 3; Value 'X' at 'returnValues' failed to satisfy "
        "constraint: Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
    )


@pytest.mark.parametrize(
    "value", [{}, {"S": "true"}, {"BOOL": False}, {"M": {"BOOL": {"S": "yes"}}}, {"L": [None]}]
)
def test_values_of_one_type_and_true_booleans_are_not_older(value: Any) -> None:
    assert not is_older_request("PutItem", item_with(value))
