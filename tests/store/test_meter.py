"""Meters: what was consumed, by entity and access pattern, with the estimate beside it."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from pksk import (
    AlreadyExists,
    Entity,
    Key,
    Meter,
    Put,
    Shard,
    Store,
    Table,
    batch,
    between,
    connect,
    connect_async,
    transaction,
)
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import (
    TABLES,
    Customer,
    Flag,
    Line,
    Order,
    Reading,
    Session,
    Word,
    order_numbers,
    shop,
    words,
)

FIRST = date(2025, 3, 1)
ORDER = Order(customer="7", number=1, day=FIRST)


def rows_of(meter: Meter) -> list[tuple[str, int, int]]:
    return [(row.name, row.uses, row.calls) for row in meter.rows]


def test_requests_outside_a_meter_block_are_not_counted(db: Store) -> None:
    with db.meter() as meter:
        pass
    db.put(ORDER)

    assert meter.rows == []
    assert str(meter) == "nothing was sent"


def test_reads_and_writes_have_rows_by_entity_and_kind(db: Store) -> None:
    with db.meter() as meter:
        db.put(Word(language="de", word="Haus"))
        db.put(Word(language="de", word="Maus"))
        db.get(Word.primary.get(language="de", word="Haus"))
        list(db.iter(Word.primary(language="de")))
        db.delete(Word.primary.delete(language="de", word="Haus"))

    assert rows_of(meter) == [
        ("put Word", 2, 2),
        ("get Word", 1, 1),
        ("query Word", 1, 1),
        ("delete Word", 1, 1),
    ]
    assert [row.entities for row in meter.rows] == [("Word",)] * 4


def test_a_meter_sums_the_capacity_that_the_service_reports(db: Store, door: Door) -> None:
    with db.meter() as meter:
        db.put(Word(language="de", word="Haus", meaning="x" * 1500))
        db.get(Word.primary.get(language="de", word="Haus"))
        db.get(Word.primary.get(language="de", word="Haus").consistently())

    put, get = meter.rows
    # Two kilobytes in the table, and as many in its index.
    assert (put.consumed.write, put.consumed.read) == (4.0, 0.0)
    assert get.consumed.read == 1.5
    assert meter.consumed.write == 4.0
    assert meter.calls == 3


def test_a_meter_reports_each_index(db: Store) -> None:
    with db.meter() as meter:
        db.put(ORDER)

    charges = {charge.index: charge.write for charge in meter.rows[0].consumed.charges}
    assert charges == {None: 1.0, "overloaded": 1.0, "slim": 1.0, "monthly": 1.0, "by-total": 1.0}


def test_an_access_pattern_has_a_row_of_its_own_with_its_estimate(db: Store, eventually: Eventually) -> None:
    db.put(ORDER)
    pattern = Order.of_status("open", FIRST, FIRST + timedelta(days=9))
    eventually(lambda: db.count(pattern), 1)
    with db.meter() as meter:
        list(db.iter(pattern))
        list(db.iter(pattern))

    (row,) = meter.rows
    assert (row.pattern, row.name, row.uses, row.calls) == ("Order.of_status", "Order.of_status", 2, 2)
    assert row.consumed.read == 1.0
    assert row.estimate is not None
    assert row.estimate.read == 1.0
    assert "Order.of_status" in str(meter)


def test_a_use_with_many_requests_is_one_use(db: Store) -> None:
    db.batch_put(*(Line(customer="7", number=n, line=1) for n in range(30)))
    with db.meter() as meter:
        list(db.iter(Line.primary(customer="7").pages(10)))
        db.batch_get(*(Line.primary.get(customer="7", number=n, line=1) for n in range(120)))

    query, gets = meter.rows
    assert (query.uses, gets.uses, gets.calls) == (1, 1, 2)
    assert query.calls >= 3


def test_writes_that_read_first_count_both_requests(db: Store) -> None:
    db.put(ORDER)
    with db.meter() as meter:
        db.update(Order.primary.update(customer="7", number=1).set(status="sent"))
        db.move(Order.primary.get(customer="7", number=1), number=2)

    update, move = meter.rows
    assert (update.name, update.uses, update.calls) == ("update Order", 1, 2)
    assert update.consumed.read == 1.0
    assert move.consumed.write > 0


def test_guards_are_counted_with_their_write(db: Store) -> None:
    with db.meter() as meter:
        db.create(Customer(customer="7", name="Ann", email="a@b.c"))

    (row,) = meter.rows
    assert row.entities == ("Customer",)
    # A transaction takes twice as much for its items, and as much as ever for the entry of an index.
    assert row.consumed.write == 5.0


def test_batches_transactions_sequences_and_scans(db: Store) -> None:
    with db.meter() as meter:
        db.batch_put(ORDER, Word(language="de", word="Haus"))
        db.transaction(Put(Flag(name="x")).if_absent(), Put(Reading(sensor=1, moment=b"1")))
        db.next(order_numbers, customer="7")
        list(db.scan(Order.scan()))
        db.run(batch(Order.primary.get(customer="7", number=1)))
        db.run(transaction(Order.primary.get(customer="7", number=1)))

    assert [row.name for row in meter.rows] == [
        "batch Order, Word",
        "transaction Flag, Reading",
        "update OrderSequence",
        "scan Order",
        "batch Order",
        "transaction Order",
    ]
    assert all(row.calls == row.uses == 1 for row in meter.rows)
    assert all(row.consumed.read + row.consumed.write > 0 for row in meter.rows)


def test_reads_of_a_transactions_members_count_for_the_transaction(db: Store) -> None:
    with db.meter() as meter:
        db.transaction(Put(Flag(name="x", by="ann")), Put(Word(language="de", word="Haus")))

    assert rows_of(meter) == [("transaction Flag, Word", 1, 2)]


def test_failures_are_counted(db: Store) -> None:
    db.put(ORDER)
    with db.meter() as meter, pytest.raises(AlreadyExists):
        db.create(ORDER)

    (row,) = meter.rows
    assert (row.uses, row.calls, row.failed) == (1, 1, 1)


def test_a_meter_can_be_printed_and_written_as_json(db: Store) -> None:
    with db.meter() as meter:
        db.put(Word(language="de", word="Haus"))
    (row,) = json.loads(json.dumps(meter.data()))

    assert (row["entities"], row["kind"], row["uses"], row["calls"]) == (["Word"], "put", 1, 1)
    assert row["consumed"]["write"] == row["estimate"]["write"] == 2.0
    head, line = str(meter).splitlines()
    assert head.split() == ["uses", "calls", "consumed", "estimated"]
    assert line.startswith("put Word")


def test_meters_can_be_nested(db: Store) -> None:
    with db.meter() as outer:
        db.put(ORDER)
        with db.meter() as inner:
            db.get(Order.primary.get(customer="7", number=1))

    assert [row.name for row in outer.rows] == ["put Order", "get Order"]
    assert [row.name for row in inner.rows] == ["get Order"]


def test_a_block_that_fails_ends_its_meter(db: Store) -> None:
    with pytest.raises(ZeroDivisionError), db.meter() as meter:
        raise ZeroDivisionError
    db.put(ORDER)

    assert meter.rows == []


def test_a_meter_counts_the_requests_of_its_thread() -> None:
    with connect("memory:") as db:
        for table in TABLES:
            db.client.call("CreateTable", table.create_request())
        with ThreadPoolExecutor(1) as other, db.meter() as ours, db.meter(everywhere=True) as all_of_them:
            other.submit(db.put, ORDER).result()
            db.get(Order.primary.get(customer="7", number=1))

    assert [row.name for row in ours.rows] == ["get Order"]
    assert [row.name for row in all_of_them.rows] == ["put Order", "get Order"]


def test_a_meter_counts_the_requests_of_its_task_and_of_tasks_that_it_starts() -> None:
    async def use() -> tuple[Meter, Meter, Meter]:
        async with connect_async("memory:") as db:
            await db.create_tables(shop)

            async def other() -> Meter:
                with db.meter() as theirs:
                    await asyncio.sleep(0.001)
                    await db.put(ORDER)
                return theirs

            task = asyncio.create_task(other())
            with db.meter() as ours, db.meter(everywhere=True) as everywhere:
                span = Order.monthly(status="open", day=between(FIRST, FIRST + timedelta(days=300)))
                assert [each async for each in db.iter(span)] == []
                theirs = await task
            return ours, theirs, everywhere

    ours, theirs, everywhere = asyncio.run(use())

    assert [row.name for row in ours.rows] == ["query Order"]
    assert ours.calls == 30
    assert [row.name for row in theirs.rows] == ["put Order"]
    assert {row.name for row in everywhere.rows} == {"query Order", "put Order"}


def test_parallel_requests_in_other_threads_are_metered(door: Door, db: Store) -> None:
    db.batch_put(*(Order(customer="7", number=n, day=FIRST) for n in range(9)))
    with db.meter() as meter:
        list(db.iter(Order.monthly(status="open", day=between(FIRST, FIRST + timedelta(days=99)))))

    (row,) = meter.rows
    assert (row.uses, row.calls) == (1, 12)


def test_a_move_within_its_key_has_an_estimate_beside_what_it_consumed(db: Store) -> None:
    reading = db.put(Reading(sensor=1, moment=b"1"))
    with db.meter() as meter:
        db.move(reading, value=Decimal(5))

    assert_estimated(meter)


def test_a_move_to_another_key_has_an_estimate_beside_what_it_consumed(db: Store) -> None:
    word = db.put(Word(language="en", word="cat"))
    with db.meter() as meter:
        db.move(word, word="dog")

    assert_estimated(meter)


def test_the_guards_of_a_move_are_in_its_estimate(db: Store) -> None:
    customer = db.put(Customer(customer="7", name="Ann", email="a", phone=5))
    with db.meter() as meter:
        db.move(customer, customer="8", email="b")

    assert_estimated(meter)


def assert_estimated(meter: Meter) -> None:
    (row,) = meter.rows
    assert row.estimate is not None
    assert (row.estimate.read, row.estimate.write) == (row.consumed.read, row.consumed.write)


@pytest.mark.parametrize("by", ["move", "update"])
@pytest.mark.one_door
def test_the_guards_of_an_item_with_a_changed_ttl_are_in_the_estimate(db: Store, by: str) -> None:
    end = datetime(2099, 1, 1, tzinfo=UTC)
    session = db.put(Session(token="t", user="7", code="q", expires=end))
    with db.meter() as meter:
        if by == "move":
            db.move(session, expires=end + timedelta(days=1))
        else:
            db.update(
                Session.primary.update(token="t", user="7").set(expires=end + timedelta(days=1)),
            )

    assert_estimated(meter)


@pytest.mark.one_door
def test_a_move_to_another_shard_is_estimated_as_one() -> None:
    with connect("memory:") as db:
        db.create_tables(Sharded.__pksk__.table)
        sharded = db.put(Sharded(id="1", of="a"))
        with db.meter() as meter:
            db.move(sharded, of="abc")

    assert_estimated(meter)


class Sharded(Entity, table=Table("sharded")):
    id: str
    of: str
    primary = Key("S#{shard}", "{id}", shard=Shard(100, of="of"), identity=("id",))


def test_a_move_counts_as_a_use_and_changes_of_tables_have_a_row(db: Store) -> None:
    db.put(ORDER)
    with db.meter() as meter:
        db.ensure_tables(words)
        db.move(ORDER, number=8)

    assert [(row.name, row.uses) for row in meter.rows] == [("tables", 0), ("move Order", 1)]


def test_estimates_of_batches_count_what_is_in_each(db: Store) -> None:
    get = Order.primary.get(customer="7", number=1)
    db.put(ORDER)
    with db.meter() as meter:
        db.batch_get(get)
        db.batch_get(get, Order.primary.get(customer="7", number=8))

    assert meter.rows[0].estimate is not None
    assert meter.rows[0].estimate.read == 1.5
