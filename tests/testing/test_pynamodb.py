"""A realistic session of PynamoDB: a model with an index, conditions, batches, transactions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pynamodb.attributes import NumberAttribute, UnicodeAttribute, UnicodeSetAttribute
from pynamodb.connection import Connection
from pynamodb.exceptions import PutError, TransactWriteError
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactGet, TransactWrite

from pksk.engine import Engine


class ByStatus(GlobalSecondaryIndex["Order"]):  # type: ignore[no-untyped-call]
    class Meta:
        index_name = "by-status"
        projection = AllProjection()

    status = UnicodeAttribute(hash_key=True)
    total = NumberAttribute(range_key=True)


class Order(Model):
    class Meta:
        table_name = "orders"
        region = "us-east-1"
        billing_mode = "PAY_PER_REQUEST"

    customer = UnicodeAttribute(hash_key=True)
    number = NumberAttribute(range_key=True)
    status = UnicodeAttribute(default="open")
    total = NumberAttribute(default=0)
    tags = UnicodeSetAttribute(null=True)
    by_status = ByStatus()


@pytest.fixture(autouse=True)
def _orders(pksk_intercept: Engine) -> Iterator[None]:
    Order.create_table(wait=True)
    yield
    # A model keeps its connection, and with it the client, for the next test.
    assert Order.exists()


def test_a_model_is_stored_and_read() -> None:
    Order("7", 1, total=12.5, tags={"a", "b"}).save()
    order = Order.get("7", 1)
    order.update(actions=[Order.total.add(1), Order.status.set("sent")])

    assert (order.total, order.status, Order.get("7", 1).tags) == (13.5, "sent", {"a", "b"})
    with pytest.raises(Order.DoesNotExist):
        Order.get("7", 2)


def test_conditions_refuse() -> None:
    Order("7", 1).save()
    with pytest.raises(PutError) as refusal:
        Order("7", 1).save(condition=Order.customer.does_not_exist())

    assert refusal.value.cause_response_code == "ConditionalCheckFailedException"


def test_queries_scans_and_indexes() -> None:
    with Order.batch_write() as batch:
        for number in range(40):
            batch.save(Order("7", number, status="sent" if number % 4 == 0 else "open", total=number))

    assert [order.number for order in Order.query("7", Order.number.between(3, 5))] == [3, 4, 5]
    assert sum(1 for _ in Order.query("7", limit=30, page_size=7)) == 30
    assert Order.count("7", filter_condition=Order.total > 35) == 4
    assert [order.number for order in Order.by_status.query("sent", Order.total < 9)] == [0, 4, 8]
    assert sum(1 for _ in Order.scan(Order.status == "sent")) == 10
    assert len(list(Order.batch_get([("7", 1), ("7", 2), ("7", 99)]))) == 2


def test_transactions_are_all_or_nothing() -> None:
    connection = Connection(region="us-east-1")
    with TransactWrite(connection=connection) as transaction:
        transaction.save(Order("7", 1))
        transaction.save(Order("7", 2))
    refused = TransactWrite(connection=connection)
    refused.save(Order("7", 3))
    refused.save(Order("7", 1), condition=Order.customer.does_not_exist())
    with pytest.raises(TransactWriteError):
        refused._commit()
    with TransactGet(connection=connection) as transaction:
        first = transaction.get(Order, "7", 1)

    assert first.get().number == 1
    assert Order.count("7") == 2
