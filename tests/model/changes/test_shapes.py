"""The same changes from GetRecords, from boto3 and from an AWS Lambda, in every view of a stream."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, assert_type

import pytest

from pksk import Change, Put, Table, change_of, changes_of

from .shop import NOW, VIEWS, Animal, Cat, Month, Order, Session, Streams, every_shape, invoices, shop

logs = Table("logs", stream=True)

FULL = Order(
    customer="7",
    number=12,
    total=Decimal("5.50"),
    tags={"new", "gift"},
    raw=b"\x00\xff",
    pieces={b"a", b"\x01"},
    deep={"parts": [b"x", b"\xfe"]},
)


def test_an_item_is_inserted_modified_and_removed() -> None:
    streams, paid = Streams(), FULL.model_copy(update={"note": "paid", "total": Decimal(6)})
    streams.put(FULL, paid)
    streams.delete(FULL)

    for records in every_shape(streams):
        inserted, modified, removed = changes_of(records, shop)
        assert (inserted.kind, inserted.old, inserted.new) == ("insert", None, FULL)
        assert (modified.kind, modified.old, modified.new) == ("modify", FULL, paid)
        assert (removed.kind, removed.old, removed.new) == ("remove", paid, None)
        assert modified.changed_fields == ("total", "note")
        assert inserted.changed_fields == removed.changed_fields == tuple(Order.model_fields)


def test_every_shape_gives_equal_changes() -> None:
    streams = Streams()
    streams.put(FULL, Cat(name="Tom"), Animal(name="Rex"), Month(name="x", day=date(2025, 3, 1)))
    streams.delete(FULL)

    first, *others = [list(changes_of(records, shop)) for records in every_shape(streams)]

    assert len(first) == 5
    assert all(other == first for other in others)


def test_a_change_has_its_time_region_and_size() -> None:
    streams = Streams()
    streams.clock.advance(5)
    streams.put(FULL)
    (record,) = streams.records()

    change = change_of(record, shop)

    assert change is not None
    assert change.at == datetime.fromtimestamp(NOW + 5, UTC)
    assert change.at.tzinfo is UTC
    assert change.key == {"pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#000012"}}
    assert change.key_values == {"customer": "7", "number": 12}
    assert change.table is shop
    assert change.entity is Order
    assert change.sequence_number == record["dynamodb"]["SequenceNumber"]
    assert change.size_bytes == record["dynamodb"]["SizeBytes"]
    assert change.event_id == record["eventID"]
    assert change.record is record
    assert not change.expired


def test_a_deletion_by_ttl_is_marked() -> None:
    streams, session = Streams(), Session(id="7", expires=datetime.fromtimestamp(NOW + 60, UTC))
    streams.put(session, Session(id="8"))
    streams.clock.advance(3600)
    streams.engine.expire()
    streams.delete(Session(id="8"))

    for records in every_shape(streams):
        expired, deleted = [change for change in changes_of(records, Session) if change.kind == "remove"]
        assert expired.expired
        assert expired.old == session
        assert not deleted.expired


@pytest.mark.parametrize("view", VIEWS)
def test_every_stream_view_type_gives_the_images_that_it_has(view: str) -> None:
    streams, other = Streams(view=view), FULL.model_copy(update={"note": "x"})
    streams.put(FULL, other)
    streams.delete(FULL)
    old, new = view in ("NEW_AND_OLD_IMAGES", "OLD_IMAGE"), view in ("NEW_AND_OLD_IMAGES", "NEW_IMAGE")

    for records in every_shape(streams):
        found = list(changes_of(records, Order))
        assert [change.kind for change in found] == ["insert", "modify", "remove"]
        assert [change.old for change in found] == ([None, FULL, other] if old else [None] * 3)
        assert [change.new for change in found] == ([FULL, other, None] if new else [None] * 3)
        assert {change.entity for change in found} == {Order}
        assert [change.key_values for change in found] == [{"customer": "7", "number": 12}] * 3
        assert found[1].changed_fields == (("note",) if old and new else tuple(Order.model_fields))


def test_a_key_that_does_not_determine_its_fields_has_no_values() -> None:
    streams, month = Streams(), Month(name="x", day=date(2025, 3, 31))
    streams.put(month)

    (change,) = changes_of(streams.answer(), shop)

    assert change.key_values is None
    assert change.new == month


def test_a_sequence_has_changes_like_an_entity() -> None:
    streams = Streams()
    for _ in range(2):
        streams.engine.call("UpdateItem", invoices.take(year=2026).request)

    first, second = changes_of(streams.answer(), invoices.entity)

    assert first.new is not None
    assert second.new is not None
    assert (first.new.last, second.new.last) == (1, 2)
    assert second.changed_fields == ("last",)
    assert second.key_values == {"year": 2026}


def test_changes_of_one_entity_are_typed() -> None:
    streams = Streams()
    streams.put(FULL)

    (change,) = changes_of(streams.event(), Order)
    one = change_of(streams.records()[0], Order)
    (of_table,) = changes_of(streams.event(), shop)

    assert_type(change, Change[Order])
    assert_type(change.new, Order | None)
    assert_type(one, Change[Order] | None)
    assert_type(of_table, Change[Any])
    assert change == one == of_table


def test_a_change_has_a_readable_text() -> None:
    streams = Streams()
    streams.put(Cat(name="Tom"))

    (change,) = changes_of(streams.answer(), Cat)

    assert isinstance(change, Change)
    assert repr(change).startswith("Change(kind='insert', entity=<class '")
    assert "record" not in repr(change)


def test_changes_of_several_tables_have_their_table() -> None:
    streams = Streams(shop, logs)
    streams.put(FULL)
    streams.put_item({"pk": {"S": "LOG#1"}, "sk": {"S": "x"}}, logs)
    streams.put_item(Put(FULL).item, logs)

    found = list(changes_of(streams.event(shop, logs), shop, logs))

    assert [(change.table.name, change.entity) for change in found] == [("shop", Order)]
