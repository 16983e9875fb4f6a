"""The Lambda function summarizes orders from the records of their stream, on the embedded engine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import pytest

from examples.lambda_function.handler import (
    Order,
    Summary,
    handler,
    orders,
    run_worker,
    store,
    summaries,
)
from pksk import Client, Engine, Retry, ServiceError, Store, connect
from pksk.changes import tail
from pksk.server import Server
from tests.project.tree import ROOT

CONNECTING = store


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.open() as opened:
        yield opened


@pytest.fixture
def db(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Store:
    connected = connect(engine)
    connected.create_tables(orders, summaries)
    monkeypatch.setattr("examples.lambda_function.handler.store", lambda: connected)
    return connected


def order(customer: str, number: int, price: str = "5.00") -> Order:
    return Order(customer=customer, number=number, total=Decimal(price))


def event(engine: Engine) -> dict[str, Any]:
    """All records so far, in the form in which Lambda passes them on."""
    arn = engine.call("DescribeTable", {"TableName": "orders"})["Table"]["LatestStreamArn"]
    records = tail(engine, "orders", oldest=True, follow=False)
    return {"Records": [{**record, "eventSourceARN": arn} for record in records]}


def summary(db: Store, customer: str) -> Summary | None:
    return db.get(Summary.primary.get(customer=customer))


def test_changed_orders_are_summarized_for_each_customer(engine: Engine, db: Store) -> None:
    db.batch_put(order("ann", 1, "99.90"), order("ann", 2, "7.25"), order("bob", 1))
    db.update(Order.primary.update(customer="ann", number=1).set(status="sent"))

    assert handler(event(engine), None) == {"batchItemFailures": []}
    assert summary(db, "ann") == Summary(customer="ann", open_orders=1, total=Decimal("7.25"))
    assert summary(db, "bob") == Summary(customer="bob", open_orders=1, total=Decimal("5.00"))


def test_the_last_order_of_a_customer_leaves_an_empty_summary(engine: Engine, db: Store) -> None:
    db.put(order("ann", 1))
    db.delete(Order.primary.delete(customer="ann", number=1))

    handler(event(engine), None)

    assert summary(db, "ann") == Summary(customer="ann", open_orders=0, total=Decimal())


def test_records_delivered_twice_change_nothing(engine: Engine, db: Store) -> None:
    db.batch_put(order("ann", 1), order("ann", 2))
    for _ in range(2):
        handler(event(engine), None)

    assert summary(db, "ann") == Summary(customer="ann", open_orders=2, total=Decimal("10.00"))


class FailingFor:
    """A client that fails to write the summary of one customer."""

    def __init__(self, client: Client, customer: str) -> None:
        self._client, self._key = client, f"CUSTOMER#{customer}"

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "PutItem" and request["Item"]["pk"]["S"] == self._key:
            raise ServiceError("InternalServerError", "try again", 500)
        return dict(self._client.call(operation, request))


def test_lambda_retries_from_the_first_change_that_failed(
    engine: Engine, db: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.put(order("ann", 1))
    db.put(order("bob", 1))
    records = event(engine)
    failing = connect(FailingFor(db.client, "bob"), retry=Retry(attempts=1))
    monkeypatch.setattr("examples.lambda_function.handler.store", lambda: failing)

    (failure,) = handler(records, None)["batchItemFailures"]

    (number,) = (
        record["dynamodb"]["SequenceNumber"]
        for record in records["Records"]
        if record["dynamodb"]["Keys"]["pk"]["S"] == "CUSTOMER#bob"
    )
    assert failure == {"itemIdentifier": number}
    assert summary(db, "bob") is None


def test_a_worker_counts_without_lambda_and_goes_on_where_it_stopped(db: Store) -> None:
    db.batch_put(order("ann", 1), order("ann", 2), order("bob", 1))
    run_worker(db, follow=False)
    db.put(order("ann", 3))
    run_worker(db, follow=False)

    assert summary(db, "ann") == Summary(customer="ann", open_orders=3, total=Decimal("15.00"))
    assert db.changes(Order, consumer="summaries").status().condition == "reading"


def test_the_handler_connects_once_to_the_target_of_the_environment(
    pksk_server: Server, engine: Engine, db: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.put(order("ann", 1))
    monkeypatch.setenv("ORDERS_TARGET", pksk_server.url)
    monkeypatch.setattr("examples.lambda_function.handler.store", CONNECTING.__wrapped__)
    with connect(pksk_server.url) as remote:
        remote.create_tables(orders, summaries)
        remote.put(order("ann", 1))

        assert handler(event(engine), object()) == {"batchItemFailures": []}
        assert summary(remote, "ann") == Summary(customer="ann", open_orders=1, total=Decimal("5.00"))


def test_the_function_runs_by_itself() -> None:
    command = [sys.executable, "-Werror", "-m", "examples.lambda_function.handler"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)

    assert done.stdout.splitlines() == [
        "customer='ann' open_orders=1 total=Decimal('99.9')",
    ]
