"""Writes and vector indexes: which items are in them, which values are rejected, and the billed bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.values.size import item_size
from tests.engine.agreement import check_agreement
from tests.engine.state.catalogues import defined, index, table

from .pictures import Item, Pictures, numbers, picture

INVALID = "One or more parameter values were invalid"
WRONG_SIZE = f"{INVALID}. Invalid size for parameter v, Expected: 3, Actual: 2 IndexName: near"
SHOWN = {"ReturnConsumedCapacity": "INDEXES"}
KEY = {"id": {"S": "a"}}


@pytest.fixture(params=["memory", "file"])
def pictures(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Pictures]:
    made = Pictures.at(
        ":memory:" if request.param == "memory" else tmp_path / "pictures.db", divided=True, filtered=True
    )
    yield made
    made.engine.close()


UNFIT: list[tuple[Item, str]] = [
    ({"v": {"L": numbers((1, 2))}}, WRONG_SIZE),
    ({"v": {"L": []}}, f"{INVALID}. Invalid size for parameter v, Expected: 3, Actual: 0 IndexName: near"),
    (
        {"v": {"S": "1"}},
        f"{INVALID}. Invalid type for parameter v, Expected: 32-bit floating point number list IndexName: near",
    ),
    (
        {"v": {"NS": ["1", "2", "3"]}},
        f"{INVALID}. Invalid type for parameter v, Expected: 32-bit floating point number list IndexName: near",
    ),
    (
        {"v": {"L": [*numbers((1, 2)), {"S": "3"}]}},
        f"{INVALID}. Invalid type for parameter v[2], Expected: 32-bit floating point number, Actual: S. "
        "IndexName: near",
    ),
    (
        {"v": {"L": numbers(("1", "1e39", "2"))}},
        f"{INVALID}. Invalid value for parameter v, All values must be 32-bit floating-point numbers IndexName: near",
    ),
    (
        {"shop": {"N": "1"}},
        f"{INVALID}: Type mismatch for Index Key shop Expected: S Actual: N IndexName: near",
    ),
    (
        {"year": {"S": "1"}},
        f"{INVALID}: Type mismatch for Index Key year Expected: N Actual: S IndexName: near",
    ),
    (
        {"shop": {"S": "x" * 2049}},
        f"{INVALID}: Size limit exceeded for Index Key shop Actual Size: 2049 bytes Max Size: 2048 bytes "
        "IndexName: near",
    ),
]


@pytest.mark.parametrize(("attributes", "message"), UNFIT)
def test_invalid_vectors_are_rejected_by_every_write(
    pictures: Pictures, attributes: Item, message: str
) -> None:
    pictures.put(picture("a", (1, 2, 3), shop="x"))
    item, call = {**KEY, **attributes}, pictures.engine.call
    ((name, value),) = attributes.items()
    change = {
        "UpdateExpression": "SET #n = :v",
        "ExpressionAttributeNames": {"#n": name},
        "ExpressionAttributeValues": {":v": value},
    }

    assert pictures.invalid("PutItem", Item=item) == message
    assert pictures.invalid("UpdateItem", Key=KEY, **change) == message
    assert pictures.invalid("UpdateItem", Key={"id": {"S": "new"}}, **change) == message
    legacy = {name: {"Value": value, "Action": "PUT"}}
    assert pictures.invalid("UpdateItem", Key=KEY, AttributeUpdates=legacy) == message
    other = {"PutRequest": {"Item": picture("b", (1, 1, 1), shop="x")}}
    with pytest.raises(ServiceError, match="ValidationException") as caught:
        call("BatchWriteItem", {"RequestItems": {"pictures": [other, {"PutRequest": {"Item": item}}]}})
    assert caught.value.message == message
    for action in ({"Put": {"Item": item}}, {"Update": {"Key": KEY, **change}}):
        member = {kind: {"TableName": "pictures", **rest} for kind, rest in action.items()}
        first = {"Put": {"TableName": "pictures", "Item": picture("b", (1, 1, 1), shop="x")}}
        with pytest.raises(ServiceError) as caught:
            call("TransactWriteItems", {"TransactItems": [first, member]})
        reasons = caught.value.fields["CancellationReasons"]
        assert [reason["Code"] for reason in reasons] == ["None", "ValidationError"]
        assert reasons[1]["Message"] == message

    assert pictures.search((0, 0, 0), shop="x") == [("a", 14**0.5)]
    check_agreement(pictures.engine)


def test_a_partition_attribute_of_a_vector_index_cannot_be_empty(pictures: Pictures) -> None:
    message = pictures.invalid("PutItem", Item=picture("a", (1, 2, 3), shop=""))

    assert message.endswith("cannot contain an empty string value. IndexName: near, IndexKey: shop")


def test_a_put_is_rejected_before_its_condition_is_evaluated(pictures: Pictures) -> None:
    message = pictures.invalid(
        "PutItem", Item=picture("a", (1, 2)), ConditionExpression="attribute_exists(id)"
    )

    assert message == WRONG_SIZE


def test_the_error_names_the_first_of_several_indexes_in_alphabetical_order() -> None:
    made = Pictures(create=False)
    indexes = [{**made.index, "IndexName": name} for name in ("zzz", "mmm")]
    made.engine.call("CreateTable", table("id", TableName="pictures", VectorIndexes=indexes))

    assert made.invalid("PutItem", Item=picture("a", (1, 2))).endswith("IndexName: mmm")


def test_items_without_the_vector_or_the_partition_attribute_are_not_in_the_index(pictures: Pictures) -> None:
    pictures.put(
        picture("a", shop="x"),
        picture("b", (1, 2, 3)),
        picture("c", (1, 2, 3), shop="x"),
        picture("d", (2, 2, 3), shop="x", artist=""),
    )

    assert pictures.names((0, 0, 0), shop="x") == ["c", "d"]
    assert pictures.names((0, 0, 0), shop="x", artist="") == ["d"]
    assert pictures.described()["VectorIndexes"][0]["ItemCount"] == 2


def test_an_index_follows_all_writes(pictures: Pictures) -> None:
    pictures.put(*(picture(name, (position, 0, 0), shop="x") for position, name in enumerate("abcdef")))
    assert pictures.names((0, 0, 0), 2, shop="x") == ["a", "b"]

    pictures.call("DeleteItem", Key={"id": {"S": "a"}})
    pictures.call("UpdateItem", Key={"id": {"S": "b"}}, UpdateExpression="REMOVE v")
    pictures.call("UpdateItem", Key={"id": {"S": "c"}}, UpdateExpression="REMOVE shop")
    update = {"UpdateExpression": "SET v[0] = :n", "ExpressionAttributeValues": {":n": {"N": "9"}}}
    pictures.call("UpdateItem", Key={"id": {"S": "d"}}, **update)
    pictures.put(picture("e", (8, 0, 0), shop="y"))

    assert pictures.search((0, 0, 0), shop="x") == [("f", 5.0), ("d", 9.0)]
    assert pictures.search((0, 0, 0), shop="y") == [("e", 8.0)]
    check_agreement(pictures.engine)


def test_an_update_does_not_check_unchanged_attributes() -> None:
    made = Pictures(create=False)
    made.engine.call("CreateTable", table("id", TableName="pictures"))
    made.put(picture("a", (1, 2)), picture("b", (1, 2, 3)))
    made.call("UpdateTable", VectorIndexUpdates=[{"Create": made.index}])

    update = {"UpdateExpression": "SET title = :t", "ExpressionAttributeValues": {":t": {"S": "sea"}}}
    made.call("UpdateItem", Key=KEY, **update)

    assert made.names((0, 0, 0)) == ["b"]
    assert made.invalid("PutItem", Item=picture("a", (1, 2))) == WRONG_SIZE
    assert made.invalid("UpdateItem", Key=KEY, UpdateExpression="REMOVE v[1]") == WRONG_SIZE.replace(
        "Actual: 2", "Actual: 1"
    )
    check_agreement(made.engine)


def test_rolled_back_entries_are_never_visible(pictures: Pictures) -> None:
    pictures.put(picture("a", (1, 0, 0), shop="x"))
    before = pictures.search((0, 0, 0), shop="x")
    failing = {"TableName": "pictures", "Key": KEY, "ConditionExpression": "attribute_not_exists(id)"}
    changes = [
        {"Put": {"TableName": "pictures", "Item": picture("b", (0, 0, 0), shop="x")}},
        {"Delete": {"TableName": "pictures", "Key": KEY, "ConditionExpression": "attribute_not_exists(id)"}},
    ]
    for _ in range(3):
        with pytest.raises(ServiceError):
            pictures.engine.call("TransactWriteItems", {"TransactItems": changes})
        with pytest.raises(ServiceError):
            pictures.engine.call("DeleteItem", failing)

    assert pictures.search((0, 0, 0), shop="x") == before


def test_vectors_are_kept_after_reopening(tmp_path: Path) -> None:
    made = Pictures.at(tmp_path / "pictures.db")
    made.put(*(picture(f"{number}", (number, 0, 0)) for number in range(20)))
    expected = made.search((7, 0, 0), 5)
    made.engine.close()

    again = Pictures.at(tmp_path / "pictures.db", create=False)

    assert again.search((7, 0, 0), 5) == expected
    again.put(picture("new", (7, 0, 0)))
    assert set(again.names((7, 0, 0), 2)) == {"7", "new"}
    again.engine.close()


# Capacity


def capacity(answer: dict[str, Any]) -> Any:
    return answer["ConsumedCapacity"].get("VectorIndexes")


def test_a_write_returns_the_billed_bytes_of_its_entry() -> None:
    made = Pictures(dimensions=500, Projection={"ProjectionType": "ALL"})
    ones, twos = [1] * 500, [2] * 500
    put = {"Item": picture("a", ones, title="sea")}

    first = made.call("PutItem", **put, **SHOWN)
    again = made.call("PutItem", **put, **SHOWN)
    update = {"UpdateExpression": "SET title = :t", "ExpressionAttributeValues": {":t": {"S": "s"}}}
    smaller = made.call("UpdateItem", Key=KEY, **update, **SHOWN)
    gone = made.call("DeleteItem", Key=KEY, **SHOWN)
    outside = made.call("PutItem", Item=picture("b"), **SHOWN)

    # 4 bytes for each number, v, id and its text, title and its text.
    entry = 2000 + 1 + 3 + 8
    assert capacity(first) == {"near": {"VectorWriteRequestBytes": entry}}
    assert capacity(again) is None
    assert capacity(smaller) == {"near": {"VectorWriteRequestBytes": entry}}
    assert capacity(gone) == {"near": {"VectorWriteRequestBytes": entry - 2}}
    assert capacity(outside) is None
    assert first["ConsumedCapacity"]["CapacityUnits"] == 2.0
    total = made.call("PutItem", Item=picture("a", twos), ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]
    assert total == {"TableName": "pictures", "CapacityUnits": 2.0}


def test_an_entry_is_billed_for_at_least_1_kb_unless_unchanged() -> None:
    made = Pictures()
    made.put(picture("a", (1, 2, 3), title="sea"))

    update = {"UpdateExpression": "SET title = :t", "ExpressionAttributeValues": {":t": {"S": "s"}}}
    assert capacity(made.call("UpdateItem", Key=KEY, **update, **SHOWN)) is None
    assert capacity(made.call("PutItem", Item=picture("a", (3, 2, 1)), **SHOWN)) == {
        "near": {"VectorWriteRequestBytes": 1024.0}
    }


def test_batches_and_transactions_add_up_the_billed_bytes_of_entries() -> None:
    made = Pictures()
    puts = [picture(name, (1, 2, 3)) for name in "ab"]

    batch = made.engine.call(
        "BatchWriteItem",
        {"RequestItems": {"pictures": [{"PutRequest": {"Item": item}} for item in puts]}, **SHOWN},
    )
    deletes = [{"Delete": {"TableName": "pictures", "Key": {"id": item["id"]}}} for item in puts]
    transaction = made.engine.call("TransactWriteItems", {"TransactItems": deletes, **SHOWN})

    for answer in (batch, transaction):
        (description,) = answer["ConsumedCapacity"]
        assert description["VectorIndexes"] == {"near": {"VectorWriteRequestBytes": 2048.0}}


def test_vectors_are_billed_by_4_bytes_a_number_and_measured_as_lists() -> None:
    made = Pictures(dimensions=1000)
    # A number such as this takes 9 bytes in a list, and one more for its place.
    item = picture("a", ["0.123456789012345"] * 1000)
    size = 3 + 1 + 4000

    put = made.call("PutItem", Item=item, **SHOWN)["ConsumedCapacity"]
    get = made.call("GetItem", Key=KEY, ConsistentRead=True, ReturnConsumedCapacity="TOTAL")

    assert item_size(item) == 3 + 1 + 3 + 1000 * 10
    assert put["CapacityUnits"] == 4.0
    assert get["ConsumedCapacity"]["CapacityUnits"] == 1.0
    assert made.described()["TableSizeBytes"] == size
    check_agreement(made.engine)


def test_the_limit_of_an_item_counts_the_list() -> None:
    made = Pictures(dimensions=4096)
    vector = ["0.123456789012345"] * 4096
    rest = 409_600 - item_size({**picture("a", vector), "t": {"S": ""}})
    largest = {**picture("a", vector), "t": {"S": "x" * rest}}

    made.put(largest)
    message = made.invalid("PutItem", Item={**largest, "t": {"S": "x" * (rest + 1)}})

    assert message == "Item size has exceeded the maximum allowed size"
    assert made.described()["TableSizeBytes"] < 409_600 - 20_000


@pytest.mark.parametrize("later", [False, True])
def test_entries_of_other_indexes_count_the_list(later: bool) -> None:
    made = Pictures(create=False, dimensions=1000)
    by_title = index("by-title", "title")
    request = table(
        "id",
        TableName="pictures",
        AttributeDefinitions=defined("id", *(() if later else ("title",))),
        VectorIndexes=[made.index],
        **({} if later else {"GlobalSecondaryIndexes": [by_title]}),
    )
    made.engine.call("CreateTable", request)
    item = picture("a", ["0.123456789012345"] * 1000, title="sea")
    consumed = made.call("PutItem", Item=item, **SHOWN)["ConsumedCapacity"]
    if later:
        made.call(
            "UpdateTable",
            AttributeDefinitions=defined("title"),
            GlobalSecondaryIndexUpdates=[{"Create": by_title}],
        )
    else:
        assert consumed["GlobalSecondaryIndexes"] == {"by-title": {"CapacityUnits": 10.0}}
        assert consumed["Table"] == {"CapacityUnits": 4.0}

    assert made.described()["GlobalSecondaryIndexes"][0]["IndexSizeBytes"] == item_size(item)
    check_agreement(made.engine)
    gone = made.call("DeleteItem", Key=KEY, **SHOWN)["ConsumedCapacity"]
    assert gone["GlobalSecondaryIndexes"] == {"by-title": {"CapacityUnits": 10.0}}


def test_tables_without_vector_indexes_accept_lists_of_any_kind() -> None:
    engine = Engine.open()
    engine.call("CreateTable", table("id", TableName="pictures"))

    for value in ({"L": numbers((1, 2))}, {"L": numbers(("1e100",))}, {"S": "x"}):
        engine.call("PutItem", {"TableName": "pictures", "Item": {**KEY, "v": value}})
    check_agreement(engine)


def test_statements_check_vectors_too(pictures: Pictures) -> None:
    def execute(statement: str, **members: Any) -> dict[str, Any]:
        return pictures.engine.call("ExecuteStatement", {"Statement": statement, **members})

    with pytest.raises(ServiceError) as caught:
        execute("INSERT INTO pictures VALUE {'id': 'a', 'shop': 'x', 'v': [1, 2]}")
    description = execute("INSERT INTO pictures VALUE {'id': 'b', 'shop': 'x', 'v': [1, 2, 2]}", **SHOWN)
    execute("UPDATE pictures SET v = [0, 3, 4] WHERE id = 'b'")

    assert caught.value.message == WRONG_SIZE
    assert capacity(description) == {"near": {"VectorWriteRequestBytes": 1024.0}}
    assert pictures.search((0, 0, 0), shop="x") == [("b", 5.0)]
    check_agreement(pictures.engine)
