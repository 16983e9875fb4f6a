"""Tables that others make, change and delete meanwhile, and tables that never come: waited for, but not for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from pksk import (
    GSI,
    Clock,
    Delays,
    Engine,
    RequestRejected,
    RequestThrottled,
    ServiceError,
    Store,
    StoreError,
    Table,
    TableMissing,
)
from pksk.schema.alterations import alterations
from tests.store.timed import Told, slow_engine, timed

SHOP = Table("shop")
BY_DAY, BY_WHO = GSI("by-day", pk="day"), GSI("by-who", pk="who")
DESCRIBE = {"TableName": "shop"}
TABLES = "Subscriber limit exceeded: Only 10 tables can be created, updated, or deleted simultaneously"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with slow_engine(clock) as engine:
        yield engine


@pytest.fixture
def db(engine: Engine, clock: Clock) -> Store:
    return timed(engine, clock)


def told(engine: Engine, name: str = "shop") -> dict[str, Any]:
    found: dict[str, Any] = engine.call("DescribeTable", {"TableName": name})["Table"]
    return found


# A table that is being deleted


def test_a_table_that_is_being_deleted_is_made_anew_once_it_is_gone(
    db: Store, engine: Engine, clock: Clock
) -> None:
    db.create_tables(SHOP)
    before = told(engine)["TableId"]
    engine.call("DeleteTable", DESCRIBE)
    began = clock()
    done = db.ensure_tables(SHOP)

    assert done == ["table 'shop': created"]
    assert told(engine)["TableId"] != before
    assert clock() - began < 10


def test_a_table_that_is_deleted_after_it_was_looked_at_is_made_anew(
    db: Store, engine: Engine, clock: Clock
) -> None:
    db.create_tables(SHOP)
    steps = iter(["DescribeTable"])

    def deleting(operation: str, request: Mapping[str, Any]) -> None:
        if operation == "DescribeTimeToLive" and next(steps, None):
            engine.call("DeleteTable", DESCRIBE)
            clock.advance(1)

    assert timed(Told(engine, deleting), clock).ensure_tables(SHOP) == ["table 'shop': created"]


def test_a_table_that_is_made_and_deleted_by_others_meanwhile_is_made_at_last(
    engine: Engine, clock: Clock
) -> None:
    def others() -> Iterator[None]:
        engine.call("CreateTable", SHOP.create_request())
        clock.advance(2)
        engine.call("DeleteTable", DESCRIBE)
        yield

    steps = others()

    def making(operation: str, request: Mapping[str, Any]) -> None:
        if operation == "CreateTable":
            next(steps, None)

    client = Told(engine, making)

    assert timed(client, clock).ensure_tables(SHOP) == ["table 'shop': created"]
    assert client.sent.count("CreateTable") == 2


def test_a_table_that_is_dropped_while_it_is_made_is_missing_at_once(engine: Engine, clock: Clock) -> None:
    def dropping(operation: str, request: Mapping[str, Any]) -> None:
        if operation == "DescribeTable" and clock() >= began + 2:
            engine.call("DeleteTable", DESCRIBE)

    client, began = Told(engine, dropping), clock()
    with pytest.raises(TableMissing, match="it was deleted meanwhile"):
        timed(client, clock).create_tables(SHOP)

    assert clock() - began < 10


# What does not pass


@pytest.mark.parametrize(
    ("status", "fix"),
    [
        ("INACCESSIBLE_ENCRYPTION_CREDENTIALS", "KMS key"),
        ("ARCHIVED", "backup"),
        ("ARCHIVING", "backup"),
        ("REPLICATION_NOT_AUTHORIZED", "policies"),
    ],
)
@pytest.mark.parametrize("verb", ["create_tables", "ensure_tables"])
def test_a_state_that_does_not_pass_is_told_at_once(
    engine: Engine, clock: Clock, status: str, fix: str, verb: str
) -> None:
    def stuck(operation: str, request: Mapping[str, Any]) -> dict[str, Any] | None:
        return {"Table": {**told(engine), "TableStatus": status}} if operation == "DescribeTable" else None

    if verb == "ensure_tables":
        timed(engine, clock).create_tables(SHOP)
    began = clock()
    with pytest.raises(StoreError, match=f"Table 'shop' cannot be used: it is {status}") as caught:
        getattr(timed(Told(engine, stuck), clock), verb)(SHOP)

    assert caught.value.code == "store-table-unusable"
    assert fix in caught.value.fix
    assert clock() == began


HOUR = 3600.0


@pytest.mark.parametrize(
    ("delays", "use", "lasted", "seconds"),
    [
        (Delays(create_table=5 * HOUR), lambda db: db.create_tables(SHOP), "CREATING after 10 minutes", 600),
        (Delays(create_table=5 * HOUR), lambda db: db.ensure_tables(SHOP), "CREATING after 10 minutes", 600),
        (Delays(delete_table=5 * HOUR), lambda db: db.drop_tables("old"), "DELETING after 10 minutes", 600),
        (
            Delays(update_table=90 * HOUR),
            lambda db: db.ensure_tables(Table("old", stream=True)),
            "UPDATING after 24 hours",
            24 * HOUR,
        ),
        (
            Delays(backfill=90 * HOUR),
            lambda db: db.ensure_tables(Table("old", indexes=[BY_DAY])),
            "CREATING after 24 hours",
            24 * HOUR,
        ),
    ],
    ids=["create", "ensure", "drop", "change", "index"],
)
def test_no_state_is_waited_for_for_ever(
    clock: Clock, delays: Delays, use: Callable[[Store], Any], lasted: str, seconds: float
) -> None:
    with Engine.open(clock=clock, delays=delays) as engine:
        engine.call("CreateTable", Table("old").create_request())
        clock.advance(delays.create_table)
        began = clock()
        with pytest.raises(StoreError, match=f"it is still {lasted}; pksk stopped waiting") as caught:
            use(timed(engine, clock))

    assert caught.value.code == "store-table-slow"
    assert seconds <= clock() - began < seconds + 60


def test_an_index_may_take_hours(clock: Clock) -> None:
    with Engine.open(clock=clock, delays=Delays(backfill=5 * HOUR)) as engine:
        db = timed(engine, clock)
        db.create_tables(SHOP)

        assert db.ensure_tables(Table("shop", indexes=[BY_DAY])) == ["table 'shop': make index 'by-day'"]


# Dropping


def test_dropping_ends_where_another_process_makes_the_table_again(engine: Engine, clock: Clock) -> None:
    def again(operation: str, request: Mapping[str, Any]) -> None:
        if (
            operation == "DescribeTable"
            and clock() > began + 0.5
            and not engine.call("ListTables", {})["TableNames"]
        ):
            engine.call("CreateTable", SHOP.create_request())

    timed(engine, clock).create_tables(SHOP)
    before, began = told(engine)["TableId"], clock()
    timed(Told(engine, again), clock).drop_tables("shop")

    assert told(engine)["TableId"] != before
    assert clock() - began < 10


# As many changes at a time as AWS takes


def test_an_index_that_another_process_makes_is_waited_for(db: Store, engine: Engine, clock: Clock) -> None:
    db.create_tables(SHOP)
    theirs = iter(alterations(Table("shop", indexes=[BY_DAY]), told(engine)).steps)

    def making(operation: str, request: Mapping[str, Any]) -> None:
        if operation == "UpdateTable":
            for step in theirs:
                engine.call(step.operation, step.request)
                clock.advance(1.5)  # the table is ACTIVE again, and its index not yet

    client = Told(engine, making)
    store = timed(client, clock)

    assert store.ensure_tables(Table("shop", indexes=[BY_WHO, BY_DAY])) == [
        "table 'shop': make index 'by-who'"
    ]
    assert client.sent.count("UpdateTable") == 2
    assert store._core.quota.left == 500


@pytest.mark.parametrize(
    ("operation", "use"),
    [
        ("CreateTable", lambda db: db.create_tables(Table("new"))),
        ("CreateTable", lambda db: db.ensure_tables(Table("new"))),
        ("UpdateTable", lambda db: db.ensure_tables(Table("shop", indexes=[BY_DAY]))),
        ("DeleteTable", lambda db: db.drop_tables("shop")),
    ],
    ids=["create", "ensure", "index", "drop"],
)
def test_changes_wait_while_as_many_are_under_way_as_may_be(
    db: Store, engine: Engine, clock: Clock, operation: str, use: Callable[[Store], Any]
) -> None:
    def busy(named: str, request: Mapping[str, Any]) -> None:
        if named == operation and clock() < began + 100:
            raise ServiceError("LimitExceededException", TABLES)

    def always(named: str, request: Mapping[str, Any]) -> None:
        if named == operation:
            raise ServiceError("LimitExceededException", TABLES)

    db.create_tables(SHOP)
    began = clock()
    with pytest.raises(RequestRejected, match="Only 10 tables") as caught:
        use(timed(Told(engine, always), clock))
    assert caught.value.service_code == "LimitExceededException"
    assert 500 < clock() - began < 700

    began = clock()
    use(timed(Told(engine, busy), clock))
    assert 100 <= clock() - began < 150


def test_a_quota_that_waiting_does_not_help_is_told_as_one(db: Store, engine: Engine, clock: Clock) -> None:
    words = "Subscriber limit exceeded: Update to PayPerRequest mode are limited to 4 times in 1 day(s)"

    def never(operation: str, request: Mapping[str, Any]) -> None:
        if operation == "CreateTable":
            raise ServiceError("LimitExceededException", words)

    began = clock()
    with pytest.raises(RequestThrottled, match="limited to 4 times in 1 day") as caught:
        timed(Told(engine, never), clock).create_tables(SHOP)

    assert "quota" in caught.value.fix
    assert "partition keys" not in str(caught.value)
    assert clock() - began < 30
