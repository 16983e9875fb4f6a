"""SearchVectors: validation, results and cost."""

from __future__ import annotations

import orjson
import pytest

from tests.engine.state.catalogues import defined, index, vector
from tests.engine.vectors.pictures import NAME, Item, Pictures, numbers, picture, searching

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


# Validation


@pytest.mark.every_transport
@pytest.mark.parametrize("member", ["IndexName", "SearchVector", "TopK"])
def test_a_missing_member_is_reported_at_the_end_of_the_body(member: str) -> None:
    request = searching((1, 2, 3))
    del request[member]

    message = Pictures().invalid("SearchVectors", **request)

    body = orjson.dumps({"TableName": NAME, **request})
    assert message == f"missing field `{member}` at line 1 column {len(body)}"


def test_an_unknown_capacity_level_is_reported_without_the_number_of_errors() -> None:
    message = Pictures().invalid("SearchVectors", **searching((1, 2, 3)), ReturnConsumedCapacity="X")

    assert message == (
        "Value 'X' at 'returnConsumedCapacity' failed to satisfy constraint: "
        "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
    )


@pytest.mark.parametrize("count", [101, 1000])
def test_more_than_100_results_are_rejected(count: int) -> None:
    message = Pictures().invalid("SearchVectors", **searching((1, 2, 3), count))

    assert message == (
        f"Provided TopK value '{count}' is out of valid range. The value must be between 1 and 100 inclusive"
    )


def test_less_than_one_result_is_rejected() -> None:
    message = Pictures().invalid("SearchVectors", **searching((1, 2, 3), 0))

    assert message == (
        "1 validation error detected: Value at 'TopK' failed to satisfy constraint: "
        "Member must have value greater than or equal to 1"
    )


def test_the_search_vector_has_a_minimum_and_a_maximum_length() -> None:
    pictures = Pictures()

    assert "greater than or equal to 1" in pictures.invalid("SearchVectors", **searching(()))
    assert "less than or equal to 4096" in pictures.invalid("SearchVectors", **searching([1] * 4097))


@pytest.mark.parametrize("element", [{"S": "1"}, {"N": "1e39"}, {"N": "-3.5e38"}, {"L": []}, {"NULL": True}])
def test_the_search_vector_must_have_32_bit_floats(element: Item) -> None:
    request = {**searching((1, 2, 3)), "SearchVector": [*numbers((1, 2)), element]}

    assert Pictures().invalid("SearchVectors", **request) == BAD_VECTOR


def test_a_search_vector_with_an_invalid_number_is_rejected() -> None:
    message = Pictures().invalid("SearchVectors", **searching(("1", "x", "2")))

    assert "cannot be converted to a numeric value" in message


@pytest.mark.parametrize("count", [1, 2, 4, 4096])
def test_a_search_vector_of_other_dimensions_is_rejected(count: int) -> None:
    message = Pictures().invalid("SearchVectors", **searching([1] * count))

    assert message == f"Input search vector dimension {count} does not match vector index dimension 3"


def test_a_missing_index_is_rejected() -> None:
    assert Pictures().invalid("SearchVectors", **{**searching((1, 2, 3)), "IndexName": "far"}) == (
        "The table does not have the specified index: far"
    )


def test_an_index_of_another_kind_cannot_be_searched() -> None:
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
        ("shop = :x AND shop = :x", "Invalid SearchConditionExpression: "
         "SearchConditionExpressions must only contain one condition per key"),
        (
            "shop = :x AND artist.n = :x",
            "Invalid SearchConditionExpression: SearchConditionExpressions cannot have conditions on nested attributes",
        ),
        (
            "shop = :x AND id = :x",
            "SearchConditionExpression must not contain any attributes that is not in SearchSchema. "
            "Invalid attribute: id",
        ),
        ("", "Invalid SearchConditionExpression: The expression can not be empty;"),
        ("shop = :y", "Invalid SearchConditionExpression: An expression attribute value used in expression is not "
         "defined; attribute value: :y"),
    ],
)  # fmt: skip
def test_conditions_other_than_equalities_of_the_search_schema_are_rejected(
    condition: str, message: str
) -> None:
    request: Item = {"SearchConditionExpression": condition, "ExpressionAttributeValues": {":x": {"S": "x"}}}

    assert divided().invalid("SearchVectors", **searching((1, 2, 3), **request)) == message


@pytest.mark.parametrize(
    ("name", "value"), [("shop", {"N": "1"}), ("year", {"S": "1990"}), ("year", {"NS": ["1"]})]
)
def test_a_value_of_another_type_than_its_attribute_is_rejected(name: str, value: Item) -> None:
    values = {":shop": {"S": "x"}, ":year": {"N": "1990"}, f":{name}": value}
    request = searching(
        (1, 2, 3),
        SearchConditionExpression="shop = :shop AND #year = :year",
        ExpressionAttributeNames={"#year": "year"},
        ExpressionAttributeValues=values,
    )

    message = divided().invalid("SearchVectors", **request)

    assert message == f"{INVALID}: Condition parameter type does not match schema type"


def test_a_search_of_a_partitioned_index_needs_a_condition() -> None:
    message = divided().invalid("SearchVectors", **searching((1, 2, 3)))

    assert message == "SearchConditionExpression must be provided when SearchSchema has a HASH key"


def test_unused_placeholders_are_rejected() -> None:
    request = searching((1, 2, 3), shop="x")
    request["ExpressionAttributeValues"][":y"] = {"S": "y"}

    assert "unused in expressions: keys: {:y}" in divided().invalid("SearchVectors", **request)


# Behaviour


@pytest.mark.parametrize(
    ("distance", "expected"),
    [
        ("COSINE", [("near", 0.0), ("tenfold", 0.0), ("perpendicular", 1.0), ("opposite", 2.0)]),
        ("EUCLIDEAN", [("near", 0.0), ("perpendicular", 2**0.5), ("opposite", 2.0), ("tenfold", 9.0)]),
        ("DOT_PRODUCT", [("tenfold", 10.0), ("near", 1.0), ("perpendicular", 0.0), ("opposite", -1.0)]),
    ],
)
def test_the_nearest_items_are_returned_first(distance: str, expected: list[tuple[str, float]]) -> None:
    pictures = Pictures(distance=distance)
    pictures.put(
        picture("opposite", (-1, 0, 0)),
        picture("tenfold", (10, 0, 0)),
        picture("perpendicular", (0, 1, 0)),
        picture("near", (1, 0, 0)),
    )

    found = pictures.search((1, 0, 0))

    assert sorted(found[:2]) + found[2:] == sorted(expected[:2]) + expected[2:]
    assert pictures.search((1, 0, 0), 1) == found[:1]


def test_equal_scores_are_in_the_order_of_a_scan() -> None:
    pictures = Pictures()
    pictures.put(*(picture(f"{number}", (1, 2, 3)) for number in range(30)))

    scanned = [item["id"]["S"] for item in pictures.scanned()]
    assert pictures.names((0, 0, 0), 12) == scanned[:12]


def test_a_search_compares_only_one_partition_of_the_index() -> None:
    pictures = divided()

    assert pictures.names((0, 0, 0), shop="x") == ["a", "b", "c"]
    assert pictures.names((0, 0, 0), shop="y") == ["d"]
    assert pictures.names((0, 0, 0), shop="z") == []


def test_filters_are_applied_before_the_ranking() -> None:
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


def test_results_have_the_projected_attributes_without_the_vector() -> None:
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

    assert result["Item"] == {"artist": {"S": "kim"}, "v": {"L": numbers(("0.1", "100.0", "-0.3"))}}
    assert other["Item"] == {"v": {"L": [{"N": "100.0"}]}}


@pytest.mark.parametrize(
    ("written", "returned"),
    [
        ("1", "1.0"),
        ("0", "0.0"),
        ("-0.5", "-0.5"),
        ("16777217", "16777216.0"),
        ("0.000001", "0.000001"),
        ("0.00000099", "9.9e-7"),
        ("9000000000000", "9000000000000.0"),
        ("10000000000000", "1e13"),
        ("-1.5e20", "-1.5e20"),
    ],
)
def test_an_index_gives_its_32_bit_floats_back(written: str, returned: str) -> None:
    pictures = Pictures(dimensions=1)
    pictures.put(picture("a", (written,)))

    request = searching((written,), ProjectionExpression="v")
    (result,) = pictures.call("SearchVectors", **request)["SearchResults"]

    assert result["Item"] == {"v": {"L": [{"N": returned}]}}


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


def test_a_search_is_billed_for_at_most_15_compared_vectors() -> None:
    pictures = Pictures(dimensions=100)
    pictures.put(*(picture(f"{number:02}", (number,) * 100) for number in range(40)))

    request = searching((0,) * 100, 2, ReturnConsumedCapacity="TOTAL")
    capacity = pictures.call("SearchVectors", **request)["ConsumedCapacity"]

    assert capacity["VectorSearchUnits"] == 15 * 400 + 2 * 4


def test_a_search_is_billed_for_at_least_a_kilobyte() -> None:
    pictures = Pictures()
    request = searching((0, 0, 0), ReturnConsumedCapacity="TOTAL")

    empty = pictures.call("SearchVectors", **request)["ConsumedCapacity"]
    pictures.put(picture("a", (1, 2, 3)))
    small = pictures.call("SearchVectors", **request)["ConsumedCapacity"]

    assert empty == small == {"VectorSearchRequestBytes": 1024.0, "VectorSearchUnits": 1024.0}


def test_queries_and_scans_of_a_vector_index_are_rejected() -> None:
    pictures = Pictures()
    query = {"KeyConditionExpression": "id = :i", "ExpressionAttributeValues": {":i": {"S": "a"}}}

    assert pictures.invalid("Query", IndexName="near", **query) == (
        "Query operation not supported on this index type."
    )
    assert pictures.invalid("Scan", IndexName="near") == "Scan operation not supported on this index type"


def test_there_can_be_several_indexes_on_one_attribute_and_on_several() -> None:
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
