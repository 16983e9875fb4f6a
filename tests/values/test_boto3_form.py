"""Values as boto3's client takes and gives them: bytes where DynamoDB's JSON has base64."""

from __future__ import annotations

import json
from typing import Any

import botocore.serialize
import botocore.session
from hypothesis import given

from pksk.values import from_wire, to_wire
from pksk.values.wire import from_boto3, item_to_boto3, to_boto3
from tests.values.strategies import VALUES

PUT_ITEM = botocore.session.get_session().get_service_model("dynamodb").operation_model("PutItem")


@given(VALUES)
def test_a_value_is_the_same_after_converting_to_boto3_and_back(value: Any) -> None:
    wire = to_wire(value)

    assert from_boto3(to_boto3(wire)) == wire
    assert from_wire(to_boto3(wire)) == from_wire(wire)


@given(VALUES)
def test_boto3_serializes_the_values_as_dynamodb_json(value: Any) -> None:
    serializer = botocore.serialize.create_serializer("json", include_validation=True)
    item = {"pk": to_wire(value)}

    sent = serializer.serialize_to_request({"TableName": "table", "Item": item_to_boto3(item)}, PUT_ITEM)

    assert json.loads(sent["body"])["Item"] == json.loads(json.dumps(item))


def test_converted_values_are_copies() -> None:
    wire = {"L": [{"SS": ["a"]}]}
    to_boto3(wire)["L"][0]["SS"].append("b")

    assert wire == {"L": [{"SS": ["a"]}]}
