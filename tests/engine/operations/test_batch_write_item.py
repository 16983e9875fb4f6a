"""BatchWriteItem: serialisation, validation, behaviour."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.engine import Engine, Partitioning

from .shop import ABSENT, ORDERS_ARN, Item, Shop, order, person

_ELEMENTS = (
    "[Member must have length less than or equal to 25, Member must have length greater than or equal to 1]"
)


def _put(item: Item) -> Item:
    return {"PutRequest": {"Item": item}}


def _delete(key: Item) -> Item:
    return {"DeleteRequest": {"Key": key}}


def _write(shop: Shop, **tables: Any) -> dict[str, Any]:
    return shop.call("BatchWriteItem", RequestItems=tables)


def _invalid(shop: Shop, **tables: Any) -> str:
    return shop.invalid("BatchWriteItem", RequestItems=tables)


def _units(shop: Shop, *members: Item, wanted: str = "INDEXES") -> Item:
    """The ConsumedCapacity of a batch in one table."""
    answer = shop.call(
        "BatchWriteItem", RequestItems={"orders": list(members)}, ReturnConsumedCapacity=wanted
    )
    (capacity,) = answer["ConsumedCapacity"]
    assert capacity.pop("TableName") == "orders"
    return {name: found for name, found in capacity.items() if found}


# Validation of members.


def test_an_empty_batch_has_its_own_message() -> None:
    assert _invalid(Shop()) == "The requestItems parameter is required for BatchWriteItem"


def test_a_batch_without_request_items_is_rejected() -> None:
    assert Shop().invalid("BatchWriteItem") == (
        "1 validation error detected: "
        "Value null at 'requestItems' failed to satisfy constraint: Member must not be null"
    )


def test_a_table_without_requests_is_rejected() -> None:
    assert _invalid(Shop(), orders=[]) == (
        "1 validation error detected: Value '{orders=[]}' at 'requestItems' failed to satisfy constraint: "
        f"Map value must satisfy constraint: {_ELEMENTS}"
    )


def test_more_than_25_requests_for_one_table_are_rejected() -> None:
    text = _invalid(Shop(), orders=[_put(order(str(number))) for number in range(26)])

    assert text.startswith("1 validation error detected: Value '{orders=[WriteRequest(putRequest=PutRequest(")
    assert text.endswith(
        f"]}}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: {_ELEMENTS}"
    )


def test_more_than_25_tables_are_rejected() -> None:
    text = _invalid(Shop(), **{f"orders{number}": [_put(order())] for number in range(26)})

    assert text.endswith(
        "at 'requestItems' failed to satisfy constraint: Member must have length less than or equal to 25"
    )


def test_more_than_25_requests_in_all_tables_are_rejected() -> None:
    text = _invalid(
        Shop(),
        orders=[_put(order(str(number))) for number in range(13)],
        people=[_delete(person(number)) for number in range(13)],
    )

    assert text == "Too many items requested for the BatchWriteItem call"


@pytest.mark.parametrize(
    ("member", "path"),
    [({"PutRequest": {}}, "putRequest.item"), ({"DeleteRequest": {}}, "deleteRequest.key")],
)
def test_a_request_without_its_item_or_key_is_rejected(member: Item, path: str) -> None:
    assert _invalid(Shop(), orders=[_put(order()), member]) == (
        f"1 validation error detected: Value null at 'requestItems.orders.member.2.member.{path}' "
        "failed to satisfy constraint: Member must not be null"
    )


def test_all_unknown_choices_are_listed() -> None:
    text = Shop().invalid(
        "BatchWriteItem",
        RequestItems={"orders": [_put(order())]},
        ReturnConsumedCapacity="ALL",
        ReturnItemCollectionMetrics="ALL",
    )

    assert text == (
        "2 validation errors detected: "
        "Value 'ALL' at 'returnConsumedCapacity' failed to satisfy constraint: "
        "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; "
        "Value 'ALL' at 'returnItemCollectionMetrics' failed to satisfy constraint: "
        "Member must satisfy enum value set: [SIZE, NONE]"
    )


# Validation before the table is looked up.


@pytest.mark.parametrize(
    ("member", "text"),
    [
        ({}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        ({**_put(order()), **_delete(order())},
         "Supplied AttributeValue has more than one datatypes set, "
         "must contain exactly one of the supported datatypes"),
        (_put({"pk": {}}),
         "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        (_put({"pk": {"S": "a", "N": "1"}}),
         "Supplied AttributeValue has more than one datatypes set, "
         "must contain exactly one of the supported datatypes"),
        (_put({"": {"S": "a"}}), "Empty attribute name"),
        (_put({"n": {"N": "one"}}), "The parameter cannot be converted to a numeric value: one"),
        (_put({"n": {"NULL": False}}),
         "One or more parameter values were invalid: Null attribute value types must have the value of true"),
        (_put({"n": {"SS": []}}),
         "One or more parameter values were invalid: An string set  may not be empty"),
        (_put({"n": {"SS": ["a", "a"]}}),
         'One or more parameter values were invalid: Input collection [a, a] contains duplicates.'),
        (_put(order(size=409_601)), "Item size has exceeded the maximum allowed size"),
        (_delete({"pk": {"N": "one"}}), "The parameter cannot be converted to a numeric value: one"),
    ],
)  # fmt: skip
def test_errors_of_a_member_come_before_a_missing_table(member: Item, text: str) -> None:
    assert _invalid(Shop(), absent=[_put(order()), member]) == text


def test_values_that_are_nested_too_deep_are_rejected() -> None:
    value: Item = {"S": "x"}
    for _ in range(32):
        value = {"M": {"m": value}}

    assert _invalid(Shop(), absent=[_put({**order(), "deep": value})]) == (
        "Nesting Levels have exceeded supported limits: "
        "Attributes in the item have nested levels beyond supported limit"
    )


# Validation against the tables: one invalid member rejects the whole batch.


def test_a_missing_table_rejects_the_whole_batch() -> None:
    shop = Shop()

    error = shop.error("BatchWriteItem", RequestItems={"orders": [_put(order())], ABSENT: [_put(order())]})

    assert (error.code, error.message) == ("ResourceNotFoundException", "Requested resource not found")
    assert shop.orders() == []


_MISMATCH = "The provided key element does not match the schema"
_NOT_VALID = "One or more parameter values are not valid. "


@pytest.mark.parametrize(
    ("member", "text"),
    [
        (_put({"pk": {"S": "a"}}), _MISMATCH),
        (_put({"pk": {"N": "1"}, "sk": {"S": "1"}}), _MISMATCH),
        (_put({"pk": {"M": {}}, "sk": {"S": "1"}}), _MISMATCH),
        (_delete({"pk": {"S": "a"}}), _MISMATCH),
        (_delete(order(more="x")), _MISMATCH),
        (_delete({"pk": {"L": []}, "sk": {"S": "1"}}), _MISMATCH),
        (_put(order("")),
         f"{_NOT_VALID}The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"),
        (_delete(order("a", "")),
         f"{_NOT_VALID}The AttributeValue for a key attribute cannot contain an empty string value. Key: sk"),
        (_put(order("a" * 2049)), "One or more parameter values were invalid: "
         "Size of hashkey has exceeded the maximum size limit of2048 bytes"),
        (_put(order("a", "1" * 1025)), "One or more parameter values were invalid: "
         "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"),
        (_put({**order(), "gsiPk": {"N": "1"}}), "One or more parameter values were invalid: "
         "Type mismatch for Index Key gsiPk Expected: S Actual: N IndexName: gsi-inc"),
        (_put(order(gsiPk="")),
         f"{_NOT_VALID}A value specified for a secondary index key is not supported. The AttributeValue for a "
         "key attribute cannot contain an empty string value. IndexName: gsi-inc, IndexKey: gsiPk"),
    ],
)  # fmt: skip
def test_a_key_that_does_not_fit_rejects_the_whole_batch(member: Item, text: str) -> None:
    shop = Shop()

    assert _invalid(shop, people=[_put(person(1))], orders=[_put(order("z")), member]) == text
    assert shop.orders() == shop.people() == []


@pytest.mark.parametrize("second", [_put(order(note="other")), _delete(order())])
def test_an_item_can_be_written_only_once(second: Item) -> None:
    shop = Shop()

    text = _invalid(shop, orders=[_put(order()), _put(order("b")), second])

    assert text == "Provided list of item keys contains duplicates"
    assert shop.orders() == []


def test_equal_keys_in_different_forms_are_duplicates() -> None:
    text = _invalid(Shop(), people=[_put({"id": {"N": "10"}}), _delete({"id": {"N": "1e1"}})])

    assert text == "Provided list of item keys contains duplicates"


def test_a_table_name_and_its_arn_are_the_same_table() -> None:
    text = _invalid(Shop(), orders=[_put(order())], **{ORDERS_ARN: [_delete(order())]})

    assert text == "Provided list of item keys contains duplicates"


# Behaviour.


def test_puts_and_deletes_in_several_tables() -> None:
    shop = Shop()
    shop.put(order("a", note="old"), order("b"))

    answer = _write(
        shop,
        orders=[_put(order("a", note="new")), _delete(order("b")), _put(order("c")), _delete(order("d"))],
        people=[_put(person(1))],
    )

    assert answer == {"UnprocessedItems": {}}
    assert shop.orders() == [order("a", note="new"), order("c")]
    assert shop.people() == [person(1)]


def test_a_batch_can_write_25_items() -> None:
    shop = Shop()

    _write(shop, people=[_put(person(number)) for number in range(25)])

    assert len(shop.people()) == 25


def test_the_largest_item_is_written() -> None:
    shop = Shop()

    _write(shop, people=[_put({"id": {"N": "1"}, "filling": {"S": "x" * (409_600 - 11)}})])

    assert len(shop.people()) == 1


def test_indexes_are_updated() -> None:
    shop = Shop()
    shop.put(order("a", gsiPk="g", proj="old"))

    _write(shop, orders=[_put(order("a", gsiPk="h", proj="new", other="x")), _put(order("b", gsiPk="h"))])
    found = shop.call("Scan", TableName="orders", IndexName="gsi-inc")["Items"]

    assert sorted(found, key=str) == [order("a", gsiPk="h", proj="new"), order("b", gsiPk="h")]


def test_numbers_and_sets_are_normalized() -> None:
    shop = Shop()

    _write(shop, people=[_put({"id": {"N": "1e1"}, "tags": {"SS": ["b", "a"]}})])

    assert shop.people() == [{"id": {"N": "10"}, "tags": {"SS": ["a", "b"]}}]


# Item collections.


def test_collection_metrics_are_returned_for_tables_with_local_indexes() -> None:
    answer = Shop().call(
        "BatchWriteItem",
        RequestItems={"orders": [_put(order("a")), _delete(order("b"))], "people": [_put(person(1))]},
        ReturnItemCollectionMetrics="SIZE",
    )

    assert answer["ItemCollectionMetrics"] == {
        "orders": [
            {"ItemCollectionKey": {"pk": {"S": "a"}}, "SizeEstimateRangeGB": [0.0, 1.0]},
            {"ItemCollectionKey": {"pk": {"S": "b"}}, "SizeEstimateRangeGB": [0.0, 1.0]},
        ]
    }


def test_collection_metrics_are_returned_only_on_request() -> None:
    request = {"orders": [_put(order())]}

    assert Shop().call("BatchWriteItem", RequestItems=request, ReturnItemCollectionMetrics="NONE") == {
        "UnprocessedItems": {}
    }


def test_exceeding_the_collection_limit_rejects_the_batch() -> None:
    shop = Shop(Engine.open(partitioning=Partitioning(collection_bytes=1000)))

    error = shop.error(
        "BatchWriteItem", RequestItems={"orders": [_put(order("b")), _put(order("a", size=1001))]}
    )

    assert (error.code, error.message) == (
        "ItemCollectionSizeLimitExceededException",
        "Collection size exceeded.",
    )
    assert shop.orders() == []


# Capacity.


def test_capacity_is_returned_only_on_request() -> None:
    request = {"orders": [_put(order())]}

    assert Shop().call("BatchWriteItem", RequestItems=request, ReturnConsumedCapacity="NONE") == {
        "UnprocessedItems": {}
    }


def test_each_item_is_rounded_up() -> None:
    shop = Shop()

    assert _units(shop, _put(order("a", size=500)), _put(order("b", size=3584)), wanted="TOTAL") == {
        "CapacityUnits": 5.0
    }


def test_a_write_costs_the_larger_image_and_at_least_one_unit() -> None:
    shop = Shop()
    shop.put(order("a", size=3000), order("b", size=2000))

    units = _units(shop, _put(order("a")), _delete(order("b")), _delete(order("c")), wanted="TOTAL")

    assert units == {"CapacityUnits": 3.0 + 2.0 + 1.0}


def test_capacity_is_listed_by_table() -> None:
    answer = Shop().call(
        "BatchWriteItem",
        RequestItems={"people": [_put(person(1)), _put(person(2))], "orders": [_put(order())]},
        ReturnConsumedCapacity="TOTAL",
    )

    assert answer["ConsumedCapacity"] == [
        {"TableName": "people", "CapacityUnits": 2.0},
        {"TableName": "orders", "CapacityUnits": 1.0},
    ]


@pytest.mark.parametrize(
    ("before", "member", "total", "table", "gsi", "lsi"),
    [
        (None, _put(order(gsiPk="g")), 2, 1, 1, 0),
        (None, _put(order()), 1, 1, 0, 0),
        (None, _put(order(lsiSk="l")), 2, 1, 0, 1),
        (None, _put(order(gsiPk="g", lsiSk="l")), 3, 1, 1, 1),
        (order(gsiPk="g", lsiSk="l"), _put(order(gsiPk="g", lsiSk="l")), 1, 1, 0, 0),
        (order(gsiPk="g", lsiSk="l"), _put(order(gsiPk="g", lsiSk="l", other="x")), 2, 1, 0, 1),
        (order(gsiPk="g", lsiSk="l"), _put(order(gsiPk="g", lsiSk="l", proj="x")), 3, 1, 1, 1),
        (order(gsiPk="g", lsiSk="l"), _put(order(gsiPk="h", lsiSk="l")), 4, 1, 2, 1),
        (order(gsiPk="g", lsiSk="l"), _put(order(lsiSk="l")), 3, 1, 1, 1),
        (order(gsiPk="g", lsiSk="l"), _put(order(gsiPk="g", lsiSk="m")), 3, 1, 0, 2),
        (order(gsiPk="g", lsiSk="l"), _delete(order()), 3, 1, 1, 1),
        (order(), _delete(order()), 1, 1, 0, 0),
    ],
)
def test_indexes_are_charged_for_what_changes_in_them(
    before: Item | None, member: Item, total: float, table: float, gsi: float, lsi: float
) -> None:
    shop = Shop()
    if before is not None:
        shop.put(before)
    expected: Item = {"CapacityUnits": total, "Table": {"CapacityUnits": table}}
    if gsi:
        expected["GlobalSecondaryIndexes"] = {"gsi-inc": {"CapacityUnits": gsi}}
    if lsi:
        expected["LocalSecondaryIndexes"] = {"lsi-all": {"CapacityUnits": lsi}}

    assert _units(shop, member) == expected


def test_the_units_of_an_index_are_added_up() -> None:
    units = _units(Shop(), _put(order("a", gsiPk="g")), _put(order("b", gsiPk="g")), _put(order("c")))

    assert units == {
        "CapacityUnits": 5.0,
        "Table": {"CapacityUnits": 3.0},
        "GlobalSecondaryIndexes": {"gsi-inc": {"CapacityUnits": 2.0}},
    }
