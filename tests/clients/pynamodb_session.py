"""A session of PynamoDB: a model with an index, conditions, batches and transactions."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pynamodb.attributes import NumberAttribute, UnicodeAttribute, UnicodeSetAttribute, UTCDateTimeAttribute
from pynamodb.connection import Connection
from pynamodb.exceptions import PutError, TransactWriteError
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactGet, TransactWrite

SEEN = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def order_model(url: str | None = None) -> Any:
    """A model with `host` set."""

    class ByStatus(GlobalSecondaryIndex[Any]):  # type: ignore[no-untyped-call]
        class Meta:
            index_name = "by-status"
            projection = AllProjection()

        status = UnicodeAttribute(hash_key=True)
        total = NumberAttribute(range_key=True)

    class Order(Model):
        class Meta:
            table_name = "orders"
            host = url
            region = "eu-central-1"
            billing_mode = "PAY_PER_REQUEST"

        customer = UnicodeAttribute(hash_key=True)
        number = NumberAttribute(range_key=True)
        status = UnicodeAttribute(default="open")
        total = NumberAttribute()
        tags = UnicodeSetAttribute(null=True)
        seen = UTCDateTimeAttribute(null=True)
        by_status = ByStatus()

    return Order


def run(order: Any) -> None:
    """The whole session with a model of `order_model`."""
    order.create_table(wait=True)
    with order.batch_write() as batch:
        for number in range(40):
            batch.save(order("7", number, total=number, tags={"a", "b"}, seen=SEEN))

    _write(order)
    _read(order)
    _transact(order, Connection(region="eu-central-1", host=order.Meta.host))

    order.delete_table()


def _write(order: Any) -> None:
    with pytest.raises(PutError, match="The conditional request failed"):
        order("7", 3, total=0).save(condition=order.customer.does_not_exist())
    third = order.get("7", 3)
    third.update(actions=[order.status.set("paid"), order.total.add(0.5)], condition=order.status == "open")
    assert (third.status, third.total, third.tags, third.seen) == ("paid", 3.5, {"a", "b"}, SEEN)
    order.get("7", 4).delete()


def _read(order: Any) -> None:
    assert [each.number for each in order.query("7", order.number > 30, limit=5, page_size=2)] == [
        31,
        32,
        33,
        34,
        35,
    ]
    assert order.count("7") == 39
    assert [each.number for each in order.by_status.query("paid")] == [3]
    assert len(list(order.scan(order.tags.contains("a"), page_size=7))) == 39
    assert {each.number for each in order.batch_get([("7", 1), ("7", 2), ("7", 4)])} == {1, 2}
    with pytest.raises(order.DoesNotExist):
        order.get("7", 4)


def _transact(order: Any, connection: Connection) -> None:
    with pytest.raises(TransactWriteError) as raised:
        _order_if_paid(order, connection)
    reasons = [each and each.code for each in raised.value.cancellation_reasons]
    assert reasons == ["ConditionalCheckFailed", None]
    with TransactWrite(connection=connection) as write:
        write.update(order("7", 1), actions=[order.status.set("paid")])
    _order_if_paid(order, connection)
    with TransactGet(connection=connection) as read:
        found = read.get(order, "8", 1)
    assert found.get().total == 1


def _order_if_paid(order: Any, connection: Connection) -> None:
    with TransactWrite(connection=connection) as write:
        write.save(order("8", 1, total=1))
        write.condition_check(order, "7", 1, condition=order.status == "paid")
