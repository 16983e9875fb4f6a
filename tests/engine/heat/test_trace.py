"""Traces: a line for each item or page, in a file that never makes a call fail."""

from __future__ import annotations

from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import orjson
import pytest

from pksk.engine import Engine
from pksk.engine.heat.trace import TRACE_VERSION
from pksk.errors import FileError
from tests.engine.operations.shop import Shop
from tests.engine.state.catalogues import Clock, defined, index, key, table


@pytest.fixture
def shop() -> Shop:
    return Shop(Engine.open(clock=Clock(1_800_000_000.0)))


def _lines(path: Path) -> list[dict[str, Any]]:
    first, *lines = map(orjson.loads, path.read_bytes().splitlines())
    assert (first["op"], first["version"]) == ("Trace", TRACE_VERSION)
    return lines


def _order(pk: str, sk: str, **texts: str) -> dict[str, Any]:
    return {name: {"S": text} for name, text in {"pk": pk, "sk": sk, **texts}.items()}


def test_each_item_and_page_has_a_line(shop: Shop, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    query = {"KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": {"S": "7"}}}
    with shop.engine.trace(path):
        shop.call("PutItem", TableName="orders", Item=_order("7", "1", gsiPk="g"))
        shop.call("GetItem", TableName="orders", Key=_order("7", "1"), ConsistentRead=True)
        shop.call("Query", TableName="orders", **query)
        shop.call("Scan", TableName="orders", IndexName="gsi-inc", FilterExpression="attribute_exists(x)")
        shop.call("BatchGetItem", RequestItems={"people": {"Keys": [{"id": {"N": "5"}}]}})
        shop.transact({"Delete": {"TableName": "orders", "Key": _order("7", "1")}})
        shop.call("DescribeTable", TableName="orders")

    at, pk, sk, gsi = 1_800_000_000.0, {"S": "7"}, {"S": "1"}, {"S": "g"}
    order = {"table": "orders", "pk": pk, "sk": sk}
    entry = {"table": "orders", "index": "gsi-inc", "pk": gsi}
    scan = {"op": "Scan", "table": "orders", "index": "gsi-inc"}
    assert [{name: value for name, value in line.items() if name != "ts"} for line in _lines(path)] == [
        {"op": "PutItem", **order, "wcu": 1.0, "bytes": 12},
        {"op": "PutItem", **entry, "wcu": 1.0, "bytes": 12},
        {"op": "GetItem", **order, "rcu": 1.0, "bytes": 12},
        {"op": "Query", "table": "orders", "pk": pk, "rcu": 0.5, "bytes": 12, "read": 1, "returned": 1},
        {**scan, "rcu": 2.0, "bytes": 12, "read": 1, "returned": 0},
        {"op": "BatchGetItem", "table": "people", "pk": {"N": "5"}, "rcu": 0.5, "bytes": 0},
        {"op": "TransactWriteItems", **order, "wcu": 2.0, "bytes": 12},
        {"op": "TransactWriteItems", **entry, "wcu": 1.0, "bytes": 12},
    ]
    assert {line["ts"] for line in _lines(path)} == {at}


def test_keys_of_several_attributes_are_lists(shop: Shop, tmp_path: Path) -> None:
    schema = [*key("a"), *key("b"), {"AttributeName": "c", "KeyType": "RANGE"}]
    many = table(
        TableName="many",
        AttributeDefinitions=defined("pk", "a", b="N", c="B"),
        GlobalSecondaryIndexes=[{**index("several", "a"), "KeySchema": schema}],
    )
    shop.call("CreateTable", **many)
    item = {"pk": {"S": "1"}, "a": {"S": "x"}, "b": {"N": "1.50"}, "c": {"B": b"\0\0"}}
    with shop.engine.trace(tmp_path / "calls.jsonl"):
        shop.call("PutItem", TableName="many", Item=item)

    _, entry = _lines(tmp_path / "calls.jsonl")
    assert (entry["pk"], entry["sk"]) == ([{"S": "x"}, {"N": "1.5"}], {"B": "AAA="})


def test_a_trace_has_the_calls_of_its_block_also_with_several_traces(shop: Shop, tmp_path: Path) -> None:
    def get(number: int) -> None:
        shop.call("GetItem", TableName="people", Key={"id": {"N": str(number)}})

    get(0)
    with shop.engine.trace(tmp_path / "outer"):
        get(1)
        with shop.engine.trace(str(tmp_path / "inner")):
            get(2)
        get(3)
    get(4)

    assert [line["pk"]["N"] for line in _lines(tmp_path / "outer")] == ["1", "2", "3"]
    assert [line["pk"]["N"] for line in _lines(tmp_path / "inner")] == ["2"]
    assert shop.engine.heat().tables["people"].reads.calls == 5


def test_threads_write_whole_lines(shop: Shop, tmp_path: Path) -> None:
    threads, each = 4, 700
    barrier = Barrier(threads)

    def get(number: int) -> None:
        barrier.wait()
        for _ in range(each):
            shop.call("GetItem", TableName="people", Key={"id": {"N": str(number)}})

    with shop.engine.trace(tmp_path / "calls.jsonl"):
        workers = [Thread(target=get, args=(number,)) for number in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(60)

    numbers = [line["pk"]["N"] for line in _lines(tmp_path / "calls.jsonl")]
    assert sorted(numbers) == sorted(str(number) for number in range(threads) for _ in range(each))


def test_deletes_by_ttl_cost_nothing_and_are_not_traced(tmp_path: Path) -> None:
    clock = Clock(1_800_000_000.0)
    with Engine.open(clock=clock) as engine:
        shop = Shop(engine)
        ttl = {"Enabled": True, "AttributeName": "until"}
        shop.call("UpdateTimeToLive", TableName="people", TimeToLiveSpecification=ttl)
        shop.call("PutItem", TableName="people", Item={"id": {"N": "1"}, "until": {"N": "1800000010"}})
        engine.heat(reset=True)
        clock.now += 100
        with engine.trace(tmp_path / "calls.jsonl"):
            assert engine.expire() == 1

        assert _lines(tmp_path / "calls.jsonl") == []
        assert engine.heat().tables["people"].writes.calls == 0


@pytest.mark.parametrize("path", [5, None, b"calls.jsonl"])
def test_an_invalid_trace_path_is_rejected(shop: Shop, path: Any) -> None:
    with pytest.raises(FileError) as raised, shop.engine.trace(path):
        pass

    assert raised.value.code == "engine-trace"
    assert raised.value.problem == f"{path!r} is not a file name."


@pytest.mark.parametrize("name", ["no/such/folder.jsonl", ".", "a\0b"])
def test_a_trace_file_that_cannot_be_opened_is_rejected_before_the_block(
    shop: Shop, tmp_path: Path, name: str
) -> None:
    with pytest.raises(FileError) as raised, shop.engine.trace(f"{tmp_path}/{name}"):
        raise AssertionError

    assert raised.value.code == "engine-trace"
    assert "cannot be written" in raised.value.problem
    shop.call("GetItem", TableName="people", Key={"id": {"N": "1"}})


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_fails_no_call_and_raises_at_the_end(shop: Shop) -> None:
    trace = shop.engine.trace("/dev/full")
    trace.__enter__()
    for _ in range(2500):
        shop.call("GetItem", TableName="people", Key={"id": {"N": "1"}})
    with pytest.raises(FileError, match="has only the first 0 lines of calls: No space left"):
        trace.__exit__(None, None, None)

    assert shop.engine.heat().tables["people"].reads.calls == 2500


def test_a_file_that_cannot_grow_ends_with_a_whole_line(shop: Shop, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "calls.jsonl"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    trace = shop.engine.trace(path)
    trace.__enter__()
    for _ in range(1500):
        shop.call("GetItem", TableName="people", Key={"id": {"N": "1"}})
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 10_000, before[1]))
    try:
        with pytest.raises(FileError) as raised:
            trace.__exit__(None, None, None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    lines = _lines(path)
    assert 1000 < len(lines) < 1500
    assert f"has only the first {len(lines):,} lines of calls: File too large" in raised.value.problem


def test_an_exception_in_the_block_is_raised_and_the_trace_is_written(shop: Shop, tmp_path: Path) -> None:
    def block() -> None:
        with shop.engine.trace(tmp_path / "calls.jsonl"):
            shop.call("GetItem", TableName="people", Key={"id": {"N": "1"}})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        block()

    assert len(_lines(tmp_path / "calls.jsonl")) == 1


def test_only_a_trace_can_be_overwritten(shop: Shop, tmp_path: Path) -> None:
    path, other = tmp_path / "calls.jsonl", tmp_path / "shop.db"
    other.write_bytes(b"SQLite format 3")
    for _ in range(2):
        with shop.engine.trace(path):
            shop.call("Scan", TableName="orders")

    with pytest.raises(FileError) as caught, shop.engine.trace(other):
        pass

    assert caught.value.code == "engine-trace"
    assert "shop.db" in caught.value.problem
    assert other.read_bytes() == b"SQLite format 3"
    assert len(_lines(path)) == 1
