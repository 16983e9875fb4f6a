"""Values as boto3's client takes and gives them: bytes where DynamoDB's JSON has base64."""

from __future__ import annotations

import json
from typing import Any

import botocore.serialize
import botocore.session
from hypothesis import given

from pksk.values import from_wire, to_wire
from pksk.values.boto3_form import from_boto3, item_to_boto3, to_boto3
from tests.values.strategies import VALUES


@given(VALUES)
def test_there_and_back(value: Any) -> None:
    wire = to_wire(value)

    assert from_boto3(to_boto3(wire)) == wire
    assert from_wire(to_boto3(wire)) == from_wire(wire)


@given(VALUES)
def test_boto3_sends_what_dynamodb_is_to_get(value: Any) -> None:
    model = botocore.session.get_session().get_service_model("dynamodb").operation_model("PutItem")
    serializer = botocore.serialize.create_serializer("json", include_validation=True)
    item = {"pk": to_wire(value)}

    sent = serializer.serialize_to_request({"TableName": "table", "Item": item_to_boto3(item)}, model)

    assert json.loads(sent["body"])["Item"] == json.loads(json.dumps(item))


def test_nothing_is_shared() -> None:
    wire = {"L": [{"SS": ["a"]}]}
    to_boto3(wire)["L"][0]["SS"].append("b")

    assert wire == {"L": [{"SS": ["a"]}]}
