"""SearchVectors: what it refuses, and what it answers."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from tests.engine.state.catalogues import defined, index, vector
from tests.engine.vectors.pictures import Item, Pictures, numbers, picture, searching

INVALID = "One or more parameter values were invalid"
BAD_VECTOR = (
    "Search vector contains invalid values. All values in the search vector must be a 32-bit floating-point "
    "number attribute"
)


def divided(dimensions: int = 3) -> Pictures:
    pictures = Pictures(divided=True, filtered=True, dimensions=dimensions)
    rest = (0,) * (dimensions - 1)
    pictures.put(
        picture("a", (1, *rest), shop="x", year=1990, artist="kim"),
        picture("b", (2, *rest), shop="x", year=2000, artist="kim"),
        picture("c", (3, *rest), shop="x", year=2000),
        picture("d", (1, *rest), shop="y", year=1990, artist="lee"),
    )
    return pictures


# Serialisation


@pytest.mark.parametrize(
    ("member", "value"),
    [("TopK", "7"), ("TopK", [1]), ("SearchVector", {"N": "1"}), ("SearchVector", ["1"]), ("IndexName", 7)],
)
def test_members_of_other_types_are_rejected(member: str, value: Any) -> None:
    pictures = Pictures()

    with pytest.raises(ServiceError) as caught:
        pictures.call("SearchVectors", **{**searching((1, 2, 3)), member: value})
    assert caught.value.code == "SerializationException"


# Validation


@pytest.mark.parametrize("member", ["IndexName", "SearchVector", "TopK"])
def test_members_that_must_be_there(member: str) -> None:
    request = searching((1, 2, 3))
    del request[member]

    message = Pictures().invalid("SearchVectors", **request)

    assert message.startswith("1 validation error detected: ")
    assert "Member must not be null" in message


@pytest.mark.parametrize("count", [101, 1000])
def test_too_many_results(count: int) -> None:
    message = Pictures().invalid("SearchVectors", **searching((1, 2, 3), count))

    assert message == (
        f"Provided TopK value '{count}' is out of valid range. The value must be between 1 and 100 inclusive"
    )


def test_no_results() -> None:
    message = Pictures().invalid("SearchVectors", **searching((1, 2, 3), 0))

    assert "Member must have value greater than or equal to 1" in message


def test_an_empty_search_vector_and_one_that_is_too_long() -> None:
    pictures = Pictures()

    assert "greater than or equal to 1" in pictures.invalid("SearchVectors", **searching(()))
    assert "less than or equal to 4096" in pictures.invalid("SearchVectors", **searching([1] * 4097))


@pytest.mark.parametrize("element", [{"S": "1"}, {"N": "1e39"}, {"N": "-3.5e38"}, {"L": []}, {"NULL": True}])
def test_a_search_vector_of_32_bit_floats(element: Item) -> None:
    request = {**searching((1, 2, 3)), "SearchVector": [*numbers((1, 2)), element]}

    assert Pictures().invalid("SearchVectors", **request) == BAD_VECTOR


def test_a_search_vector_with_a_text_that_is_not_a_number() -> None:
    message = Pictures().invalid("SearchVectors", **searching(("1", "x", "2")))

    assert "cannot be converted to a numeric value" in message


@pytest.mark.parametrize("count", [1, 2, 4, 4096])
def test_a_search_vector_of_other_dimensions(count: int) -> None:
    message = Pictures().invalid("SearchVectors", **searching([1] * count))

    assert message == f"Input search vector dimension {count} does not match vector index dimension 3"


def test_a_table_and_an_index_that_are_missing() -> None:
    pictures = Pictures()

    with pytest.raises(ServiceError) as caught:
        pictures.engine.call("SearchVectors", {"TableName": "absent", **searching((1, 2, 3))})
    assert caught.value.code == "ResourceNotFoundException"
    assert pictures.invalid("SearchVectors", **{**searching((1, 2, 3)), "IndexName": "far"}) == (
        "The table does not have the specified index: far"
    )


def test_an_index_of_another_kind() -> None:
    pictures = Pictures()
    pictures.call(
        "UpdateTable",
        AttributeDefinitions=defined("artist"),
        GlobalSecondaryIndexUpdates=[{"Create": index("by-artist", "artist")}],
    )

    message = pictures.invalid("SearchVectors", **{**searching((1, 2, 3)), "IndexName": "by-artist"})

    assert message == "The table does not have the specified index: by-artist"


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        *[
            (text, "Invalid SearchConditionExpression: Invalid comparator used in SearchConditionExpression")
            for text in (
                "shop <> :x",
                "shop < :x",
                "shop <= :x",
                "shop > :x",
                "shop = :x AND artist >= :x",
                "shop BETWEEN :x AND :x",
                "shop IN (:x)",
            )
        ],
        *[
            (text, "Invalid SearchConditionExpression: Invalid operator used in SearchConditionExpression")
            for text in (
                "shop = :x OR shop = :x",
                "NOT shop = :x",
                "begins_with(shop, :x)",
                "size(shop) = :x",
                "shop = artist AND shop = :x",
                "nothing < :x OR shop = :x",
            )
        ],
        (
            "artist = :x",
            "SearchConditionExpression must be provided when SearchSchema has a HASH key",
        ),
        ("shop = :x AND shop = :x", "SearchConditionExpressions must only contain one condition per key"),
        (
            "shop = :x AND artist.n = :x",
            "Invalid SearchConditionExpression: SearchConditionExpressions cannot have conditions on nested attributes",
        ),
        (
            "shop = :x AND id = :x",
            "Invalid SearchConditionExpression: Attribute is not part of the SearchSchema: id",
        ),
        ("", "Invalid SearchConditionExpression: The expression can not be empty;"),
        ("shop = :y", "Invalid SearchConditionExpression: An expression attribute value used in expression is not "
         "defined; attribute value: :y"),
    ],
)  # fmt: skip
def test_conditions_that_are_no_equalities_of_the_search_schema(condition: str, message: str) -> None:
    request: Item = {"SearchConditionExpression": condition, "ExpressionAttributeValues": {":x": {"S": "x"}}}

    assert divided().invalid("SearchVectors", **searching((1, 2, 3), **request)) == message


@pytest.mark.parametrize(
    ("name", "value"), [("shop", {"N": "1"}), ("year", {"S": "1990"}), ("year", {"NS": ["1"]})]
)
def test_a_value_of_another_type_than_its_attribute(name: str, value: Item) -> None:
    values = {":shop": {"S": "x"}, ":year": {"N": "1990"}, f":{name}": value}
    request = searching(
        (1, 2, 3),
        SearchConditionExpression="shop = :shop AND #year = :year",
        ExpressionAttributeNames={"#year": "year"},
        ExpressionAttributeValues=values,
    )

    message = divided().invalid("SearchVectors", **request)

    assert message == f"{INVALID}: Condition parameter type does not match schema type"


def test_an_index_that_is_divided_needs_a_condition() -> None:
    message = divided().invalid("SearchVectors", **searching((1, 2, 3)))

    assert message == "SearchConditionExpression must be provided when SearchSchema has a HASH key"


def test_placeholders_that_are_not_used() -> None:
    request = searching((1, 2, 3), shop="x")
    request["ExpressionAttributeValues"][":y"] = {"S": "y"}

    assert "unused in expressions: keys: {:y}" in divided().invalid("SearchVectors", **request)


# Behaviour


@pytest.mark.parametrize(
    ("distance", "expected"),
    [
        ("COSINE", [("near", 0.0), ("tenfold", 0.0), ("aside", 1.0), ("opposite", 2.0)]),
        ("EUCLIDEAN", [("near", 0.0), ("aside", 2**0.5), ("opposite", 2.0), ("tenfold", 9.0)]),
        ("DOT_PRODUCT", [("tenfold", 10.0), ("near", 1.0), ("aside", 0.0), ("opposite", -1.0)]),
    ],
)
def test_the_nearest_come_first(distance: str, expected: list[tuple[str, float]]) -> None:
    pictures = Pictures(distance=distance)
    pictures.put(
        picture("opposite", (-1, 0, 0)),
        picture("tenfold", (10, 0, 0)),
        picture("aside", (0, 1, 0)),
        picture("near", (1, 0, 0)),
    )

    found = pictures.search((1, 0, 0))

    assert sorted(found[:2]) + found[2:] == sorted(expected[:2]) + expected[2:]
    assert pictures.search((1, 0, 0), 1) == found[:1]


def test_equals_come_in_the_order_of_a_scan() -> None:
    pictures = Pictures()
    pictures.put(*(picture(f"{number}", (1, 2, 3)) for number in range(30)))

    scanned = [item["id"]["S"] for item in pictures.scanned()]
    assert pictures.names((0, 0, 0), 12) == scanned[:12]


def test_a_search_is_about_one_part_of_an_index_that_is_divided() -> None:
    pictures = divided()

    assert pictures.names((0, 0, 0), shop="x") == ["a", "b", "c"]
    assert pictures.names((0, 0, 0), shop="y") == ["d"]
    assert pictures.names((0, 0, 0), shop="z") == []


def test_filters_come_before_the_ranking() -> None:
    pictures = divided()

    assert pictures.names((0, 0, 0), 1, shop="x", year=2000) == ["b"]
    assert pictures.names((0, 0, 0), shop="x", year=2000, artist="kim") == ["b"]
    assert pictures.names((0, 0, 0), shop="x", artist="lee") == []


def test_a_value_can_be_on_the_left_and_numbers_compare_by_value() -> None:
    request = searching(
        (0, 0, 0),
        SearchConditionExpression=":y = #y AND (shop = :s)",
        ExpressionAttributeNames={"#y": "year"},
        ExpressionAttributeValues={":y": {"N": "2.0e3"}, ":s": {"S": "x"}},
    )

    results = divided().call("SearchVectors", **request)["SearchResults"]

    assert [result["Item"]["id"]["S"] for result in results] == ["b", "c"]


def test_results_show_what_is_projected_but_the_vector() -> None:
    everything = Pictures(Projection={"ProjectionType": "ALL"})
    some = Pictures(Projection={"ProjectionType": "INCLUDE", "NonKeyAttributes": ["artist"]})
    keys = Pictures(filtered=True)
    item = picture("a", (1, 2, 3), artist="kim", title="sea", year=1990)
    for pictures, names in (
        (everything, {"id", "artist", "title", "year"}),
        (some, {"id", "artist"}),
        (keys, {"id", "artist", "year"}),
    ):
        pictures.put(item)
        (result,) = pictures.call("SearchVectors", **searching((1, 2, 3)))["SearchResults"]

        assert result == {"Item": {name: item[name] for name in names}, "Score": 0.0}


def test_a_projection_can_return_the_vector() -> None:
    pictures = Pictures(Projection={"ProjectionType": "INCLUDE", "NonKeyAttributes": ["artist"]})
    pictures.put(picture("a", ("0.1", "1e2", "-0.30000000001"), artist="kim", title="sea"))

    request = searching((0, 0, 0), ProjectionExpression="v, title, artist")
    (result,) = pictures.call("SearchVectors", **request)["SearchResults"]
    request["ProjectionExpression"] = "v[1]"
    (other,) = pictures.call("SearchVectors", **request)["SearchResults"]

    assert result["Item"] == {"artist": {"S": "kim"}, "v": {"L": numbers(("0.1", "100", "-0.3"))}}
    assert other["Item"] == {"v": {"L": [{"N": "100"}]}}


def test_the_table_keeps_the_numbers_and_the_index_32_bits_of_them() -> None:
    pictures = Pictures(dimensions=1)
    pictures.put(picture("a", ("0.1",)))

    assert pictures.search(("0.1000000001",)) == [("a", 0.0)]
    assert pictures.scanned()[0]["v"] == {"L": [{"N": "0.1"}]}


def test_capacity_is_returned_on_request() -> None:
    pictures = divided(dimensions=300)
    request = searching((0,) * 300, shop="x")

    quiet = pictures.call("SearchVectors", **request)
    shown = [
        pictures.call("SearchVectors", **request, ReturnConsumedCapacity=level)["ConsumedCapacity"]
        for level in ("TOTAL", "INDEXES")
    ]

    # Three vectors of 1,200 bytes; id, shop and year of each; two artists.
    looked_at = 3 * 1200 + 3 * (3 + 5) + (4 + 3) + 2 * (4 + 2) + 2 * (6 + 3)
    assert "ConsumedCapacity" not in quiet
    assert shown == [{"VectorSearchRequestBytes": looked_at, "VectorSearchUnits": looked_at}] * 2


def test_a_search_looks_at_fifteen_vectors_at_the_most() -> None:
    pictures = Pictures(dimensions=100)
    pictures.put(*(picture(f"{number:02}", (number,) * 100) for number in range(40)))

    request = searching((0,) * 100, 2, ReturnConsumedCapacity="TOTAL")
    capacity = pictures.call("SearchVectors", **request)["ConsumedCapacity"]

    assert capacity["VectorSearchUnits"] == 15 * 400 + 2 * 4


def test_a_search_is_billed_by_a_kilobyte_at_the_least() -> None:
    pictures = Pictures()
    request = searching((0, 0, 0), ReturnConsumedCapacity="TOTAL")

    empty = pictures.call("SearchVectors", **request)["ConsumedCapacity"]
    pictures.put(picture("a", (1, 2, 3)))
    small = pictures.call("SearchVectors", **request)["ConsumedCapacity"]

    assert empty == small == {"VectorSearchRequestBytes": 1024.0, "VectorSearchUnits": 1024.0}


def test_a_table_may_be_named_by_its_arn() -> None:
    pictures = Pictures()
    pictures.put(picture("a", (1, 2, 3)))
    name = "arn:aws:dynamodb:us-east-1:000000000000:table/pictures"

    answer = pictures.engine.call("SearchVectors", {"TableName": name, **searching((1, 2, 3))})

    assert [result["Score"] for result in answer["SearchResults"]] == [0.0]


def test_queries_and_scans_of_a_vector_index_are_rejected() -> None:
    pictures = Pictures()
    query = {"KeyConditionExpression": "id = :i", "ExpressionAttributeValues": {":i": {"S": "a"}}}

    assert pictures.invalid("Query", IndexName="near", **query) == (
        "Query operation not supported on this index type."
    )
    assert pictures.invalid("Scan", IndexName="near") == "Scan operation not supported on this index type"


def test_several_indexes_on_one_attribute_and_on_several() -> None:
    pictures = Pictures(create=False)
    pictures.engine.call(
        "CreateTable",
        {
            "TableName": "pictures",
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": defined("id"),
            "VectorIndexes": [
                pictures.index,
                {**pictures.index, "IndexName": "along", "DistanceFunction": "DOT_PRODUCT"},
                vector("other", VectorAttribute={"AttributeName": "w"}, Dimensions=1),
            ],
        },
    )
    pictures.put(picture("a", (1, 0, 0)), picture("b", (5, 0, 0)), {**picture("c"), "w": {"L": [{"N": "1"}]}})

    assert pictures.names((1, 0, 0)) == ["a", "b"]
    assert pictures.names((1, 0, 0), IndexName="along") == ["b", "a"]
    assert pictures.names((1,), IndexName="other") == ["c"]
