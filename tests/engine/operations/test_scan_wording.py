"""Messages of Scan by region: AWS's newer layer had reached 20 of 33 regions in October 2026, not us-east-1."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.engine import Engine

from .items import PREFIX, Items, nested

pytestmark = pytest.mark.every_transport

OLDER = "us-east-1"
NEWER = "eu-west-2"
NEEDS_NAMES = (
    "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
)
SEGMENT = "The Segment parameter is zero-based and must be less than parameter TotalSegments"
START = "The provided starting key is invalid"
SIZE = "Invalid {}: Expression size has exceeded the maximum allowed size;"
DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
SINGLE = "ConditionalOperator can only be used when Filter or Expected has two or more elements"
NOT_A_CHOICE = "failed to satisfy constraint: Member must satisfy enum value set:"
LONG = "a" * 4097


@pytest.mark.parametrize(
    ("members", "older", "newer"),
    [
        ({"Select": "SPECIFIC_ATTRIBUTES"}, NEEDS_NAMES, f"{PREFIX}{NEEDS_NAMES}"),
        (
            {"Segment": 5, "TotalSegments": 5},
            f"{SEGMENT}: Segment: 5 is not less than TotalSegments: 5",
            SEGMENT,
        ),
        (
            {"ExclusiveStartKey": {"bad": {"S": "p"}}},
            f"{START}: The provided key element does not match the schema",
            START,
        ),
        (
            {"ExclusiveStartKey": {"pk": {"NULL": False}}},
            f"{START}: One or more parameter values were invalid: Null attribute value types must have the value "
            "of true",
            "One or more parameter values were invalid: Null attribute value types must have the value of true",
        ),
        (
            {"FilterExpression": f"attribute_exists({LONG})"},
            f"{SIZE.format('FilterExpression')} expression size: 4115",
            SIZE.format("FilterExpression"),
        ),
        (
            {"ProjectionExpression": LONG},
            f"{SIZE.format('ProjectionExpression')} expression size: 4097",
            SIZE.format("ProjectionExpression"),
        ),
        (
            {
                "ScanFilter": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [nested(40)]}},
                "ConditionalOperator": "AND",
            },
            DEEP,
            SINGLE,
        ),
        (
            {"Limit": 0},
            f"{PREFIX}Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or "
            "equal to 1",
            f"{PREFIX}Value at 'Limit' failed to satisfy constraint: Member must have value greater than or "
            "equal to 1",
        ),
        (
            {"ConditionalOperator": "XOR"},
            f"{PREFIX}Value 'XOR' at 'conditionalOperator' {NOT_A_CHOICE} [OR, AND]",
            "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]",
        ),
        (
            {"ReturnConsumedCapacity": "X"},
            f"{PREFIX}Value 'X' at 'returnConsumedCapacity' {NOT_A_CHOICE} [INDEXES, TOTAL, NONE]",
            f"{PREFIX}Value 'X' at 'returnConsumedCapacity' {NOT_A_CHOICE} [INDEXES, TOTAL, NONE]",
        ),
    ],
)
def test_a_scan_is_worded_as_in_its_region(members: dict[str, Any], older: str, newer: str) -> None:
    assert Items(engine=Engine.open(region=OLDER)).invalid("Scan", **members) == older
    assert Items(engine=Engine.open(region=NEWER)).invalid("Scan", **members) == newer


@pytest.mark.parametrize("region", ["eu-west-1", "us-east-2", "us-west-2", "ap-northeast-1"])
def test_other_regions_have_the_older_texts_too(region: str) -> None:
    assert (
        Items(engine=Engine.open(region=region)).invalid("Scan", Select="SPECIFIC_ATTRIBUTES") == NEEDS_NAMES
    )
