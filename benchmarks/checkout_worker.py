"""One checkout of pksk that times named subjects: `compare_checkouts` runs one for each.

It reads the name of a subject from each line of its input and prints how many microseconds of processor time a call
takes. It uses only names that have been the same for long, so that it runs on old checkouts too.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import date
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from pksk import GSI, Engine, Entity, Key, Put, Table, connect

ITEMS = 100
shop = Table("shop", indexes=[GSI("by-status", pk="g1", sk="g2")])


class Order(Entity, table=shop):
    """An item of 1 KB in ten fields."""

    customer: str
    number: int
    day: date
    status: str
    total: int = 0
    a: str = "x" * 150
    b: str = "x" * 150
    c: str = "x" * 150
    d: str = "x" * 150
    e: str = "x" * 150

    primary = Key("CUST#{customer}", "ORDER#{number:06d}")
    by_status = Key("STATUS#{status}", "{day}#{customer}#{number:06d}", index="by-status")


def item(number: int, value: int = 0) -> dict[str, Any]:
    """An item of 1 KB as the engine takes it; another `value` makes another item of the same size."""
    keys = {"pk": {"S": "p"}, "sk": {"S": f"{number:06d}"}, "g1": {"S": "g"}, "g2": {"S": f"{number:06d}"}}
    return {**keys, "text": {"S": "x" * 1000}, "n": {"N": str(value)}}


def requests_of(kind: str, turn: int) -> list[tuple[str, dict[str, Any]]]:
    """The requests of one measurement; each `turn` writes other values, since writing the same again does nothing."""
    numbers, table = range(ITEMS), {"TableName": "shop"}
    key = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "p"}}}
    index = {"KeyConditionExpression": "g1 = :p", "ExpressionAttributeValues": {":p": {"S": "g"}}}
    add = {"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
    puts = [[{"PutRequest": {"Item": item(n, turn + b)}} for n in range(25)] for b in range(4)]
    members = [[{"Put": {**table, "Item": item(n, turn * ITEMS + b)}} for n in range(4)] for b in range(25)]
    kinds: dict[str, list[tuple[str, dict[str, Any]]]] = {
        "PutItem": [("PutItem", {**table, "Item": item(n, turn)}) for n in numbers],
        "GetItem": [("GetItem", {**table, "Key": {k: item(n)[k] for k in ("pk", "sk")}}) for n in numbers],
        "Query 100": [("Query", {**table, **key})] * 10,
        "Query index 10": [("Query", {**table, **index, "IndexName": "by-status", "Limit": 10})] * 50,
        "UpdateItem ADD": [
            ("UpdateItem", {**table, **add, "Key": {k: item(n)[k] for k in ("pk", "sk")}}) for n in numbers
        ],
        "BatchWriteItem 25": [("BatchWriteItem", {"RequestItems": {"shop": each}}) for each in puts],
        "TransactWriteItems 4": [("TransactWriteItems", {"TransactItems": each}) for each in members],
    }
    return kinds[kind]


class Subjects:
    """What can be measured, on engines and a store that live as long as this object."""

    def __init__(self, folder: str) -> None:
        self.engines = {"memory": Engine.open(), "file": Engine.open(f"{folder}/shop.db", durable=False)}
        for engine in self.engines.values():
            engine.call("CreateTable", shop.create_request())
            for operation, request in requests_of("PutItem", 0):
                engine.call(operation, request)
        self.store = connect("memory:")
        self.store.create_tables(shop)
        self.orders = [
            Order(customer="7", number=n, day=date(2026, 1, 1), status=f"s{n % 10}") for n in range(ITEMS)
        ]
        self.store.batch_put(*self.orders)
        self.turn = 0

    def prepare(self, name: str) -> tuple[Callable[[], object], int]:
        """A function to time, and how many calls it makes."""
        self.turn += 1
        kind, _, place = name.partition(", ")
        if place in self.engines:
            return self._on_engine(kind, place)
        changed = [order.model_copy(update={"total": self.turn}) for order in self.orders]
        get, query, update = Order.primary.get, Order.primary, Order.primary.update
        subjects: dict[str, tuple[Callable[[], object], int]] = {
            "store put": (lambda: [self.store.put(order) for order in changed], ITEMS),
            "store get": (lambda: [self.store.get(get(customer="7", number=n)) for n in range(ITEMS)], ITEMS),
            "store iter 100": (lambda: [list(self.store.iter(query(customer="7"))) for _ in range(5)], 5),
            "store update": (
                lambda: [self.store.update(update(customer="7", number=n).add(total=1)) for n in range(50)],
                50,
            ),
            "build a put": (lambda: [Put(order).request for order in changed], ITEMS),
        }
        return subjects[name]

    def _on_engine(self, kind: str, place: str) -> tuple[Callable[[], object], int]:
        answer = self.engines[place].answer
        encoded = [(name, json.dumps(request).encode()) for name, request in requests_of(kind, self.turn)]

        def run() -> None:
            for name, body in encoded:
                status, _ = answer(name, body)
                assert status == 200

        return run, len(encoded)


def main() -> None:
    """Time each subject that the input names."""
    with TemporaryDirectory() as folder:
        subjects = Subjects(folder)
        for line in sys.stdin:
            run, calls = subjects.prepare(line.strip())
            start = process_time()
            run()
            print((process_time() - start) / calls * 1e6, flush=True)


if __name__ == "__main__":
    main()
