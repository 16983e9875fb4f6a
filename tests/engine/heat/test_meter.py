"""The meter counts what responses report, in total and by partition, whatever the batch size."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pksk.engine import Engine, Partitioning
from pksk.engine.heat import meter as meters
from tests.engine.operations.shop import Shop

from .random_calls import Call, Units, calls, consumed_by, heat_units

VECTORS = {
    "TableName": "docs",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "VectorIndexes": [
        {
            "IndexName": "near",
            "VectorAttribute": {"AttributeName": "v"},
            "Dimensions": 2,
            "DistanceFunction": "COSINE",
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}


def _shop(partitions: int = 4) -> Engine:
    return Shop(Engine.open(partitioning=Partitioning(partitions=partitions))).engine


def _made(engine: Engine, made: list[Call]) -> Units:
    units: Units = defaultdict(float)
    for operation, request in made:
        consumed_by(engine, operation, request, units)
    return {key: each for key, each in units.items() if each}


@settings(max_examples=60)
@given(st.lists(calls, max_size=40), st.integers(1, 5))
def test_the_meter_agrees_with_consumed_capacity(made: list[Call], partitions: int) -> None:
    engine = _shop(partitions)
    reported = _made(engine, made)

    assert heat_units(engine.heat()) == reported


@settings(max_examples=30)
@given(st.lists(calls, max_size=40))
def test_partitions_count_units_of_the_table_and_its_local_indexes(made: list[Call]) -> None:
    engine = _shop()
    reported = _made(engine, [(o, r) for o, r in made if "ClientRequestToken" not in r])

    heat = engine.heat().tables["orders"]
    for side, units in (("reads", "read_units"), ("writes", "write_units")):
        own = reported.get(("orders", None, side), 0) + reported.get(("orders", "lsi-all", side), 0)
        assert sum(getattr(part, units) for part in heat.partitions) == pytest.approx(own)
        index = sum(getattr(part, units) for part in heat.indexes["gsi-inc"].partitions)
        assert index == pytest.approx(reported.get(("orders", "gsi-inc", side), 0))
        assert [getattr(part, units) for part in engine.partitions("orders")] == [
            getattr(part, units) for part in heat.partitions
        ]


@settings(max_examples=30)
@given(st.lists(calls, max_size=40), st.integers(1, 7))
def test_the_batch_size_does_not_change_the_heat(made: list[Call], notes: int) -> None:
    engine, other = _shop(), _shop()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(meters, "BATCH_CALLS", notes)
        _made(engine, made)
    _made(other, made)

    assert _rounded(engine.heat().to_dict()) == _rounded(other.heat().to_dict())


def _rounded(value: Any) -> Any:
    """What a scan consumes is shared between partitions in parts, which add up in their own order."""
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(each) for each in value]
    return round(value, 9) if isinstance(value, float) else value


@settings(max_examples=30)
@given(st.lists(calls, max_size=30))
def test_the_lines_of_a_trace_add_up_to_the_heat(
    tmp_path_factory: pytest.TempPathFactory, made: list[Call]
) -> None:
    path = tmp_path_factory.mktemp("trace") / "calls.jsonl"
    engine = _shop()
    with engine.trace(path):
        _made(engine, made)

    assert _traced(path) == heat_units(engine.heat())


def _traced(path: Path) -> Units:
    units: Units = defaultdict(float)
    for line in map(orjson.loads, path.read_bytes().splitlines()[1:]):
        for member, side in (("rcu", "reads"), ("wcu", "writes")):
            units[line["table"], line.get("index"), side] += line.get(member, 0)
    return {key: each for key, each in units.items() if each}


def test_a_write_that_moves_an_index_entry_counts_for_both_keys() -> None:
    shop = Shop()
    item: dict[str, Any] = {"pk": {"S": "1"}, "sk": {"S": "1"}, "gsiPk": {"S": "old"}}
    shop.call("PutItem", TableName="orders", Item=item)
    shop.engine.heat(reset=True)

    shop.call("PutItem", TableName="orders", Item=item | {"gsiPk": {"S": "new"}})

    writes = shop.engine.heat().tables["orders"].indexes["gsi-inc"].writes
    assert {each.key["gsiPk"]["S"]: each.units for each in writes.keys} == {"old": 1.0, "new": 1.0}


def test_a_failed_condition_is_billed_by_the_stored_item() -> None:
    shop = Shop()
    item = {"id": {"N": "1"}, "text": {"S": "x" * 3000}}
    shop.call("PutItem", TableName="people", Item=item)
    shop.error(
        "PutItem", TableName="people", Item={"id": {"N": "1"}}, ConditionExpression="attribute_not_exists(id)"
    )

    assert shop.engine.heat().tables["people"].writes.units == 6.0


def test_a_failed_condition_is_billed_by_the_new_item_if_that_is_larger() -> None:
    shop = Shop()
    item = {"id": {"N": "1"}, "text": {"S": "x" * 3000}}
    shop.error("PutItem", TableName="people", Item=item, ConditionExpression="attribute_exists(id)")

    assert shop.engine.heat().tables["people"].writes.units == 3.0


def test_a_cancelled_transaction_is_billed_for_preparing_its_writes(tmp_path: Path) -> None:
    shop = Shop()
    put = {"TableName": "people", "Item": {"id": {"N": "1"}, "text": {"S": "x" * 3000}}}
    check = {"TableName": "people", "Key": {"id": {"N": "2"}}, "ConditionExpression": "attribute_exists(id)"}
    with shop.engine.trace(tmp_path / "calls.jsonl"):
        shop.error("TransactWriteItems", TransactItems=[{"Put": put}, {"ConditionCheck": check}])

    writes = shop.engine.heat().tables["people"].writes
    assert (writes.units, writes.calls) == (4.0, 2)
    assert _traced(tmp_path / "calls.jsonl") == heat_units(shop.engine.heat())


def test_an_empty_page_of_a_segment_counts_for_its_first_partition() -> None:
    engine = _shop(4)
    engine.call("Scan", {"TableName": "orders", "Segment": 2, "TotalSegments": 4})

    assert [part.read_units for part in engine.heat().tables["orders"].partitions] == [0, 0, 0.5, 0]


def test_vector_indexes_are_counted_by_bytes(tmp_path: Path) -> None:
    engine = Engine.open()
    engine.call("CreateTable", VECTORS)
    numbers = {"L": [{"N": "1"}, {"N": "0"}]}
    capacity = {"ReturnConsumedCapacity": "INDEXES"}
    with engine.trace(tmp_path / "calls.jsonl"):
        item = {"pk": {"S": "a"}, "v": numbers}
        put = engine.call("PutItem", {"TableName": "docs", "Item": item, **capacity})
        search = {"TableName": "docs", "IndexName": "near", "SearchVector": numbers["L"], "TopK": 1}
        found = engine.call("SearchVectors", search | capacity)

    written = put["ConsumedCapacity"]["VectorIndexes"]["near"]["VectorWriteRequestBytes"]
    looked = found["ConsumedCapacity"]["VectorSearchRequestBytes"]
    near = engine.heat().tables["docs"].vectors["near"]
    assert (near.searches, near.search_bytes, near.writes, near.write_bytes) == (1, looked, 1, written)
    assert "docs / near\n  search " in engine.heat().text()
    lines = [orjson.loads(line) for line in (tmp_path / "calls.jsonl").read_bytes().splitlines()]
    assert [(line["op"], line["bytes"]) for line in lines if line.get("index") == "near"] == [
        ("PutItem", written),
        ("SearchVectors", looked),
    ]

    engine.heat(reset=True)
    assert engine.heat().tables["docs"].vectors == {}


def test_tallies_of_deleted_indexes_are_removed() -> None:
    shop = Shop()
    item = {"pk": {"S": "1"}, "sk": {"S": "1"}, "gsiPk": {"S": "a"}}
    shop.call("PutItem", TableName="orders", Item=item)
    table = shop.engine._core.catalogue.table("orders")
    gone = table.indexes["gsi-inc"].space
    shop.call(
        "UpdateTable", TableName="orders", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "gsi-inc"}}]
    )
    shop.engine.heat()

    assert gone not in table.index_tallies
