"""Values in expressions can have 31 levels, and one more in the conditions of transactions."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from tests.engine.operations.items import KEY, PREFIX, Items, nested
from tests.engine.state.catalogues import NAME

SHORT = "Nesting Levels have exceeded supported limits"
LONG = f"{SHORT}: Attributes in the item have nested levels beyond supported limit"


def transact(items: Items, kind: str, **members: Any) -> dict[str, Any]:
    return items.engine.call(
        "TransactWriteItems", {"TransactItems": [{kind: {"TableName": NAME, **members}}]}
    )


def compared(levels: int) -> dict[str, Any]:
    return {"ConditionExpression": "a <> :v", "ExpressionAttributeValues": {":v": nested(levels)}}


KINDS: list[tuple[str, dict[str, Any]]] = [
    ("ConditionCheck", {"Key": KEY}),
    ("Delete", {"Key": KEY}),
    ("Put", {"Item": KEY}),
    ("Update", {"Key": KEY, "UpdateExpression": "REMOVE z"}),
]


@pytest.mark.parametrize(("kind", "members"), KINDS)
def test_a_transaction_compares_values_of_32_levels(kind: str, members: dict[str, Any]) -> None:
    items = Items()

    for levels in (31, 32):
        assert transact(items, kind, **members, **compared(levels)) == {}
    with pytest.raises(ServiceError) as raised:
        transact(items, kind, **members, **compared(33))
    assert raised.value.code == "ValidationException"
    assert LONG in (raised.value.message or "")


def test_a_value_of_32_levels_is_checked_against_the_item() -> None:
    items = Items()
    members = {"ConditionExpression": "a = :v", "ExpressionAttributeValues": {":v": nested(32)}}

    with pytest.raises(ServiceError) as raised:
        transact(items, "ConditionCheck", Key=KEY, **members)
    assert [reason["Code"] for reason in raised.value.fields["CancellationReasons"]] == [
        "ConditionalCheckFailed"
    ]


@pytest.mark.parametrize(
    "expression",
    ["SET a = :v", "SET m.k = :w", "SET l = list_append(l, :l)", "SET b = if_not_exists(b, :v)"],
)
def test_a_transaction_cannot_update_an_item_to_be_nested_too_deep(expression: str) -> None:
    items = Items()
    before = {**KEY, "m": {"M": {}}, "l": {"L": []}}
    items.put(before)
    values = {":v": nested(32), ":w": nested(31), ":l": {"L": [nested(31)]}}
    used = {name: value for name, value in values.items() if name in expression}

    with pytest.raises(ServiceError) as raised:
        transact(items, "Update", Key=KEY, UpdateExpression=expression, ExpressionAttributeValues=used)
    assert raised.value.fields["CancellationReasons"] == [{"Code": "ValidationError", "Message": SHORT}]
    assert items.get() == before


def test_a_transaction_cannot_put_an_item_that_is_nested_too_deep() -> None:
    with pytest.raises(ServiceError) as raised:
        transact(Items(), "Put", Item={**KEY, "a": nested(32)})
    assert (raised.value.code, raised.value.message) == ("ValidationException", LONG)


def test_a_single_write_compares_values_of_31_levels() -> None:
    items = Items()

    assert items.put(KEY, **compared(31)) == {}
    assert items.invalid("PutItem", Item=KEY, **compared(32)) == PREFIX + LONG


def test_an_update_that_nests_an_item_too_deep_has_a_shorter_message() -> None:
    items = Items()
    items.put({**KEY, "m": {"M": {}}})
    items.update("SET m.k = :v", v=nested(30))

    assert items.invalid(
        "UpdateItem",
        Key=KEY,
        UpdateExpression="SET m.k = :v",
        ExpressionAttributeValues={":v": nested(31)},
    ) == (SHORT)
    assert items.invalid(
        "UpdateItem", Key=KEY, UpdateExpression="SET m = :v", ExpressionAttributeValues={":v": nested(32)}
    ) == (PREFIX + LONG)
