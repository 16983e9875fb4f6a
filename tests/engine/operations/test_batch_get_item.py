"""BatchGetItem: serialisation, validation, behaviour."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.engine import Delays, Engine

from .shop import ABSENT, ORDERS_ARN, Item, Shop, order, person

_MIXED = (
    "Can not use both expression and non-expression parameters in the same request: "
    "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}"
)
_NAMES = (
    "Map keys must satisfy constraint: [Member must have length less than or equal to 255, "
    "Member must have length greater than or equal to 3, "
    "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]"
)


def _got(shop: Shop, **tables: Any) -> dict[str, Any]:
    return shop.call("BatchGetItem", RequestItems=tables)


def _invalid(shop: Shop, **tables: Any) -> str:
    return shop.invalid("BatchGetItem", RequestItems=tables)


def _keys(*keys: Item, **members: Any) -> Item:
    return {"Keys": list(keys), **members}


# Serialisation.


@pytest.mark.parametrize(
    ("request_items", "words"),
    [
        ("orders", "Unexpected field type"),
        (
            ["orders"],
            "Unrecognized collection type "
            "java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.KeysAndAttributes>",
        ),
        ({"orders": "keys"}, "Unexpected value type in payload"),
        (
            {"orders": [order()]},
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.KeysAndAttributes",
        ),
        ({"orders": {"Keys": "a"}}, "Unexpected field type"),
        ({"orders": {"Keys": order()}}, "Start of structure or map found where not expected"),
        ({"orders": {"Keys": ["a"]}}, "Unexpected field type"),
        ({"orders": {"Keys": [{"pk": "a"}]}}, "Unexpected value type in payload"),
        ({"orders": {"Keys": [{"pk": {"S": 1}}]}}, "NUMBER_VALUE cannot be converted to String"),
        ({"orders": _keys(order(), ConsistentRead="perhaps")}, "Unexpected token received from parser"),
        ({"orders": _keys(order(), AttributesToGet="a")}, "Unexpected field type"),
        ({"orders": _keys(order(), ProjectionExpression=1)}, "NUMBER_VALUE cannot be converted to String"),
    ],
)
def test_what_has_another_type_than_its_member_cannot_be_read(request_items: Any, words: str) -> None:
    error = Shop().error("BatchGetItem", RequestItems=request_items)

    assert (error.code, error.message) == ("SerializationException", words)


# Validation of members.


@pytest.mark.parametrize(
    ("request_items", "path", "constraint"),
    [
        (None, "RequestItems", "Member must not be null"),
        ({}, "RequestItems", "Member must have length greater than or equal to 1"),
        ({"orders": {}}, "RequestItems.orders.member.Keys", "Member must not be null"),
        (
            {"orders": {"Keys": []}},
            "RequestItems.orders.member.Keys",
            "Member must have length greater than or equal to 1",
        ),
        (
            {"orders": _keys(*(order(str(number)) for number in range(101)))},
            "RequestItems.orders.member.Keys",
            "Member must have length less than or equal to 100",
        ),
        (
            {"orders": _keys(order(), AttributesToGet=[])},
            "RequestItems.orders.member.AttributesToGet",
            "Member must have length greater than or equal to 1",
        ),
        ({"or": _keys(order())}, "RequestItems", _NAMES),
        ({"or!ders": _keys(order())}, "RequestItems", _NAMES),
        (
            {f"orders{number}": _keys(order()) for number in range(101)},
            "RequestItems",
            "Member must have length less than or equal to 100",
        ),
    ],
)
def test_a_member_that_breaks_a_constraint_is_named_and_not_repeated(
    request_items: Any, path: str, constraint: str
) -> None:
    words = Shop().invalid("BatchGetItem", RequestItems=request_items)

    assert words == (
        f"1 validation error detected: Value at '{path}' failed to satisfy constraint: {constraint}"
    )


def test_an_unknown_kind_of_capacity_is_rejected() -> None:
    words = Shop().invalid(
        "BatchGetItem", RequestItems={"orders": _keys(order())}, ReturnConsumedCapacity="ALL"
    )

    assert words == (
        "1 validation error detected: "
        "Failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
    )


# Validation before the table is looked for.


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (_keys(order(), ProjectionExpression="a", AttributesToGet=["a"]), _MIXED),
        (_keys(order(), AttributesToGet=["a", "a"]),
         "One or more parameter values were invalid: Duplicate value in attribute name: a"),
        (_keys(order(), AttributesToGet=[""]), "Empty attribute name"),
        (_keys(order(), ProjectionExpression=""),
         "Invalid ProjectionExpression: The expression can not be empty;"),
        (_keys(order(), ProjectionExpression="a,"),
         'Invalid ProjectionExpression: Syntax error; token: "<EOF>", near: ","'),
        (_keys(order(), ProjectionExpression="a, a.b"),
         "Invalid ProjectionExpression: Two document paths overlap with each other; "
         "must remove or rewrite one of these paths; path one: [a], path two: [a, b]"),
        (_keys(order(), ProjectionExpression="#a"),
         "Invalid ProjectionExpression: An expression attribute name used in the document path is not defined; "
         "attribute name: #a"),
        (_keys(order(), ProjectionExpression="a", ExpressionAttributeNames={"#b": "b"}),
         "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}"),
        (_keys(order(), ExpressionAttributeNames={"#b": "b"}),
         "ExpressionAttributeNames can only be specified when using expressions"),
        (_keys({"pk": {}}),
         "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        (_keys({"pk": {"S": "a", "N": "1"}}),
         "Supplied AttributeValue has more than one datatypes set, "
         "must contain exactly one of the supported datatypes"),
        (_keys({"pk": {"N": "one"}}), "The parameter cannot be converted to a numeric value: one"),
        (_keys({"": {"S": "a"}}), "Empty attribute name"),
    ],
)  # fmt: skip
def test_errors_of_a_request_come_before_a_missing_table(asked: Item, words: str) -> None:
    assert _invalid(Shop(), absent=asked) == words


def test_projections_and_attributes_to_get_do_not_go_together_in_different_tables_either() -> None:
    words = _invalid(
        Shop(),
        absent=_keys(order(), ProjectionExpression="a"),
        people=_keys(person(1), AttributesToGet=["a"]),
    )

    assert words == _MIXED


def test_a_key_that_is_requested_twice_is_rejected_before_the_table_is_looked_for() -> None:
    words = _invalid(Shop(), absent=_keys(order(), order("b"), order()))

    assert words == "Provided list of item keys contains duplicates"


def test_keys_that_are_written_differently_may_be_the_same() -> None:
    words = _invalid(Shop(), people=_keys({"id": {"N": "10"}}, {"id": {"N": "1e1"}}))

    assert words == "Provided list of item keys contains duplicates"


def test_the_order_of_attributes_makes_no_other_key() -> None:
    turned = dict(reversed(order().items()))

    assert _invalid(Shop(), orders=_keys(order(), turned)) == "Provided list of item keys contains duplicates"


def test_more_than_a_hundred_keys_in_all_tables_together_are_rejected() -> None:
    words = _invalid(
        Shop(),
        orders=_keys(*(order(str(number)) for number in range(51))),
        people=_keys(*map(person, range(50))),
    )

    assert words == "Too many items requested for the BatchGetItem call"


# Validation against the tables.


def test_a_table_that_is_missing_rejects_the_whole_batch() -> None:
    error = Shop().error("BatchGetItem", RequestItems={"orders": _keys(order()), ABSENT: _keys(order())})

    assert (error.code, error.message) == ("ResourceNotFoundException", "Requested resource not found")


@pytest.mark.parametrize(
    "key",
    [{}, {"pk": {"S": "a"}}, {**order(), "more": {"S": "x"}}, {"pk": {"N": "1"}, "sk": {"S": "1"}}, person(1),
     {"pk": {"SS": ["a"]}, "sk": {"S": "1"}}],
)  # fmt: skip
def test_a_key_that_does_not_match_the_table_is_rejected(key: Item) -> None:
    assert _invalid(Shop(), orders=_keys(order("b"), key)) == (
        "The provided key element does not match the schema"
    )


def test_a_key_with_an_empty_value_is_rejected() -> None:
    assert _invalid(Shop(), orders=_keys(order("a", ""))) == (
        "One or more parameter values are not valid. "
        "The AttributeValue for a key attribute cannot contain an empty string value. Key: sk"
    )


def test_a_key_that_is_too_long_is_rejected() -> None:
    assert _invalid(Shop(), orders=_keys(order("a" * 2049))) == (
        "One or more parameter values were invalid: "
        "Size of hashkey has exceeded the maximum size limit of2048 bytes"
    )


# Behaviour.


def test_items_of_all_tables_are_returned_without_missing_ones() -> None:
    shop = Shop()
    shop.put(order("a"), order("b"))
    shop.put(person(1), table="people")

    answer = _got(shop, orders=_keys(order("a"), order("x"), order("b")), people=_keys(person(1), person(2)))

    assert answer == {
        "Responses": {"orders": [order("a"), order("b")], "people": [person(1)]},
        "UnprocessedKeys": {},
    }


def test_a_table_without_found_items_has_an_empty_list() -> None:
    assert _got(Shop(), orders=_keys(order())) == {"Responses": {"orders": []}, "UnprocessedKeys": {}}


def test_a_hundred_items_are_got_at_once() -> None:
    shop = Shop()
    items = [person(number) for number in range(100)]
    shop.put(*items, table="people")

    assert sorted(_got(shop, people=_keys(*items))["Responses"]["people"], key=str) == sorted(items, key=str)


def test_each_table_has_its_own_projection() -> None:
    shop = Shop()
    shop.put({**order(note="n"), "l": {"L": [{"N": "0"}, {"N": "1"}, {"N": "2"}]}})
    shop.put(person(1, name="Ann", town="Ulm"), table="people")

    answer = _got(
        shop,
        orders=_keys(order(), ProjectionExpression="l[2], l[0], #n", ExpressionAttributeNames={"#n": "note"}),
        people=_keys(person(1), ProjectionExpression="town, absent"),
    )

    assert answer["Responses"] == {
        "orders": [{"l": {"L": [{"N": "0"}, {"N": "2"}]}, "note": {"S": "n"}}],
        "people": [{"town": {"S": "Ulm"}}],
    }


def test_attributes_to_get_do_the_same() -> None:
    shop = Shop()
    shop.put(order(note="n"))

    assert _got(shop, orders=_keys(order(), AttributesToGet=["note", "absent"]))["Responses"] == {
        "orders": [{"note": {"S": "n"}}]
    }


def test_an_item_without_projected_attributes_is_empty() -> None:
    shop = Shop()
    shop.put(order())

    assert _got(shop, orders=_keys(order(), ProjectionExpression="absent"))["Responses"] == {"orders": [{}]}


def test_a_table_named_by_its_arn_is_returned_by_its_arn() -> None:
    shop = Shop()
    shop.put(order())

    answer = shop.call(
        "BatchGetItem", RequestItems={ORDERS_ARN: _keys(order())}, ReturnConsumedCapacity="TOTAL"
    )

    assert answer["Responses"] == {ORDERS_ARN: [order()]}
    assert answer["ConsumedCapacity"] == [{"TableName": ORDERS_ARN, "CapacityUnits": 0.5}]


def test_beyond_sixteen_megabytes_keys_stay_unprocessed() -> None:
    shop = Shop()
    items = [order(f"{number:03}", size=400_000) for number in range(45)]
    shop.put(*items)
    asked = _keys(
        *(order(f"{number:03}") for number in range(45)),
        ConsistentRead=True,
        ProjectionExpression="#p",
        ExpressionAttributeNames={"#p": "pk"},
    )

    answer = shop.call(
        "BatchGetItem",
        RequestItems={"orders": asked, "people": _keys(person(1))},
        ReturnConsumedCapacity="TOTAL",
    )
    again = shop.call("BatchGetItem", RequestItems=answer["UnprocessedKeys"])

    # 41 items of 400,000 bytes are below 16 MB, whatever is shown of them.
    assert len(answer["Responses"]["orders"]) == 41
    assert answer["UnprocessedKeys"]["orders"] == {**asked, "Keys": asked["Keys"][41:]}
    assert answer["ConsumedCapacity"][0] == {"TableName": "orders", "CapacityUnits": 41 * 98.0}
    assert again["Responses"]["orders"] == [{"pk": {"S": f"{number:03}"}} for number in range(41, 45)]
    assert again["UnprocessedKeys"] == {}


def test_no_table_after_the_one_that_filled_the_answer_has_items() -> None:
    shop = Shop()
    shop.put(*(order(f"{number:03}", size=409_600) for number in range(41)))
    shop.put(person(1), table="people")

    answer = _got(
        shop, orders=_keys(*(order(f"{number:03}") for number in range(41))), people=_keys(person(1))
    )

    assert len(answer["Responses"]["orders"]) == 40
    assert answer["Responses"]["people"] == []
    assert answer["UnprocessedKeys"]["people"] == _keys(person(1))


# Capacity.


def test_capacity_is_returned_only_on_request() -> None:
    shop = Shop()

    assert "ConsumedCapacity" not in _got(shop, orders=_keys(order()))
    assert "ConsumedCapacity" not in shop.call(
        "BatchGetItem", RequestItems={"orders": _keys(order())}, ReturnConsumedCapacity="NONE"
    )


def test_each_item_is_rounded_up_for_itself_and_a_missing_one_costs_the_least() -> None:
    shop = Shop()
    shop.put(order("a", size=1536), order("b", size=6656))
    shop.put(person(1), table="people")

    answer = shop.call(
        "BatchGetItem",
        RequestItems={
            "orders": _keys(order("a"), order("b"), ConsistentRead=True),
            "people": _keys(person(1), person(2)),
        },
        ReturnConsumedCapacity="TOTAL",
    )

    assert answer["ConsumedCapacity"] == [
        {"TableName": "orders", "CapacityUnits": 3.0},
        {"TableName": "people", "CapacityUnits": 1.0},
    ]


def test_with_indexes_the_table_is_named_apart() -> None:
    shop = Shop()

    answer = shop.call(
        "BatchGetItem",
        RequestItems={"orders": _keys(order(), ProjectionExpression="a")},
        ReturnConsumedCapacity="INDEXES",
    )

    assert answer["ConsumedCapacity"] == [
        {"TableName": "orders", "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}}
    ]


def test_a_table_that_is_being_made_cannot_be_read_yet() -> None:
    shop = Shop(Engine.open(delays=Delays(create_table=60)))

    assert shop.error("BatchGetItem", RequestItems={"orders": _keys(order())}).code == (
        "ResourceNotFoundException"
    )
