"""States of tables: waits for changes, also by other clients, with a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from threading import Barrier, Thread
from typing import Any

import pytest

from pksk import (
    GSI,
    Clock,
    Delays,
    Engine,
    PkskError,
    RequestRejected,
    RequestThrottled,
    ServiceError,
    Store,
    StoreError,
    Table,
    TableMissing,
    connect,
)
from pksk.schema.alterations import alterations
from tests.store.timed import BeforeCall, slow_engine, timed

SHOP = Table("shop")
BY_DAY, BY_OWNER = GSI("by-day", pk="day"), GSI("by-owner", pk="owner")
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


def description_of(engine: Engine, name: str = "shop") -> dict[str, Any]:
    found: dict[str, Any] = engine.call("DescribeTable", {"TableName": name})["Table"]
    return found


# A table that is being deleted


def test_a_table_that_is_being_deleted_is_created_again(db: Store, engine: Engine, clock: Clock) -> None:
    db.create_tables(SHOP)
    before = description_of(engine)["TableId"]
    engine.call("DeleteTable", DESCRIBE)
    began = clock()
    done = db.ensure_tables(SHOP)

    assert done == ["table 'shop': created"]
    assert description_of(engine)["TableId"] != before
    assert clock() - began < 10


def test_a_table_that_is_deleted_after_its_description_is_created_again(
    db: Store, engine: Engine, clock: Clock
) -> None:
    db.create_tables(SHOP)
    steps = iter(["DescribeTable"])

    def deleting(operation: str, request: Mapping[str, Any]) -> None:
        if operation == "DescribeTimeToLive" and next(steps, None):
            engine.call("DeleteTable", DESCRIBE)
            clock.advance(1)

    assert timed(BeforeCall(engine, deleting), clock).ensure_tables(SHOP) == ["table 'shop': created"]


def test_a_table_that_another_client_creates_and_deletes_is_created_in_the_end(
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

    client = BeforeCall(engine, making)

    assert timed(client, clock).ensure_tables(SHOP) == ["table 'shop': created"]
    assert client.sent.count("CreateTable") == 2


def test_a_table_that_is_dropped_during_its_creation_raises_table_missing(
    engine: Engine, clock: Clock
) -> None:
    def dropping(operation: str, request: Mapping[str, Any]) -> None:
        if operation == "DescribeTable" and clock() >= began + 2:
            engine.call("DeleteTable", DESCRIBE)

    client, began = BeforeCall(engine, dropping), clock()
    with pytest.raises(TableMissing, match="it was deleted meanwhile"):
        timed(client, clock).create_tables(SHOP)

    assert clock() - began < 10


# Permanent states and timeouts


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
def test_a_permanent_table_state_raises_at_once(
    engine: Engine, clock: Clock, status: str, fix: str, verb: str
) -> None:
    def stuck(operation: str, request: Mapping[str, Any]) -> dict[str, Any] | None:
        return (
            {"Table": {**description_of(engine), "TableStatus": status}}
            if operation == "DescribeTable"
            else None
        )

    if verb == "ensure_tables":
        timed(engine, clock).create_tables(SHOP)
    began = clock()
    with pytest.raises(StoreError, match=f"Table 'shop' cannot be used: it is {status}") as caught:
        getattr(timed(BeforeCall(engine, stuck), clock), verb)(SHOP)

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
def test_waiting_for_a_table_ends_with_a_timeout(
    clock: Clock, delays: Delays, use: Callable[[Store], Any], lasted: str, seconds: float
) -> None:
    with Engine.open(clock=clock, delays=delays) as engine:
        engine.call("CreateTable", Table("old").create_request())
        clock.advance(delays.create_table)
        began = clock()
        with pytest.raises(StoreError, match=f"it is still {lasted}; pksk stopped waiting") as caught:
            use(timed(engine, clock))

    assert caught.value.code == "store-table-timeout"
    assert seconds <= clock() - began < seconds + 60


def test_an_index_may_take_hours(clock: Clock) -> None:
    with Engine.open(clock=clock, delays=Delays(backfill=5 * HOUR)) as engine:
        db = timed(engine, clock)
        db.create_tables(SHOP)

        assert db.ensure_tables(Table("shop", indexes=[BY_DAY])) == ["table 'shop': make index 'by-day'"]


# Dropping


def test_dropping_ends_if_another_process_creates_the_table_again(engine: Engine, clock: Clock) -> None:
    def again(operation: str, request: Mapping[str, Any]) -> None:
        if (
            operation == "DescribeTable"
            and clock() > began + 0.5
            and not engine.call("ListTables", {})["TableNames"]
        ):
            engine.call("CreateTable", SHOP.create_request())

    timed(engine, clock).create_tables(SHOP)
    before, began = description_of(engine)["TableId"], clock()
    timed(BeforeCall(engine, again), clock).drop_tables("shop")

    assert description_of(engine)["TableId"] != before
    assert clock() - began < 10


# As many changes at a time as AWS takes


def test_ensure_tables_waits_for_an_index_of_another_process(db: Store, engine: Engine, clock: Clock) -> None:
    db.create_tables(SHOP)
    theirs = iter(alterations(Table("shop", indexes=[BY_DAY]), description_of(engine)).steps)

    def making(operation: str, request: Mapping[str, Any]) -> None:
        if operation == "UpdateTable":
            for step in theirs:
                engine.call(step.operation, step.request)
                clock.advance(1.5)  # the table is ACTIVE again, and its index not yet

    client = BeforeCall(engine, making)
    store = timed(client, clock)

    assert store.ensure_tables(Table("shop", indexes=[BY_OWNER, BY_DAY])) == [
        "table 'shop': make index 'by-owner'"
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
def test_changes_wait_while_ten_tables_are_changing(
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
        use(timed(BeforeCall(engine, always), clock))
    assert caught.value.service_code == "LimitExceededException"
    assert 500 < clock() - began < 700

    began = clock()
    use(timed(BeforeCall(engine, busy), clock))
    assert 100 <= clock() - began < 150


def test_an_account_quota_raises_without_waiting(db: Store, engine: Engine, clock: Clock) -> None:
    words = "Subscriber limit exceeded: Update to PayPerRequest mode are limited to 4 times in 1 day(s)"

    def never(operation: str, request: Mapping[str, Any]) -> None:
        if operation == "CreateTable":
            raise ServiceError("LimitExceededException", words)

    began = clock()
    with pytest.raises(RequestThrottled, match="limited to 4 times in 1 day") as caught:
        timed(BeforeCall(engine, never), clock).create_tables(SHOP)

    assert "quota" in caught.value.fix
    assert "partition keys" not in str(caught.value)
    assert clock() - began < 30


def test_several_processes_can_ensure_one_table_at_once() -> None:
    wanted = Table("many", indexes=[GSI("one", pk="a"), GSI("two", pk="b")], ttl="x", stream=True)
    outcomes: Counter[str] = Counter()

    def ensure(engine: Engine, barrier: Barrier) -> None:
        barrier.wait()
        try:
            outcomes.update(connect(engine).ensure_tables(wanted))
        except PkskError as error:
            outcomes[f"failed: {error.problem}"] += 1

    engine = Engine.open(delays=Delays(create_table=0.02, update_table=0.02))
    connect(engine).create_tables(Table("many"))
    barrier = Barrier(6)
    threads = [Thread(target=ensure, args=(engine, barrier)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert set(outcomes.values()) == {1}, outcomes
    assert len(outcomes) == 4
    assert connect(engine).ensure_tables(wanted) == []
