"""UpdateItem: the legacy parameters AttributeUpdates and Expected."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.operations.items import KEY, Item, Items

STORED: Item = {**KEY, "n": {"N": "5"}, "s": {"S": "x"}, "ss": {"SS": ["a", "b"]}, "l": {"L": [{"N": "1"}]}}


def update(action: str | None = None, value: Item | None = None) -> dict[str, Any]:
    """What is to be done with an attribute."""
    members = {"Action": action, "Value": value}
    return {name: member for name, member in members.items() if member is not None}


def stored() -> Items:
    items = Items()
    items.put(STORED)
    return items


@pytest.mark.parametrize(
    ("updates", "changes"),
    [
        ({"n": update(None, {"S": "y"})}, {"n": {"S": "y"}}),
        ({"a": update("PUT", {"N": "1e1"})}, {"a": {"N": "10"}}),
        ({"a.b": update("PUT", {"N": "1"})}, {"a.b": {"N": "1"}}),
        ({"n": update("DELETE"), "a": update("DELETE")}, {"n": None}),
        ({"n": update("ADD", {"N": "-7"})}, {"n": {"N": "-2"}}),
        ({"a": update("ADD", {"N": "3"})}, {"a": {"N": "3"}}),
        ({"ss": update("ADD", {"SS": ["c"]})}, {"ss": {"SS": ["a", "b", "c"]}}),
        ({"ss": update("DELETE", {"SS": ["a", "z"]})}, {"ss": {"SS": ["b"]}}),
        ({"ss": update("DELETE", {"SS": ["a", "b"]})}, {"ss": None}),
        ({"l": update("ADD", {"L": [{"N": "2"}]})}, {"l": {"L": [{"N": "1"}, {"N": "2"}]}}),
        ({}, {}),
    ],
)
def test_attributes_are_put_added_to_and_deleted(updates: dict[str, Any], changes: Item) -> None:
    items = stored()
    answer = items.update(None, AttributeUpdates=updates, ReturnValues="ALL_NEW")
    expected = {name: value for name, value in {**STORED, **changes}.items() if value is not None}

    assert answer == {"Attributes": expected}
    assert items.get() == expected


@pytest.mark.parametrize(
    "updates",
    [
        {"s": update("ADD", {"N": "1"})},
        {"n": update("ADD", {"SS": ["a"]})},
        {"ss": update("ADD", {"NS": ["1"]})},
        {"n": update("DELETE", {"NS": ["1"]})},
        {"ss": update("DELETE", {"NS": ["1"]})},
    ],
)
def test_adding_to_a_stored_value_of_another_type_is_rejected(updates: dict[str, Any]) -> None:
    items = stored()

    assert items.invalid("UpdateItem", Key=KEY, AttributeUpdates=updates) == (
        "Type mismatch for attribute to update"
    )
    assert items.get() == STORED


@pytest.mark.parametrize(
    ("updates", "item"),
    [
        ({"a": update("PUT", {"N": "1"})}, {**KEY, "a": {"N": "1"}}),
        ({"a": update("ADD", {"N": "1"})}, {**KEY, "a": {"N": "1"}}),
        ({"a": update("ADD", {"NS": ["2", "1"]})}, {**KEY, "a": {"NS": ["1", "2"]}}),
        ({"a": update("DELETE")}, None),
        ({"a": update("DELETE", {"NS": ["2"]})}, None),
        ({}, KEY),
    ],
)
def test_a_missing_item_is_created_unless_all_actions_delete(
    updates: dict[str, Any], item: Item | None
) -> None:
    items = Items()
    items.update(None, AttributeUpdates=updates)

    assert items.get() == item


@pytest.mark.parametrize(
    ("returned", "attributes"),
    [
        ("NONE", None),
        ("ALL_OLD", STORED),
        ("UPDATED_OLD", {"n": {"N": "5"}, "s": {"S": "x"}}),
        ("UPDATED_NEW", {"n": {"N": "6"}, "a": {"BOOL": True}}),
        (
            "ALL_NEW",
            {**{name: STORED[name] for name in STORED if name != "s"}, "n": {"N": "6"}, "a": {"BOOL": True}},
        ),
    ],
)
def test_attributes_are_returned_whole(returned: str, attributes: Item | None) -> None:
    updates = {
        "n": update("ADD", {"N": "1"}),
        "a": update("PUT", {"BOOL": True}),
        "s": update("DELETE"),
    }
    answer = stored().update(None, AttributeUpdates=updates, ReturnValues=returned)

    assert answer.get("Attributes") == attributes


def test_updated_new_of_a_deleted_attribute_is_empty() -> None:
    assert stored().update(None, AttributeUpdates={"l": update("DELETE")}, ReturnValues="UPDATED_NEW") == {}


@pytest.mark.parametrize(
    ("expected", "operator", "holds"),
    [
        ({"n": {"Value": {"N": "5"}}}, None, True),
        ({"n": {"Exists": True, "Value": {"N": "6"}}}, None, False),
        ({"a": {"Exists": False}}, None, True),
        ({"ss": {"ComparisonOperator": "CONTAINS", "AttributeValueList": [{"S": "a"}]}}, None, True),
        ({"ss": {"ComparisonOperator": "NOT_CONTAINS", "AttributeValueList": [{"S": "a"}]}}, None, False),
        ({"ss": {"ComparisonOperator": "NOT_CONTAINS", "AttributeValueList": [{"S": "z"}]}}, None, True),
        ({"s": {"ComparisonOperator": "BEGINS_WITH", "Value": {"S": "x"}}}, None, True),
        ({"n": {"ComparisonOperator": "IN", "AttributeValueList": [{"N": "1"}, {"N": "5"}]}}, None, True),
        ({"n": {"Value": {"N": "1"}}, "s": {"Value": {"S": "x"}}}, "OR", True),
        ({"n": {"Value": {"N": "1"}}, "s": {"Value": {"S": "x"}}}, "AND", False),
    ],
)
def test_an_update_supports_expected(expected: dict[str, Any], operator: str | None, holds: bool) -> None:
    items = stored()
    request = {
        "AttributeUpdates": {"new": update("PUT", {"BOOL": True})},
        "Expected": expected,
        "ConditionalOperator": operator,
    }

    if holds:
        assert items.update(None, **request) == {}
    else:
        assert items.error_of("UpdateItem", Key=KEY, **request) == (
            "ConditionalCheckFailedException",
            "The conditional request failed",
        )
    assert ("new" in (items.get() or {})) is holds
