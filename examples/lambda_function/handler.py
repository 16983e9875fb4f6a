"""Keeps a summary of each customer's open orders up to date, from the stream of the orders."""

from __future__ import annotations

import os
from decimal import Decimal
from functools import cache
from typing import Literal

from pksk import Change, Entity, Key, Store, Table, connect
from pksk.changes import lambda_handler

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


def summarize(db: Store, change: Change[Order]) -> None:
    """Count the open orders of the customer whose order changed, as they are now: a change may come twice."""
    order = change.new or change.old
    assert order is not None
    found = db.run(Order.primary(customer=order.customer).consistently())
    open_totals = [each.total for each in found if each.status == "open"]
    db.put(Summary(customer=order.customer, open_orders=len(open_totals), total=sum(open_totals, Decimal())))


# Called by Lambda with records of the stream; returns the one from which on to try again.
handler = lambda_handler(lambda change: summarize(store(), change), Order)


def run_worker(db: Store, *, follow: bool = True) -> None:
    """The same without Lambda: one of the workers of a service."""

    def summarize_each(changes: list[Change[Order]]) -> None:
        for change in {each.key["pk"]["S"]: each for each in changes}.values():
            summarize(db, change)

    db.changes(Order, consumer="summaries").run(summarize_each, follow=follow)


if __name__ == "__main__":
    with connect("memory:") as local:
        local.create_tables(orders, summaries)
        local.put(Order(customer="ann", number=1, total=Decimal("99.90")))
        run_worker(local, follow=False)
        print(*local.scan(Summary.scan()), sep="\n")
