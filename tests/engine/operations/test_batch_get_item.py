"""BatchGetItem: serialisation, validation, behaviour."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.engine import Delays, Engine

from .shop import Item, Shop, order, person

_MIXED = (
    "Can not use both expression and non-expression parameters in the same request: "
    "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}"
)


def _got(shop: Shop, **tables: Any) -> dict[str, Any]:
    return shop.call("BatchGetItem", RequestItems=tables)


def _invalid(shop: Shop, **tables: Any) -> str:
    return shop.invalid("BatchGetItem", RequestItems=tables)


def _keys(*keys: Item, **members: Any) -> Item:
    return {"Keys": list(keys), **members}


# Validation before the table is looked up.


@pytest.mark.parametrize(
    ("invalid", "message"),
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
def test_errors_of_a_request_come_before_a_missing_table(invalid: Item, message: str) -> None:
    assert _invalid(Shop(), absent=invalid) == message


def test_projections_and_attributes_to_get_cannot_be_mixed_even_for_different_tables() -> None:
    message = _invalid(
        Shop(),
        absent=_keys(order(), ProjectionExpression="a"),
        people=_keys(person(1), AttributesToGet=["a"]),
    )

    assert message == _MIXED


def test_a_duplicate_key_is_rejected_before_the_table_is_looked_up() -> None:
    message = _invalid(Shop(), absent=_keys(order(), order("b"), order()))

    assert message == "Provided list of item keys contains duplicates"


def test_equal_keys_in_different_forms_are_duplicates() -> None:
    message = _invalid(Shop(), people=_keys({"id": {"N": "10"}}, {"id": {"N": "1e1"}}))

    assert message == "Provided list of item keys contains duplicates"


def test_keys_are_equal_whatever_the_order_of_their_attributes() -> None:
    turned = dict(reversed(order().items()))

    assert _invalid(Shop(), orders=_keys(order(), turned)) == "Provided list of item keys contains duplicates"


def test_more_than_100_keys_in_all_tables_are_rejected() -> None:
    message = _invalid(
        Shop(),
        orders=_keys(*(order(str(number)) for number in range(51))),
        people=_keys(*map(person, range(50))),
    )

    assert message == "Too many items requested for the BatchGetItem call"


# Validation against the tables.


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


def test_a_batch_can_read_100_items() -> None:
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


def test_attributes_to_get_select_attributes_of_each_table() -> None:
    shop = Shop()
    shop.put(order(note="n"))

    assert _got(shop, orders=_keys(order(), AttributesToGet=["note", "absent"]))["Responses"] == {
        "orders": [{"note": {"S": "n"}}]
    }


def test_an_item_without_projected_attributes_is_empty() -> None:
    shop = Shop()
    shop.put(order())

    assert _got(shop, orders=_keys(order(), ProjectionExpression="absent"))["Responses"] == {"orders": [{}]}


def test_keys_beyond_16_mb_are_unprocessed() -> None:
    shop = Shop()
    items = [order(f"{number:03}", size=400_000) for number in range(45)]
    shop.put(*items)
    keys = _keys(
        *(order(f"{number:03}") for number in range(45)),
        ConsistentRead=True,
        ProjectionExpression="#p",
        ExpressionAttributeNames={"#p": "pk"},
    )

    answer = shop.call(
        "BatchGetItem",
        RequestItems={"orders": keys, "people": _keys(person(1))},
        ReturnConsumedCapacity="TOTAL",
    )
    again = shop.call("BatchGetItem", RequestItems=answer["UnprocessedKeys"])

    # 41 items of 400,000 bytes are below 16 MB; projections do not matter.
    assert len(answer["Responses"]["orders"]) == 41
    assert answer["UnprocessedKeys"]["orders"] == {**keys, "Keys": keys["Keys"][41:]}
    assert answer["ConsumedCapacity"][0] == {"TableName": "orders", "CapacityUnits": 41 * 98.0}
    assert again["Responses"]["orders"] == [{"pk": {"S": f"{number:03}"}} for number in range(41, 45)]
    assert again["UnprocessedKeys"] == {}


def test_tables_after_the_one_that_filled_the_response_have_no_items() -> None:
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


def test_each_item_is_rounded_up_and_a_missing_one_costs_the_minimum() -> None:
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


def test_the_level_indexes_lists_the_units_of_the_table() -> None:
    shop = Shop()

    answer = shop.call(
        "BatchGetItem",
        RequestItems={"orders": _keys(order(), ProjectionExpression="a")},
        ReturnConsumedCapacity="INDEXES",
    )

    assert answer["ConsumedCapacity"] == [
        {"TableName": "orders", "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}}
    ]


def test_a_creating_table_cannot_be_read() -> None:
    shop = Shop(Engine.open(delays=Delays(create_table=60)))

    assert shop.error("BatchGetItem", RequestItems={"orders": _keys(order())}).code == (
        "ResourceNotFoundException"
    )
