"""The requests over HTTP: tables of 1 KB items, and the requests of each row, the same for every server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter, sleep
from typing import Any

from benchmarks.engine_subjects import CREATE, DEFINITIONS, TABLE, item, key, query
from benchmarks.raw_http import Connection, request_bytes
from benchmarks.running_server import RunningServer

INDEXED = "indexed"
INDEX = "by_group"
INDEXED_CREATE = {
    **CREATE,
    "TableName": INDEXED,
    "AttributeDefinitions": [*DEFINITIONS, {"AttributeName": "group", "AttributeType": "S"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": INDEX,
            "KeySchema": [
                {"AttributeName": "group", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}
ITEMS = 1000
PARTITION = 100
ACTIVE_SECONDS = 60
PUTS, BATCHES, TRANSACTIONS = 1000, 10, 100


@dataclass(frozen=True)
class Subject:
    """One row: an operation, and its requests by number, which are sent again and again in their order.

    A put of what is there writes nothing in pksk. So those of the second half have the keys of the first with
    another `n`, and whichever comes next changes what the one before has left.
    """

    name: str
    operation: str
    request: Callable[[int], dict[str, Any]]
    variants: int = 100

    def requests(self, port: int) -> list[bytes]:
        return [request_bytes(port, self.operation, self.request(n)) for n in range(self.variants)]


def _put(n: int) -> dict[str, Any]:
    place, version = n % (PUTS // 2), n // (PUTS // 2)
    return {"TableName": TABLE, "Item": item(place % 10, place // 10, version + 1)}


def _get(n: int) -> dict[str, Any]:
    return {"TableName": TABLE, "Key": key(n % 10, n * 7 % PARTITION)}


def _add(n: int) -> dict[str, Any]:
    return {
        "TableName": TABLE,
        "Key": key(n % 10, n * 7 % PARTITION),
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }


def _batch(n: int) -> dict[str, Any]:
    partition, version = n % (BATCHES // 2), n // (BATCHES // 2)
    puts = [{"PutRequest": {"Item": item(partition, m, version + 7)}} for m in range(25)]
    return {"RequestItems": {TABLE: puts}}


def _transaction(n: int) -> dict[str, Any]:
    place, version = n % (TRANSACTIONS // 2), n // (TRANSACTIONS // 2)
    puts = [{"Put": {"TableName": TABLE, "Item": item(m, place, version + 9)}} for m in range(4)]
    return {"TransactItems": puts}


def _index_query(n: int) -> dict[str, Any]:
    return {
        "TableName": INDEXED,
        "IndexName": INDEX,
        "KeyConditionExpression": "#g = :g",
        "ExpressionAttributeNames": {"#g": "group"},
        "ExpressionAttributeValues": {":g": {"S": f"g{n % 10}"}},
        "Limit": 10,
    }


PUT = Subject("PutItem", "PutItem", _put, PUTS)
GET = Subject("GetItem", "GetItem", _get, 1000)
SUBJECTS = (
    PUT,
    GET,
    Subject("Query 100 x 1 KB", "Query", lambda n: query(n % 10), 10),
    Subject("UpdateItem ADD", "UpdateItem", _add),
    Subject("BatchWriteItem 25", "BatchWriteItem", _batch, BATCHES),
    Subject("TransactWriteItems 4", "TransactWriteItems", _transaction, TRANSACTIONS),
    Subject("Query on an index, 10", "Query", _index_query),
)


def fill(server: RunningServer, items: int = ITEMS, *, indexed: bool = True) -> None:
    """The tables, with a number of items in each."""
    fill_table(server, CREATE, items, PARTITION)
    if indexed:
        fill_table(server, INDEXED_CREATE, items, PARTITION)


def fill_table(server: RunningServer, create: dict[str, Any], items: int, partition: int) -> None:
    """An active table with a number of items, and a number of them per partition key."""
    name = create["TableName"]
    server.call("CreateTable", create)
    _until_active(server, name)
    connection = Connection(server.port)
    for start in range(0, items, 25):
        numbers = range(start, min(start + 25, items))
        batch = [{"PutRequest": {"Item": _grouped(n // partition, n % partition)}} for n in numbers]
        request = request_bytes(server.port, "BatchWriteItem", {"RequestItems": {name: batch}})
        answer = connection.exchange(request)
        if answer[9:12] != b"200":
            raise RuntimeError(f"{server.name} answered BatchWriteItem with {answer!r}")
    connection.close()


def _grouped(partition: int, place: int) -> dict[str, Any]:
    return {**item(partition, place), "group": {"S": f"g{place % 10}"}}


def _until_active(server: RunningServer, name: str) -> None:
    until = perf_counter() + ACTIVE_SECONDS
    while perf_counter() < until:
        table: Any = server.call("DescribeTable", {"TableName": name})["Table"]
        if table["TableStatus"] == "ACTIVE":
            return
        sleep(0.05)
    raise RuntimeError(f"the table {name} of {server.name} does not become active")
