"""TransactWriteItems: serialisation, validation, and cancellations."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from pksk.engine import Engine, Partitioning

from .items import nested
from .shop import ABSENT, ORDERS_ARN, Item, Shop, check, delete, order, person, put, update

_MISMATCH = "The provided key element does not match the schema"
_INVALID = "One or more parameter values were invalid: "
_NOT_VALID = "One or more parameter values are not valid. "
_TWICE = "Transaction request cannot include multiple operations on one item"
_FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
_FINE = {"Code": "None"}


def _invalid(shop: Shop, *actions: Item, **members: Any) -> str:
    return shop.invalid("TransactWriteItems", TransactItems=list(actions), **members)


def _number(value: int | str) -> Item:
    return {"N": str(value)}


# Validation of members.


def test_more_than_a_hundred_actions_are_rejected() -> None:
    text = _invalid(Shop(), *(delete(order(str(number))) for number in range(101)))

    assert text.startswith("1 validation error detected: Value '[TransactWriteItem(conditionCheck=null, ")
    assert text.endswith(
        "' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"
    )


# Validation up front, as a ValidationException, before any table is looked up.


_DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
_DEPTHS: list[tuple[Item, str]] = [
    ({"d": nested(32), "": {"S": ""}}, "Empty attribute name"),
    ({"d": nested(32, {"M": {"": {"S": ""}}}), "": {"S": ""}}, "Empty attribute name"),
    ({"m": {"M": {"": {"S": ""}}}, "d": nested(32)}, _DEEP),
    ({"m": {"M": {"": nested(31)}}}, _DEEP),
    ({"l": {"L": [{"M": {"": {"S": ""}}}, nested(31)]}}, _DEEP),
    ({"m": {"M": {"": nested(30)}}}, "Empty attribute name"),
]


@pytest.mark.every_transport
@pytest.mark.parametrize(("members", "text"), _DEPTHS)
def test_an_empty_attribute_name_comes_before_depth_and_depth_before_an_inner_empty_key(
    members: Item, text: str
) -> None:
    shop, item = Shop(), {**order(), **members}

    for action in (put(item, ABSENT), delete(item, ABSENT), update("REMOVE a", item, table=ABSENT)):
        assert _invalid(shop, action) == text
    assert (
        shop.invalid("TransactGetItems", TransactItems=[{"Get": {"TableName": ABSENT, "Key": item}}]) == text
    )


@pytest.mark.every_transport
def test_depth_comes_before_an_inner_empty_key_in_values_of_a_transaction_too() -> None:
    both = {"L": [{"M": {"": {"S": ""}}}, nested(33)]}

    assert _invalid(Shop(), check("a = :a", table=ABSENT, a=both)) == (
        f"ExpressionAttributeValues contains invalid value: {_DEEP} for key :a"
    )


_UP_FRONT = [
    ({}, "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"),
    ({**put(), **delete()}, "TransactItems can only contain one of Check, Put, Update or Delete"),
    ({**check("a = b"), **update("REMOVE a")},
     "TransactItems can only contain one of Check, Put, Update or Delete"),
    (put(order(size=409_601), ABSENT), "Item size has exceeded the maximum allowed size"),
    (put({"": {"S": "a"}}, ABSENT), "Empty attribute name"),
    (put({"a": {}}, ABSENT),
     "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
    (put({"a": {"SS": []}}, ABSENT), f"{_INVALID}An string set  may not be empty"),
    (put({"a": {"SS": ["x", "x"]}}, ABSENT),
     f"{_INVALID}Input collection [x, x] contains duplicates."),
    (put({"a": {"N": "one"}}, ABSENT), "The parameter cannot be converted to a numeric value: one"),
    (put({"a": {"NULL": False}}, ABSENT),
     f"{_INVALID}Null attribute value types must have the value of true"),
    (delete({"pk": {"N": "one"}}, ABSENT), "The parameter cannot be converted to a numeric value: one"),
    (put(table=ABSENT, ConditionExpression=""), "Invalid ConditionExpression: The expression can not be empty;"),
    (delete(table=ABSENT, ConditionExpression="a ="),
     'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "="'),
    (check("a = " + "b" * 4096, table=ABSENT),
     "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; expression size: 4100"),
    (update("REMOVE " + "b" * 4096, table=ABSENT),
     "Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;"),
    (check("a = :a", table=ABSENT),
     "Invalid ConditionExpression: An expression attribute value used in expression is not defined; "
     "attribute value: :a"),
    (check("#a = a", table=ABSENT),
     "Invalid ConditionExpression: An expression attribute name used in the document path is not defined; "
     "attribute name: #a"),
    (check("a = :a", table=ABSENT, a={"S": "x"}, b={"S": "x"}),
     "Value provided in ExpressionAttributeValues unused in expressions: keys: {:b}"),
    (check("a = b", table=ABSENT, ExpressionAttributeNames={"#c": "c"}),
     "Value provided in ExpressionAttributeNames unused in expressions: keys: {#c}"),
    (update("SET", table=ABSENT), 'Invalid UpdateExpression: Syntax error; token: "<EOF>", near: "SET"'),
    (update("SET a = :a REMOVE a", table=ABSENT, a={"S": "x"}),
     "Invalid UpdateExpression: Two document paths overlap with each other; "
     "must remove or rewrite one of these paths; path one: [a], path two: [a]"),
    (update("SET a = :a", table=ABSENT, a={"SS": []}),
     f"ExpressionAttributeValues contains invalid value: {_INVALID}An string set  may not be empty for key :a"),
]  # fmt: skip


@pytest.mark.parametrize(("action", "text"), _UP_FRONT)
def test_errors_of_an_action_come_before_a_missing_table(action: Item, text: str) -> None:
    shop = Shop()

    assert _invalid(shop, put(order("z")), action) == text
    assert shop.orders() == []


def test_values_that_are_nested_too_deep_are_rejected_before_other_errors() -> None:
    value: Item = {"S": "x"}
    for _ in range(32):
        value = {"M": {"m": value}}

    assert _invalid(Shop(), put({**order(), "deep": value}, ABSENT)) == (
        "Nesting Levels have exceeded supported limits: "
        "Attributes in the item have nested levels beyond supported limit"
    )


def test_the_first_invalid_action_is_reported() -> None:
    assert _invalid(Shop(), put({"a": {"N": "x"}}), {}) == (
        "The parameter cannot be converted to a numeric value: x"
    )


@pytest.mark.parametrize("action", [put, delete, lambda **where: check("a = b", **where)])
def test_a_missing_table_rejects_the_transaction(action: Any) -> None:
    shop = Shop()

    error = shop.error("TransactWriteItems", TransactItems=[put(order("b")), action(table=ABSENT)])

    assert (error.code, error.message) == ("ResourceNotFoundException", "Requested resource not found")
    assert shop.orders() == []


_EMPTY_KEY = f"{_NOT_VALID}The AttributeValue for a key attribute cannot contain an empty string value. Key: "


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (put(order("")), f"{_EMPTY_KEY}pk"),
        (delete(order("a", "")), f"{_EMPTY_KEY}sk"),
        (update("REMOVE a", order("a", "")), f"{_EMPTY_KEY}sk"),
        (check("a = b", order("")), f"{_EMPTY_KEY}pk"),
        (put(order(gsiPk="")), f"{_NOT_VALID}A value specified for a secondary index key is not supported. "
         "The AttributeValue for a key attribute cannot contain an empty string value. "
         "IndexName: gsi-inc, IndexKey: gsiPk"),
    ],
)  # fmt: skip
def test_an_empty_key_is_rejected_before_other_invalid_keys(action: Item, text: str) -> None:
    assert _invalid(Shop(), delete(person(1)), action) == text


@pytest.mark.parametrize(
    "second", [put(), delete(), update("REMOVE a"), check("attribute_exists(pk)"), put(table=ORDERS_ARN)]
)
def test_a_transaction_can_name_an_item_only_once(second: Item) -> None:
    shop = Shop()

    assert _invalid(shop, put(), put(order("b")), second) == _TWICE
    assert shop.orders() == []


def test_equal_keys_in_different_forms_are_duplicates() -> None:
    shop = Shop()

    text = _invalid(shop, put({"id": _number("10")}, "people"), delete({"id": _number("1e1")}, "people"))

    assert text == _TWICE


def test_items_of_more_than_four_megabytes_are_rejected_whatever_the_conditions() -> None:
    shop = Shop()
    puts = [put(order(f"{number:02}", size=400_000)) for number in range(11)]

    assert _invalid(shop, *puts, check("attribute_exists(pk)", order("x"))) == (
        "Transaction size has exceeded the maximum allowed size of 4 MB"
    )
    assert shop.orders() == []


def test_items_of_four_megabytes_are_written() -> None:
    shop = Shop()
    sizes = [400_000] * 10 + [4 * 1024 * 1024 - 4_000_000]

    shop.transact(*(put(order(f"{number:02}", size=size)) for number, size in enumerate(sizes)))

    keys = [order(f"{number:02}") for number in range(len(sizes))]
    found = shop.call("BatchGetItem", RequestItems={"orders": {"Keys": keys}})["Responses"]["orders"]
    assert len(found) == 11


def test_items_created_by_updates_count_for_the_size_of_a_transaction() -> None:
    shop = Shop()
    shop.put(*(order(f"{number:02}", size=400_000) for number in range(11)))

    text = _invalid(shop, *(update("SET a = pk", order(f"{number:02}")) for number in range(11)))

    assert text == "Transaction size has exceeded the maximum allowed size of 4 MB"


# What cancels the transaction, with a reason by position.


def test_a_failed_condition_cancels_the_transaction() -> None:
    shop = Shop()
    shop.put(order("a"))

    reasons = shop.reasons(
        put(order("b")),
        put(order("a", note="new"), ConditionExpression="attribute_not_exists(pk)"),
        delete(order("c")),
    )

    assert reasons == [_FINE, _FAILED, _FINE]
    assert shop.orders() == [order("a")]


def test_every_failed_condition_has_its_reason() -> None:
    shop = Shop()
    shop.put(order("a"))

    codes = shop.codes(
        check("attribute_not_exists(pk)", order("a")),
        check("attribute_exists(pk)", order("a", "2")),
        check("attribute_exists(pk)", order("b"), "orders"),
        update("SET n = :n", order("c"), n=_number(1)),
        delete(order("d"), ConditionExpression="attribute_exists(pk)"),
    )

    assert codes == ["ConditionalCheckFailed"] * 3 + ["None", "ConditionalCheckFailed"]


@pytest.mark.parametrize(
    "action",
    [
        put(ConditionExpression="note <> :x", ExpressionAttributeValues={":x": {"S": "x"}}),
        delete(ConditionExpression="note <> :x", ExpressionAttributeValues={":x": {"S": "x"}}),
        update("SET a = :x", ConditionExpression="note <> :x", x={"S": "x"}),
        check("note <> :x", x={"S": "x"}),
    ],
)
def test_the_reason_includes_the_item_if_requested(action: Item) -> None:
    shop = Shop()
    shop.put(order(note="x"))
    ((kind, members),) = action.items()
    asking = {kind: {**members, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}}
    not_asking = {kind: {**members, "ReturnValuesOnConditionCheckFailure": "NONE"}}

    assert shop.reasons(put(order("b")), asking) == [_FINE, {**_FAILED, "Item": order(note="x")}]
    assert shop.reasons(not_asking) == [_FAILED]


def test_the_reason_has_no_item_if_it_is_missing() -> None:
    asking = check("attribute_exists(pk)", ReturnValuesOnConditionCheckFailure="ALL_OLD")

    assert Shop().reasons(asking) == [_FAILED]


_UPDATED = "The update expression attempted to update the secondary index key"


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (put({"pk": {"S": "a"}}), f"{_INVALID}Missing the key sk in the item"),
        (put({"pk": _number(1), "sk": {"S": "1"}}),
         f"{_INVALID}Type mismatch for key pk expected: S actual: N"),
        (put({"pk": {"L": []}, "sk": {"S": "1"}}),
         f"{_INVALID}Type mismatch for key pk expected: S actual: L"),
        (put({**order(), "gsiPk": _number(1)}),
         f"{_INVALID}Type mismatch for Index Key gsiPk Expected: S Actual: N IndexName: gsi-inc"),
        (delete({"pk": {"S": "a"}}), _MISMATCH),
        (delete(order(more="x")), _MISMATCH),
        (update("REMOVE a", {"pk": _number(1), "sk": {"S": "1"}}), _MISMATCH),
        (check("a = b", {"pk": {"M": {}}, "sk": {"S": "1"}}), _MISMATCH),
        (update("SET pk = :x", x={"S": "x"}),
         f"{_INVALID}Cannot update attribute pk. This attribute is part of the key"),
        (delete(order("a" * 2049)),
         f"{_INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes"),
        (update("SET n = t + :n", n=_number(1)), "An operand in the update expression has an incorrect data type"),
        (update("ADD t :n", n=_number(1)), "An operand in the update expression has an incorrect data type"),
        (update("SET t.a = :n", n=_number(1)),
         "The document path provided in the update expression is invalid for update"),
        (update("SET n = absent"), "The provided expression refers to an attribute that does not exist in the item"),
        (update("ADD big :n", n=_number("9e125")),
         "Number overflow. Attempting to store a number with magnitude larger than supported range"),
        (update("SET gsiPk = :n", n=_number(1)),
         f"{_INVALID}Type mismatch for Index Key gsiPk Expected: S Actual: N IndexName: gsi-inc"),
        (update("SET gsiPk = big"), f"{_UPDATED} to unsupported type"),
        (update("SET gsiPk = :s", s={"S": "x" * 2049}), f"{_UPDATED} beyond allowed size limits"),
        (update("SET filling = :s", s={"S": "x" * 409_600}),
         "Item size to update has exceeded the maximum allowed size"),
    ],
)  # fmt: skip
def test_a_write_that_does_not_fit_the_table_or_the_item_cancels_the_transaction(
    action: Item, text: str
) -> None:
    shop = Shop()
    before = {**order(t="text"), "big": _number("9" + "0" * 125)}
    shop.put(before)

    reasons = shop.reasons(put(order("z")), action)

    assert reasons == [_FINE, {"Code": "ValidationError", "Message": text}]
    assert shop.orders() == [before]


def test_an_update_in_a_transaction_is_limited_only_by_the_new_item() -> None:
    shop = Shop()
    filling = {"S": "x" * (409_600 - 3 - 3 - len("filling"))}

    shop.transact(update("SET filling = :s", s=filling))

    assert shop.orders() == [{**order(), "filling": filling}]
    assert shop.codes(update("SET filling = :s", s={"S": filling["S"] + "x"})) == ["ValidationError"]


@pytest.mark.every_transport
def test_only_the_first_invalid_key_has_a_reason_and_duplicates_and_conditions_come_later() -> None:
    reasons = Shop().reasons(
        put(), check("attribute_exists(pk)"), delete(person(1)), check("a = b", person(2))
    )

    assert [reason["Code"] for reason in reasons] == ["None", "None", "ValidationError", "None"]


def test_an_invalid_key_and_a_failed_condition_are_reported_together() -> None:
    codes = Shop().codes(update("SET n = absent"), check("attribute_exists(pk)", order("b")), put(order("c")))

    assert codes == ["ValidationError", "ConditionalCheckFailed", "None"]


def test_exceeding_the_collection_limit_cancels_the_transaction() -> None:
    shop = Shop(Engine.open(partitioning=Partitioning(collection_bytes=1000)))

    reasons = shop.reasons(put(person(1), "people"), put(order("b")), put(order("a", size=1001)))

    assert reasons == [
        _FINE,
        _FINE,
        {"Code": "ItemCollectionSizeLimitExceeded", "Message": "Collection size exceeded."},
    ]
    assert shop.orders() == shop.people() == []


def test_the_collection_limit_counts_items_and_local_index_entries() -> None:
    shop = Shop(Engine.open(partitioning=Partitioning(collection_bytes=1000)))

    assert shop.codes(put(order("a", "1", size=300)), put(order("a", "2", size=400, lsiSk="l"))) == [
        "None",
        "ItemCollectionSizeLimitExceeded",
    ]


def test_the_response_body_of_a_cancellation_has_reasons_and_message() -> None:
    body = orjson.dumps({"TransactItems": [put(order("b")), check("attribute_exists(pk)")]})

    status, answer = Shop().engine.answer("TransactWriteItems", body)

    assert status == 400
    assert orjson.loads(answer) == {
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "CancellationReasons": [_FINE, _FAILED],
        "Message": "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, ConditionalCheckFailed]",
    }
