"""UpdateItem: the size limit of items, and the size that a request is charged for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.operations.items import ABSENT, KEY, Item, Items, indexed

MOST = 409_600
TOO_LARGE = "Item size to update has exceeded the maximum allowed size"


def text(size: int) -> Item:
    return {"S": "x" * size}


def request(expression: str, value: Item, **members: Any) -> dict[str, Any]:
    """An update with one value, of an item that has the table's shortest key."""
    values = {":v": value}
    return {"Key": KEY, "UpdateExpression": expression, "ExpressionAttributeValues": values, **members}


# The charge: 3, and 19 or 1 for each action, with the paths and functions that it names.


@pytest.mark.parametrize(
    ("expression", "charge"),
    [
        ("SET a = :v", 3 + 19 + 1),
        ("SET abc = :v", 3 + 19 + 3),
        ("SET m.abc = :v", 3 + 19 + 1 + (4 + 3)),
        ("SET l[12] = :v", 3 + 19 + 1 + (4 + 2)),
        ("SET a = (:v)", 3 + 19 + 1),
        ("SET a = if_not_exists(bc, :v)", 3 + 19 + 1 + 39 + (1 + 14 + 2)),
        ("SET a = :v REMOVE b, cd", 3 + (19 + 1) + (1 + 1) + (1 + 2)),
        ("SET a = :v, b = n", 3 + (19 + 1) + (19 + 1 + (1 + 14 + 1))),
        ("SET a = :v, b = m.x", 3 + (19 + 1) + (19 + 1 + (1 + 14 + 1 + 14 + 1))),
        ("SET a = :v, b = n + n", 3 + (19 + 1) + (19 + 1 + 34 + 2 * (1 + 14 + 1))),
        ("SET a = :v, b = n - n", 3 + (19 + 1) + (19 + 1 + 37 + 2 * (1 + 14 + 1))),
        ("SET a = :v, b = list_append(l, l)", 3 + (19 + 1) + (19 + 1 + 37 + 2 * (1 + 14 + 1))),
    ],
)
def test_a_request_is_charged_to_the_byte_before_its_condition_is_evaluated(
    expression: str, charge: int
) -> None:
    items = Items()
    condition = {"ConditionExpression": "attribute_exists(pk)", "ReturnValues": "ALL_NEW"}
    fits = request(expression, text(MOST - charge), **condition)
    too_large = request(expression, text(MOST - charge + 1), **condition)

    assert items.error_of("UpdateItem", **fits)[0] == "ConditionalCheckFailedException"
    assert items.error_of("UpdateItem", **too_large) == ("ValidationException", TOO_LARGE)


def test_names_are_charged_by_the_bytes_of_their_attributes() -> None:
    items = Items()
    names = {"ExpressionAttributeNames": {"#placeholder": "é"}, "ConditionExpression": "attribute_exists(pk)"}
    charge = 3 + 19 + 2

    assert items.error_of("UpdateItem", **request("SET #placeholder = :v", text(MOST - charge), **names))[
        0
    ] == ("ConditionalCheckFailedException")
    assert items.invalid(
        "UpdateItem", **request("SET #placeholder = :v", text(MOST - charge + 1), **names)
    ) == (TOO_LARGE)


def test_a_value_is_charged_wherever_it_is_used_in_the_update_and_nowhere_else() -> None:
    items = Items()
    half = text(MOST // 2)

    assert items.invalid("UpdateItem", **request("SET a = :v, b = :v", half)) == TOO_LARGE
    assert items.call("UpdateItem", **request("SET a = :v", half, ConditionExpression="a <> :v")) == {}


def test_members_that_are_added_are_charged_and_those_that_are_deleted_are_not() -> None:
    items = Items()
    members = {"SS": ["x" * (MOST - 100), "y" * 200]}

    assert items.invalid("UpdateItem", **request("ADD a :v", members)) == TOO_LARGE
    assert items.call("UpdateItem", **request("DELETE a :v", members)) == {}


def test_an_item_of_one_set_can_only_be_updated_below_the_limit() -> None:
    items = Items()
    items.call("UpdateItem", **request("SET a = :v", text(409_577)))

    assert items.invalid("UpdateItem", **request("SET a = :v", text(409_578))) == TOO_LARGE
    assert items.get() == {**KEY, "a": text(409_577)}


def test_a_charge_is_rejected_before_the_table_is_looked_up() -> None:
    assert Items().invalid("UpdateItem", TableName=ABSENT, **request("SET a = :v", text(MOST))) == TOO_LARGE


# The finished item.


def test_the_new_item_has_at_most_409600_bytes() -> None:
    items = Items()
    # pk 3 bytes, a 1 + 300,000, b 1 + the rest.
    items.put({**KEY, "a": text(300_000)})
    items.call("UpdateItem", **request("SET b = :v", text(109_595)))
    assert items.get() == {**KEY, "a": text(300_000), "b": text(109_595)}

    assert items.invalid("UpdateItem", **request("SET b = :v", text(109_596))) == TOO_LARGE
    assert items.get() == {**KEY, "a": text(300_000), "b": text(109_595)}


def test_the_size_of_the_new_item_is_checked_after_the_condition() -> None:
    items = Items()
    items.put({**KEY, "a": text(300_000)})
    failing = request("SET b = :v", text(200_000), ConditionExpression="attribute_not_exists(a)")

    assert items.error_of("UpdateItem", **failing)[0] == "ConditionalCheckFailedException"


def test_existing_attributes_are_not_charged() -> None:
    items = Items()
    items.put({**KEY, "l": {"L": [text(200_000)]}})

    assert items.invalid("UpdateItem", Key=KEY, UpdateExpression="SET b = list_append(l, l)") == TOO_LARGE
    items.call("UpdateItem", Key=KEY, UpdateExpression="SET b = l")
    assert items.get() == {**KEY, "l": {"L": [text(200_000)]}, "b": {"L": [text(200_000)]}}


def test_a_legacy_update_is_limited_only_by_the_new_item() -> None:
    items = Items()
    items.update(None, AttributeUpdates={"a": {"Value": text(MOST - 4)}})
    assert items.get() == {**KEY, "a": text(MOST - 4)}

    assert (
        items.invalid("UpdateItem", Key=KEY, AttributeUpdates={"a": {"Value": text(MOST - 3)}}) == TOO_LARGE
    )


# With local indexes an item and its entries in them count together.


def test_entries_of_local_indexes_count_with_an_item_that_is_updated() -> None:
    items = indexed()
    key = {**KEY, "sk": {"S": "s"}}
    items.put({**key, "a": text(300_000)})

    for members in (
        {"UpdateExpression": "SET lsiSk = :v", "ExpressionAttributeValues": {":v": {"S": "l"}}},
        {"AttributeUpdates": {"lsiSk": {"Value": {"S": "l"}}}},
    ):
        assert items.invalid("UpdateItem", Key=key, **members) == TOO_LARGE
    assert items.get(key) == {**key, "a": text(300_000)}
