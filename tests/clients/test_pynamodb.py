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


def order_model(url: str) -> Any:
    """A model as its users write them, with `host` set."""

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


@pytest.fixture
def quick_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """PynamoDB asks once in two seconds whether a table is there."""
    monkeypatch.setattr("pynamodb.models.time.sleep", lambda _: None)


def test_a_session_of_pynamodb(endpoint: str, quick_waits: None) -> None:
    order = order_model(endpoint)
    order.create_table(wait=True)
    with order.batch_write() as batch:
        for number in range(40):
            batch.save(order("7", number, total=number, tags={"a", "b"}, seen=SEEN))

    _writes(order)
    _reads(order)
    _transacts(order, Connection(region="eu-central-1", host=endpoint))

    order.delete_table()


def _writes(kind: Any) -> None:
    with pytest.raises(PutError, match="The conditional request failed"):
        kind("7", 3, total=0).save(condition=kind.customer.does_not_exist())
    kept = kind.get("7", 3)
    kept.update(actions=[kind.status.set("paid"), kind.total.add(0.5)], condition=kind.status == "open")
    assert (kept.status, kept.total, kept.tags, kept.seen) == ("paid", 3.5, {"a", "b"}, SEEN)
    kind.get("7", 4).delete()


def _reads(kind: Any) -> None:
    assert [each.number for each in kind.query("7", kind.number > 30, limit=5, page_size=2)] == [
        31,
        32,
        33,
        34,
        35,
    ]
    assert kind.count("7") == 39
    assert [each.number for each in kind.by_status.query("paid")] == [3]
    assert len(list(kind.scan(kind.tags.contains("a"), page_size=7))) == 39
    assert {each.number for each in kind.batch_get([("7", 1), ("7", 2), ("7", 4)])} == {1, 2}
    with pytest.raises(kind.DoesNotExist):
        kind.get("7", 4)


def _transacts(kind: Any, connection: Connection) -> None:
    with pytest.raises(TransactWriteError) as raised:
        _order_if_paid(kind, connection)
    reasons = [each and each.code for each in raised.value.cancellation_reasons]
    assert reasons == ["ConditionalCheckFailed", None]
    with TransactWrite(connection=connection) as write:
        write.update(kind("7", 1), actions=[kind.status.set("paid")])
    _order_if_paid(kind, connection)
    with TransactGet(connection=connection) as read:
        found = read.get(kind, "8", 1)
    assert found.get().total == 1


def _order_if_paid(kind: Any, connection: Connection) -> None:
    with TransactWrite(connection=connection) as write:
        write.save(kind("8", 1, total=1))
        write.condition_check(kind, "7", 1, condition=kind.status == "paid")
