"""Keeps a summary of each customer's open orders up to date, from the stream of the orders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import Any, Literal

from pksk import Engine, Entity, Key, Store, StoreError, Table, changes_of, connect

orders = Table("orders", stream=True)
summaries = Table("order-summaries", sk=None)


class Order(Entity, table=orders):
    customer: str
    number: int
    status: Literal["open", "sent"] = "open"
    total: Decimal
    primary = Key("CUSTOMER#{customer}", "ORDER#{number:06d}")


class Summary(Entity, table=summaries):
    customer: str
    open_orders: int
    total: Decimal
    primary = Key("CUSTOMER#{customer}")


@cache
def store() -> Store:
    """The store of this process: connected once, then used by every invocation."""
    return connect(os.environ.get("ORDERS_TARGET") or f"dynamodb://{os.environ['AWS_REGION']}")


def handler(event: Mapping[str, Any], _context: object = None) -> dict[str, Any]:
    """Called by Lambda with records of the stream; returns those from which on to try again."""
    return summarize_changes(store(), event)


def summarize_changes(db: Store, event: Mapping[str, Any]) -> dict[str, Any]:
    """Summarize every customer whose orders changed."""
    first_change: dict[str, str] = {}
    for change in changes_of(event, Order):
        order = change.new or change.old
        assert order is not None
        first_change.setdefault(order.customer, change.sequence_number)
    failed = [number for customer, number in first_change.items() if not summarize(db, customer)]
    return {"batchItemFailures": [{"itemIdentifier": number} for number in failed]}


def summarize(db: Store, customer: str) -> bool:
    """Write a summary of the orders as they are now, so that records may be delivered twice; False if it fails."""
    try:
        found = db.run(Order.primary(customer=customer).consistently())
        open_totals = [order.total for order in found if order.status == "open"]
        db.put(Summary(customer=customer, open_orders=len(open_totals), total=sum(open_totals, Decimal())))
    except StoreError as error:
        print(f"{customer}: {error}")
        return False
    return True


def stream_records(engine: Engine) -> Iterator[dict[str, Any]]:
    """All records of the orders' stream so far; on AWS, Lambda reads them."""
    arn = engine.call("DescribeTable", {"TableName": orders.name})["Table"]["LatestStreamArn"]
    for shard in engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]:
        begin = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        yield from engine.call("GetRecords", engine.call("GetShardIterator", begin))["Records"]


if __name__ == "__main__":
    with Engine.open() as engine, connect(engine) as local:
        local.create_tables(orders, summaries)
        local.put(Order(customer="ann", number=1, total=Decimal("99.90")))
        print(summarize_changes(local, {"Records": list(stream_records(engine))}))
        print(*local.scan(Summary.scan()), sep="\n")
