"""PutItem: serialisation, validation, behaviour."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pksk.engine import Engine
from tests.engine.operations.items import ABSENT, KEY, PREFIX, Item, Items, indexed, nested
from tests.engine.state.catalogues import NAME, defined, index

INVALID = "One or more parameter values were invalid: "
RETURN_VALUES = "ReturnValues can only be ALL_OLD or NONE"

# Serialisation.


def test_a_body_that_is_not_json_is_a_serialization_error() -> None:
    status, body = Engine.open().answer("PutItem", b"{nope")

    assert status == 400
    assert json.loads(body) == {"__type": "com.amazon.coral.service#SerializationException"}


def test_a_put_returns_an_empty_response() -> None:
    items = Items()
    body = json.dumps({"TableName": NAME, "Item": KEY}).encode()

    assert items.engine.answer("PutItem", body) == (200, b"{}")


def test_nulls_and_unknown_members_are_ignored() -> None:
    items = Items()

    assert items.put(KEY, ConditionExpression=None, ReturnValues=None, Whatever={"x": [1]}) == {}
    assert items.get() == KEY


def test_words_for_booleans_are_read_and_stored_as_booleans() -> None:
    items = Items()
    items.put({**KEY, "t": {"BOOL": "Yes"}, "f": {"BOOL": "0"}, "n": {"NULL": "true"}})

    assert items.get() == {**KEY, "t": {"BOOL": True}, "f": {"BOOL": False}, "n": {"NULL": True}}


# Validation before the table is looked up.


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"SS": []}, f"{INVALID}An string set  may not be empty"),
        ({"NS": []}, f"{INVALID}An number set  may not be empty"),
        ({"BS": []}, f"{INVALID}Binary sets should not be empty"),
        ({"SS": ["a", "b", "a"]}, f'{INVALID}Input collection ["a", "b", "a"] contains duplicates.'),
        ({"SS": ["", ""]}, f'{INVALID}Input collection ["", ""] contains duplicates.'),
        ({"NS": ["1", "1.0"]}, f"{INVALID}Input collection contains duplicates."),
        (
            {"BS": ["eA==", "eA=="]},
            f'{INVALID}Input collection ["eA==","eA=="]of type BS contains duplicates.',
        ),
        ({"NULL": False}, f"{INVALID}Null attribute value types must have the value of true"),
        ({"L": [{"NULL": False}]}, f"{INVALID}Null attribute value types must have the value of true"),
        ({"N": "one"}, "The parameter cannot be converted to a numeric value: one"),
        ({"N": ""}, "The parameter cannot be converted to a numeric value: "),
        ({"N": " 1"}, "The parameter cannot be converted to a numeric value:  1"),
        ({"NS": [""]}, "The parameter cannot be converted to a numeric value: "),
        ({"N": "1" * 39}, "Attempting to store more than 38 significant digits in a Number"),
        (
            {"N": "1e126"},
            "Number overflow. Attempting to store a number with magnitude larger than supported range",
        ),
        (
            {"N": "-1e-131"},
            "Number underflow. Attempting to store a number with magnitude smaller than supported range",
        ),
        ({"M": {"": {"S": "x"}}}, "Empty attribute name"),
        (
            nested(32),
            "Nesting Levels have exceeded supported limits: "
            "Attributes in the item have nested levels beyond supported limit",
        ),
    ],
)
def test_the_error_about_an_invalid_value_has_the_prefix(value: Item, message: str) -> None:
    assert Items().invalid("PutItem", TableName=ABSENT, Item={"a": value}) == PREFIX + message


def test_the_error_about_an_empty_attribute_name_has_the_prefix() -> None:
    message = Items().invalid("PutItem", TableName=ABSENT, Item={"": {"S": "x"}})

    assert message == f"{PREFIX}Empty attribute name"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        ({"X": "y"}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        (None, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        (
            {"L": [{}]},
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
        (
            {"S": "a", "N": "1"},
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes",
        ),
        ({"S": "a", "N": "x"}, "The parameter cannot be converted to a numeric value: x"),
    ],
)
def test_the_error_about_a_value_without_a_type_or_with_two_has_no_prefix(value: Any, message: str) -> None:
    assert Items().invalid("PutItem", TableName=ABSENT, Item={"a": value}) == message


def test_errors_of_a_request_with_a_boolean_as_a_word_have_no_prefix() -> None:
    item = {"a": {"BOOL": "true"}, "b": {"NULL": False}}

    assert Items().invalid("PutItem", TableName=ABSENT, Item=item) == (
        f"{INVALID}Null attribute value types must have the value of true"
    )


# Errors in the order in which DynamoDB reports them: each request has this error and all that follow.
ORDER: list[tuple[dict[str, Any], str]] = [
    ({"Expected": {"a": {}}}, "Can not use both expression and non-expression parameters"),
    ({"ExpressionAttributeNames": {}}, "ExpressionAttributeNames must not be empty"),
    ({"ExpressionAttributeValues": {":v": {"N": "x"}}}, "The parameter cannot be converted"),
    ({"Item": {"a": {"NULL": False}}}, "Null attribute value types must have the value of true"),
    ({"ReturnValues": "ALL_NEW"}, RETURN_VALUES),
    ({"Item": {**KEY, "b": {"S": "x" * 409_600}}}, "Item size has exceeded the maximum allowed size"),
    ({"ConditionExpression": "a = "}, "Syntax error"),
]


@pytest.mark.parametrize("position", range(len(ORDER)))
def test_errors_are_reported_in_the_order_of_the_service(position: int) -> None:
    request: dict[str, Any] = {"Item": KEY}
    for members, _ in reversed(ORDER[position:]):
        request |= members

    assert ORDER[position][1] in Items().invalid("PutItem", TableName=ABSENT, **request)


def test_an_invalid_value_comes_before_an_invalid_expectation() -> None:
    message = Items().invalid("PutItem", Item={"a": {"NULL": False}}, Expected={"a": {}})

    assert message == f"{PREFIX}{INVALID}Null attribute value types must have the value of true"


# Validation against the table.


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({}, f"{INVALID}Missing the key pk in the item"),
        ({"pk": {"S": "a"}}, f"{INVALID}Missing the key sk in the item"),
        (
            {"pk": {"S": "a"}, "sk": {"S": "1"}},
            f"{INVALID}Type mismatch for key sk expected: N actual: S",
        ),
        (
            {"pk": {"M": {}}, "sk": {"N": "1"}},
            f"{INVALID}Type mismatch for key pk expected: S actual: M",
        ),
        (
            {"pk": {"S": ""}, "sk": {"N": "1"}},
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
            "contain an empty string value. Key: pk",
        ),
        (
            {"pk": {"S": "a" * 2049}, "sk": {"N": "1"}},
            f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes",
        ),
    ],
)
def test_an_item_that_does_not_fit_the_key_is_rejected_without_the_prefix(item: Item, message: str) -> None:
    items = Items("pk", "sk", AttributeDefinitions=defined("pk", sk="N"))

    assert items.invalid("PutItem", Item=item) == message


@pytest.mark.parametrize(
    ("kind", "longest", "too_long"),
    [("S", "é" * 1024, "é" * 1024 + "x"), ("B", b"x" * 2048, b"x" * 2049)],
)
def test_a_partition_key_has_at_most_2048_bytes(kind: str, longest: Any, too_long: Any) -> None:
    items = Items(AttributeDefinitions=defined(pk=kind))
    items.put({"pk": {kind: longest}})

    assert items.invalid("PutItem", Item={"pk": {kind: too_long}}) == (
        f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes"
    )


def test_a_sort_key_has_at_most_1024_bytes() -> None:
    items = Items("pk", "sk")
    items.put({**KEY, "sk": {"S": "x" * 1024}})

    assert items.invalid("PutItem", Item={**KEY, "sk": {"S": "x" * 1025}}) == (
        f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
    )


def test_an_empty_binary_key_is_rejected() -> None:
    items = Items(AttributeDefinitions=defined(pk="B"))

    assert items.invalid("PutItem", Item={"pk": {"B": ""}}) == (
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain "
        "an empty binary value. Key: pk"
    )


# Behaviour.

MOST = 409_600


def test_a_put_replaces_the_whole_item() -> None:
    items = Items()
    items.put({**KEY, "a": {"S": "x"}, "b": {"S": "y"}})
    items.put({**KEY, "b": {"S": "z"}})

    assert items.get() == {**KEY, "b": {"S": "z"}}


def test_every_type_is_returned_as_it_was_put() -> None:
    item = {
        **KEY,
        "s": {"S": ""},
        "n": {"N": "-0.5"},
        "b": {"B": ""},
        "bool": {"BOOL": False},
        "null": {"NULL": True},
        "l": {"L": []},
        "m": {"M": {"l": {"L": [{"S": "é"}, {"M": {}}]}}},
        "ss": {"SS": ["", "a"]},
        "bs": {"BS": ["", "eA=="]},
    }
    items = Items()
    items.put(item)

    assert items.get() == item


def test_bytes_from_python_are_returned_as_base64() -> None:
    items = Items()
    items.put({**KEY, "b": {"B": b"\x00\xff"}, "bs": {"BS": [b"y", b"x"]}})

    assert items.get() == {**KEY, "b": {"B": "AP8="}, "bs": {"BS": ["eA==", "eQ=="]}}


@pytest.mark.parametrize(
    ("number", "stored"),
    [
        ("1e3", "1000"),
        ("+5", "5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1.e2", "100"),
        ("-0", "0"),
        ("007.10", "7.1"),
        ("1E125", "1" + "0" * 125),
        ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
    ],
)
def test_numbers_are_normalized(number: str, stored: str) -> None:
    items = Items()
    items.put({**KEY, "n": {"N": number}})

    assert items.get() == {**KEY, "n": {"N": stored}}


def test_sets_are_returned_sorted() -> None:
    items = Items()
    items.put({**KEY, "ss": {"SS": ["z", "é", "a"]}, "ns": {"NS": ["10", "9", "-1", "0.5"]}})

    assert items.get() == {**KEY, "ss": {"SS": ["a", "z", "é"]}, "ns": {"NS": ["-1", "0.5", "9", "10"]}}


def test_equal_numbers_are_one_key() -> None:
    items = Items(AttributeDefinitions=defined(pk="N"))
    items.put({"pk": {"N": "1e3"}, "a": {"S": "first"}})
    items.put({"pk": {"N": "1000.0"}, "a": {"S": "second"}})

    assert items.call("Scan")["Items"] == [{"pk": {"N": "1000"}, "a": {"S": "second"}}]


@pytest.mark.parametrize("levels", [1, 30, 31])
def test_values_nest_up_to_31_levels(levels: int) -> None:
    items = Items()
    items.put({**KEY, "a": nested(levels)})

    assert items.get() == {**KEY, "a": nested(levels)}


def test_an_item_has_at_most_409600_bytes_names_included() -> None:
    items = Items()
    # pk and a: 2 + 1 and 1 + the rest.
    items.put({**KEY, "a": {"S": "x" * 409_596}})

    assert items.invalid("PutItem", Item={**KEY, "a": {"S": "x" * 409_597}}) == (
        "Item size has exceeded the maximum allowed size"
    )


def test_an_item_that_is_too_large_is_rejected_before_the_table_is_looked_up() -> None:
    item = {**KEY, "a": {"S": "é" * 204_800}}

    assert Items().invalid("PutItem", TableName=ABSENT, Item=item) == (
        "Item size has exceeded the maximum allowed size"
    )


def test_entries_of_local_indexes_count_with_an_item_that_is_put() -> None:
    items = indexed()
    key = {**KEY, "sk": {"S": "s"}}
    # The item has 3 + 3 + 6 bytes and those of `a`, and its entry as many.
    fits = {**key, "lsiSk": {"S": "l"}, "a": {"S": "x" * (MOST // 2 - 13)}}
    items.put(fits)

    assert items.invalid("PutItem", Item={**fits, "a": {"S": "x" * (MOST // 2 - 12)}}) == (
        "Item size has exceeded the maximum allowed size"
    )
    items.put({**key, "a": {"S": "x" * (MOST // 2 - 12)}})


def test_entries_of_global_indexes_do_not_count_with_an_item() -> None:
    item = {**KEY, "sk": {"S": "s"}, "gsiPk": {"S": "g"}, "proj": {"S": "x" * 300_000}}

    assert indexed().put(item) == {}


def test_only_what_a_local_index_projects_counts() -> None:
    keys_only = index("keys", "pk", "s", Projection={"ProjectionType": "KEYS_ONLY"})
    items = Items(
        "pk", "sk", AttributeDefinitions=defined("pk", "sk", "s"), LocalSecondaryIndexes=[keys_only]
    )
    # pk, sk and s have 3 + 3 + 2 bytes, once in the item and once in the entry.
    item = {**KEY, "sk": {"S": "s"}, "s": {"S": "t"}, "a": {"S": "x" * (MOST - 17)}}
    items.put(item)

    assert items.invalid("PutItem", Item={**item, "a": {"S": "x" * (MOST - 16)}}) == (
        "Item size has exceeded the maximum allowed size"
    )


def test_all_old_returns_the_item_that_was_replaced() -> None:
    items = Items()
    old = {**KEY, "a": {"S": "x"}, "ns": {"NS": ["1", "2"]}}

    assert items.put(old, ReturnValues="ALL_OLD") == {}
    assert items.put(KEY, ReturnValues="NONE") == {}
    items.put(old)
    assert items.put(KEY, ReturnValues="ALL_OLD") == {"Attributes": old}


def test_the_error_body_of_a_failed_condition_has_the_item() -> None:
    items = Items()
    items.put(KEY)
    request = {
        "TableName": NAME,
        "Item": KEY,
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    status, body = items.engine.answer("PutItem", json.dumps(request).encode())

    assert (status, json.loads(body)) == (
        400,
        {
            "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
            "message": "The conditional request failed",
            "Item": KEY,
        },
    )
