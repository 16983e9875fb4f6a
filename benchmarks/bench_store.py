"""The store in memory beside its engine's own calls, and beside PynamoDB and boto3 on moto (ten fields, 1 KB, one GSI).

Ours includes building the request, and the conversion and validation of every item; the engine's calls are given
finished requests, and give plain dicts. A ratio below 1 is what the store costs over the engine: 0.5 is twice.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from itertools import cycle
from typing import Any

import boto3
from moto import mock_aws
from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.models import Model

from benchmarks.store_subjects import SHOP, Order, changing, filled, order, requests
from benchmarks.timing import Row, row
from pksk import Engine, Put, connect_async

ITEMS = 1000


class MotoOrder(Model):
    """The same order in PynamoDB."""

    class Meta:
        """Its position."""

        table_name = SHOP.name
        region = "us-east-1"

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    g1 = UnicodeAttribute()
    g2 = UnicodeAttribute()
    customer = UnicodeAttribute()
    number = NumberAttribute()
    day = UnicodeAttribute()
    status = UnicodeAttribute()
    total = NumberAttribute()
    note = UnicodeAttribute()
    lines = NumberAttribute()
    weight = NumberAttribute()
    city = UnicodeAttribute()
    paid = BooleanAttribute()


def run(quick: bool = False) -> list[Row]:
    """Put, get and a query of 100 beside each peer."""
    os.environ.update(AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="us-east-1")
    db, engine = filled(ITEMS)
    entities = changing()
    ours: dict[str, Callable[[], object]] = {
        "put": lambda: db.put(entities()),
        "get": lambda: db.get(Order.primary.get(customer="3", number=7)),
        "query of 100": lambda: list(db.iter(Order.primary(customer="4"))),
    }
    rows = [
        row(name, ours[name], "engine.call", theirs, quick=quick)
        for name, theirs in _engine_calls(engine).items()
    ]
    rows += _awaiting(engine, quick=quick)
    with mock_aws():
        client = boto3.client("dynamodb")
        client.create_table(**SHOP.create_request())
        for number in range(ITEMS if not quick else 200):
            client.put_item(**Put(order(number)).request)
        for peer, calls in (("PynamoDB on moto", _pynamodb()), ("boto3 on moto", _boto3(client))):
            rows += [row(name, ours[name], peer, theirs, quick=quick) for name, theirs in calls.items()]
    return rows


def _engine_calls(engine: Engine) -> dict[str, Callable[[], object]]:
    puts = requests()
    get = Order.primary.get(customer="3", number=7).request
    query = Order.primary(customer="4").plan.requests[0]
    return {
        "put": lambda: engine.call("PutItem", puts()),
        "get": lambda: engine.call("GetItem", get),
        "query of 100": lambda: engine.call("Query", query),
    }


def _awaiting(engine: Engine, *, quick: bool) -> list[Row]:
    """The asynchronous store, whose calls are awaited one by one on a running loop."""
    db, entities, calls = connect_async(engine), changing(), _engine_calls(engine)
    loop = asyncio.new_event_loop()

    async def put() -> object:
        return await db.put(entities())

    async def get() -> object:
        return await db.get(Order.primary.get(customer="3", number=7))

    def many(call: Callable[[], Any]) -> Callable[[], object]:
        async def ten() -> None:
            for _ in range(10):
                await call()

        return lambda: loop.run_until_complete(ten())

    def ten_times(call: Callable[[], object]) -> Callable[[], object]:
        return lambda: [call() for _ in range(10)]

    try:
        return [
            row("10 puts, awaited", many(put), "engine.call", ten_times(calls["put"]), quick=quick),
            row("10 gets, awaited", many(get), "engine.call", ten_times(calls["get"]), quick=quick),
        ]
    finally:
        loop.run_until_complete(db.close())
        loop.close()


def _pynamodb() -> dict[str, Callable[[], object]]:
    entities = cycle([_moto_order(order(number, change)) for change in (5, 6) for number in range(200)])
    return {
        "put": lambda: next(entities).save(),
        "get": lambda: MotoOrder.get("CUST#1", "ORDER#000007"),
        "query of 100": lambda: list(MotoOrder.query("CUST#1", MotoOrder.sk.startswith("ORDER#"))),
    }


def _moto_order(entity: Order) -> MotoOrder:
    item, keys = Put(entity).item, ("pk", "sk", "g1", "g2")
    values = entity.model_dump(mode="json", exclude={"total"}) | {"total": float(entity.total)}
    return MotoOrder(**{name: item[name]["S"] for name in keys}, **values)


def _boto3(client: Any) -> dict[str, Callable[[], object]]:
    puts = requests()
    get = Order.primary.get(customer="1", number=7).request
    query = Order.primary(customer="1").plan.requests[0]
    return {
        "put": lambda: client.put_item(**puts()),
        "get": lambda: client.get_item(**get),
        "query of 100": lambda: client.query(**query),
    }


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["store", *sys.argv[1:]]))
