"""TransactGetItems: serialisation, validation, behaviour."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from .shop import ABSENT, ORDERS_ARN, Item, Shop, get, order, person

_MISMATCH = "The provided key element does not match the schema"


def _got(shop: Shop, *gets: Item, **members: Any) -> dict[str, Any]:
    return shop.call("TransactGetItems", TransactItems=list(gets), **members)


def _invalid(shop: Shop, *gets: Item, **members: Any) -> str:
    return shop.invalid("TransactGetItems", TransactItems=list(gets), **members)


def _reasons(shop: Shop, *gets: Item) -> tuple[str | None, list[Item]]:
    error = shop.error("TransactGetItems", TransactItems=list(gets))
    assert error.code == "TransactionCanceledException"
    return error.message, error.fields["CancellationReasons"]


# Validation of members.


def test_more_than_a_hundred_gets_are_rejected() -> None:
    text = _invalid(Shop(), *(get(order(str(number))) for number in range(101)))

    assert text.startswith("1 validation error detected: Value '[TransactGetItem(get=Get(key={pk=")
    assert text.endswith(
        "' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"
    )


# Validation up front, as a ValidationException, before any table is looked up.


@pytest.mark.parametrize(
    ("invalid", "text"),
    [
        (get(table=ABSENT, ProjectionExpression=""),
         "Invalid ProjectionExpression: The expression can not be empty;"),
        (get(table=ABSENT, ProjectionExpression="a b"),
         'Invalid ProjectionExpression: Syntax error; token: "b", near: "a b"'),
        (get(table=ABSENT, ProjectionExpression="a, a"),
         "Invalid ProjectionExpression: Two document paths overlap with each other; "
         "must remove or rewrite one of these paths; path one: [a], path two: [a]"),
        (get(table=ABSENT, ProjectionExpression="a" * 4097),
         "Invalid ProjectionExpression: Expression size has exceeded the maximum allowed size; expression size: 4097"),
        (get(table=ABSENT, ProjectionExpression="#a"),
         "Invalid ProjectionExpression: An expression attribute name used in the document path is not defined; "
         "attribute name: #a"),
        (get(table=ABSENT, ProjectionExpression="a", ExpressionAttributeNames={"#b": "b"}),
         "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}"),
        (get({"pk": {}}, ABSENT),
         "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        (get({"pk": {"N": "one"}}, ABSENT), "The parameter cannot be converted to a numeric value: one"),
        (get({"": {"S": "a"}}, ABSENT), "Empty attribute name"),
    ],
)  # fmt: skip
def test_errors_of_a_get_come_before_a_missing_table(invalid: Item, text: str) -> None:
    assert _invalid(Shop(), get(), invalid) == text


@pytest.mark.parametrize(("key", "name"), [(order(""), "pk"), (order("a", ""), "sk")])
def test_an_empty_key_rejects_the_transaction_before_other_errors(key: Item, name: str) -> None:
    assert _invalid(Shop(), get({"pk": {"S": "a"}}), get(key)) == (
        "One or more parameter values are not valid. "
        f"The AttributeValue for a key attribute cannot contain an empty string value. Key: {name}"
    )


def test_an_item_can_be_requested_only_once() -> None:
    shop = Shop()

    for second in (get(), get(table=ORDERS_ARN), get(ProjectionExpression="a")):
        assert _invalid(shop, get(), get(order("b")), second) == (
            "Transaction request cannot include multiple operations on one item"
        )


# What cancels the transaction, with a reason by position.


@pytest.mark.parametrize(
    "key",
    [{}, {"pk": {"S": "a"}}, {**order(), "more": {"S": "x"}}, {"pk": {"N": "1"}, "sk": {"S": "1"}},
     {"pk": {"L": []}, "sk": {"S": "1"}}],
)  # fmt: skip
def test_a_key_that_does_not_match_the_table_cancels_the_transaction(key: Item) -> None:
    message, reasons = _reasons(Shop(), get(order("b")), {"Get": {"TableName": "orders", "Key": key}})

    assert message == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ValidationError]"
    )
    assert reasons == [{"Code": "None"}, {"Code": "ValidationError", "Message": _MISMATCH}]


@pytest.mark.every_transport
def test_only_the_first_invalid_key_has_a_reason() -> None:
    _, reasons = _reasons(Shop(), get(person(1)), get(), get(order(), "people"))

    assert [reason["Code"] for reason in reasons] == ["ValidationError", "None", "None"]


def test_the_response_body_of_a_cancellation_has_reasons_and_message() -> None:
    body = orjson.dumps({"TransactItems": [get(person(1)), get()]})

    status, answer = Shop().engine.answer("TransactGetItems", body)

    assert status == 400
    assert orjson.loads(answer) == {
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "CancellationReasons": [{"Code": "ValidationError", "Message": _MISMATCH}, {"Code": "None"}],
        "Message": "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[ValidationError, None]",
    }


# Behaviour.


def test_items_are_in_the_order_of_the_request_and_missing_ones_are_empty() -> None:
    shop = Shop()
    shop.put(order("a", note="x"), order("b"))
    shop.put(person(1), table="people")

    answer = _got(
        shop,
        get(order("b")),
        get(person(1), "people"),
        get(order("x")),
        get(order("a")),
        get(person(2), "people"),
    )

    assert answer == {
        "Responses": [
            {"Item": order("b")}, {"Item": person(1)}, {}, {"Item": order("a", note="x")}, {},
        ]
    }  # fmt: skip


def test_each_get_has_its_own_projection() -> None:
    shop = Shop()
    shop.put({**order(note="x"), "m": {"M": {"a": {"N": "1"}, "b": {"N": "2"}}}}, order("b", note="y"))

    answer = _got(
        shop,
        get(ProjectionExpression="m.b, #n", ExpressionAttributeNames={"#n": "note"}),
        get(order("b"), ProjectionExpression="pk"),
    )

    assert answer["Responses"] == [
        {"Item": {"m": {"M": {"b": {"N": "2"}}}, "note": {"S": "x"}}},
        {"Item": {"pk": {"S": "b"}}},
    ]


def test_an_item_without_projected_attributes_is_left_out() -> None:
    shop = Shop()
    shop.put(order())

    assert _got(shop, get(ProjectionExpression="absent"))["Responses"] == [{}]


def test_a_batch_can_read_100_items() -> None:
    shop = Shop()
    items = [person(number) for number in range(100)]
    shop.put(*items, table="people")

    answer = _got(shop, *(get(item, "people") for item in items))

    assert answer["Responses"] == [{"Item": item} for item in items]


def test_a_transaction_reads_at_most_four_megabytes() -> None:
    shop = Shop()
    sizes = [400_000] * 10 + [4 * 1024 * 1024 - 4_000_000]
    shop.put(*(order(f"{number:02}", size=size) for number, size in enumerate(sizes)))
    gets = [get(order(f"{number:02}"), ProjectionExpression="pk") for number in range(len(sizes))]

    assert len(_got(shop, *gets)["Responses"]) == 11

    shop.put(order("10", size=sizes[10] + 1))
    assert _invalid(shop, *gets) == "Transaction size has exceeded the maximum allowed size of 4 MB"


# Capacity.


def test_each_item_costs_two_units_for_4_kb_even_if_it_is_missing() -> None:
    shop = Shop()
    shop.put(order("a", size=4096), order("b", size=4097))
    shop.put(person(1), table="people")

    answer = _got(
        shop,
        get(order("a"), ProjectionExpression="pk"),
        get(person(1), "people"),
        get(order("b")),
        get(order("x")),
        ReturnConsumedCapacity="TOTAL",
    )

    assert answer["ConsumedCapacity"] == [
        {"TableName": "orders", "CapacityUnits": 8.0, "ReadCapacityUnits": 8.0},
        {"TableName": "people", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0},
    ]


def test_the_level_indexes_lists_the_units_of_the_table() -> None:
    answer = _got(Shop(), get(), ReturnConsumedCapacity="INDEXES")

    assert answer["ConsumedCapacity"] == [
        {
            "TableName": "orders",
            "CapacityUnits": 2.0,
            "ReadCapacityUnits": 2.0,
            "Table": {"CapacityUnits": 2.0, "ReadCapacityUnits": 2.0},
        }
    ]


def test_capacity_is_returned_only_on_request() -> None:
    assert _got(Shop(), get(), ReturnConsumedCapacity="NONE") == {"Responses": [{}]}
