"""Tables: made, compared with what is there, changed where they can be, and dropped by name alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from pksk import (
    GSI,
    LSI,
    AccessDenied,
    DesignError,
    Engine,
    Entity,
    Key,
    N,
    Provisioned,
    Put,
    Query,
    ServiceError,
    Store,
    StoreError,
    Table,
    TableDiffers,
    TableMissing,
    connect,
)
from pksk.engine import Clock, Delays
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import named

NAME = named("orders")


def declared(table: Table) -> Any:
    """An entity with one index, on some table."""

    class Order(Entity, table=table):
        id: str
        day: str = "monday"
        total: int = 0

        primary = Key("ORDER#{id}", "META") if table.sk else Key("ORDER#{id}")
        if any(index.name == "by-day" for index in table.indexes):
            by_day = Key("DAY#{day}", "{id}", index="by-day")

    return Order


@pytest.fixture
def tables() -> Iterable[Table]:
    """None: each test makes its own, and leaves none."""
    return ()


@pytest.fixture
def db(db: Store, door: Door) -> Any:
    yield db
    for name in door.call("ListTables", {})["TableNames"]:
        if name == NAME or name == NAME + "-2":
            db.drop_tables(name)


BY_DAY = GSI("by-day", pk="g1", sk="g2")


def test_a_created_table_can_be_used_at_once(db: Store) -> None:
    table = Table(NAME, indexes=[BY_DAY])
    order_class = declared(table)
    db.create_tables(table)
    order = db.put(order_class(id="1"))

    assert db.get(order_class.primary.get(id="1")) == order


def test_a_created_table_is_as_declared(db: Store, door: Door) -> None:
    table = Table(
        NAME,
        ttl="expires",
        stream="KEYS_ONLY",
        indexes=[BY_DAY, LSI("by-total", sk=N("total"), projection=["day"])],
    )
    db.create_tables(table)
    description = door.call("DescribeTable", {"TableName": NAME})["Table"]
    ttl = door.call("DescribeTimeToLive", {"TableName": NAME})

    assert (
        Table.from_description(description, describe_ttl=ttl).differences(table.create_request()) is not None
    )
    assert table.differences(description) == []
    assert ttl["TimeToLiveDescription"]["TimeToLiveStatus"] in ("ENABLED", "ENABLING")
    assert ttl["TimeToLiveDescription"]["AttributeName"] == "expires"


def test_create_tables_raises_for_an_existing_table(db: Store) -> None:
    db.create_tables(Table(NAME))
    with pytest.raises(StoreError) as caught:
        db.create_tables(Table(NAME))

    assert caught.value.code == "store-table-exists"
    assert str(caught.value) == (
        f"Table '{NAME}' already exists.\n"
        "Fix: use ensure_tables(...), which compares it with its declaration.  (pksk explain store-table-exists)"
    )


def test_create_tables_creates_none_if_one_exists(db: Store, door: Door) -> None:
    db.create_tables(Table(NAME))
    with pytest.raises(StoreError, match=f"Table '{NAME}' already exists"):
        db.create_tables(Table(NAME + "-2"), Table(NAME))

    assert NAME + "-2" not in door.call("ListTables", {})["TableNames"]


def test_ensure_tables_creates_missing_tables_and_returns_what_it_did(db: Store) -> None:
    table = Table(NAME, indexes=[BY_DAY])

    assert db.ensure_tables(table) == [f"table '{NAME}': created"]
    assert db.ensure_tables(table) == []


def test_ensure_makes_indexes_one_at_a_time(db: Store, door: Door) -> None:
    db.create_tables(Table(NAME))
    table = Table(
        NAME, indexes=[BY_DAY, GSI("by-total", pk="t1"), GSI("by-both", pk="b1", sk="b2", projection="keys")]
    )

    assert db.ensure_tables(table) == [
        f"table '{NAME}': make index 'by-day'",
        f"table '{NAME}': make index 'by-total'",
        f"table '{NAME}': make index 'by-both'",
    ]
    assert table.differences(door.call("DescribeTable", {"TableName": NAME})["Table"]) == []


def test_ensure_tables_keeps_undeclared_indexes_unless_destructive(db: Store, door: Door) -> None:
    db.create_tables(Table(NAME, indexes=[BY_DAY]))

    assert db.ensure_tables(Table(NAME)) == []
    assert db.ensure_tables(Table(NAME), destructive=True) == [f"table '{NAME}': delete index 'by-day'"]
    assert "GlobalSecondaryIndexes" not in door.call("DescribeTable", {"TableName": NAME})["Table"]


def test_ensure_switches_time_to_live_and_streams(db: Store, door: Door) -> None:
    db.create_tables(Table(NAME))
    done = db.ensure_tables(Table(NAME, ttl="expires", stream="NEW_IMAGE"))

    assert done == [
        f"table '{NAME}': switch a stream of 'NEW_IMAGE' on",
        f"table '{NAME}': let items expire by 'expires'",
    ]
    description = door.call("DescribeTable", {"TableName": NAME})["Table"]
    assert description["StreamSpecification"]["StreamViewType"] == "NEW_IMAGE"


def test_differences_that_cannot_be_changed_raise_before_any_change(db: Store, door: Door) -> None:
    db.create_tables(Table(NAME, sk=None), Table(NAME + "-2"))
    with pytest.raises(TableDiffers) as caught:
        db.ensure_tables(Table(NAME + "-2", indexes=[BY_DAY]), Table(NAME, sk=N("n")))

    assert "sk: declared N('n'), the table has None; the key of a table is chosen once" in str(caught.value)
    assert "Fix: declare the table as it is, or create another table" in str(caught.value)
    assert len(caught.value.differences) == 1
    other = door.call("DescribeTable", {"TableName": NAME + "-2"})["Table"]
    assert "GlobalSecondaryIndexes" not in other


def test_existing_items_are_found_through_a_new_index(db: Store, eventually: Eventually) -> None:
    plain = declared(Table(NAME))
    db.create_tables(Table(NAME))
    db.put(plain(id="1"))
    table = Table(NAME, indexes=[BY_DAY])
    indexed = declared(table)
    db.ensure_tables(table)
    db.put(db.get(indexed.primary.get(id="1")))

    eventually(lambda: [each.id for each in db.iter(indexed.by_day(day="monday"))], ["1"])


def test_tables_are_dropped_by_name_alone(db: Store, door: Door) -> None:
    table = Table(NAME)
    db.create_tables(table)
    with pytest.raises(DesignError, match="it takes the names of tables"):
        db.drop_tables(table)  # type: ignore[arg-type]

    assert NAME in door.call("ListTables", {})["TableNames"]
    db.drop_tables(NAME)
    assert NAME not in door.call("ListTables", {})["TableNames"]


def test_no_table_is_dropped_if_one_is_missing(db: Store, door: Door) -> None:
    db.create_tables(Table(NAME))
    with pytest.raises(
        TableMissing, match="there is no table 'pksk-there-is-no-such-table'; no table was dropped"
    ):
        db.drop_tables(NAME, "pksk-there-is-no-such-table")

    assert door.call("DescribeTable", {"TableName": NAME})["Table"]["TableStatus"] == "ACTIVE"
    db.drop_tables(NAME, NAME)
    assert NAME not in door.call("ListTables", {})["TableNames"]


@pytest.mark.one_door
def test_no_table_is_dropped_if_one_is_protected(db: Store, door: Door) -> None:
    other = named("protected")
    db.create_tables(Table(NAME), Table(other, deletion_protection=True))
    with pytest.raises(
        StoreError, match=f"table '{other}' has deletion protection; no table was dropped"
    ) as caught:
        db.drop_tables(NAME, other)

    assert caught.value.code == "store-table-protected"
    assert {NAME, other} <= set(door.call("ListTables", {})["TableNames"])
    db.ensure_tables(Table(other, deletion_protection=False))
    db.drop_tables(NAME, other)


class Denying:
    """DynamoDB, which rejects one operation after so many of them."""

    def __init__(self, engine: Engine, operation: str, allowed: int) -> None:
        self.engine, self.operation, self.allowed = engine, operation, allowed

    def call(self, operation: str, request: Any) -> dict[str, Any]:
        if operation == self.operation:
            self.allowed -= 1
            if self.allowed < 0:
                raise ServiceError("AccessDeniedException", "You may not.")
        return self.engine.call(operation, request)


@pytest.mark.parametrize(
    ("operation", "use", "completed"),
    [
        (
            "DeleteTable",
            lambda db: db.drop_tables("one", "two", "three"),
            "table 'one': dropped, table 'two': dropped",
        ),
        (
            "CreateTable",
            lambda db: db.create_tables(*map(Table, ("four", "five", "six"))),
            "table 'four': created, table 'five': created",
        ),
        (
            "CreateTable",
            lambda db: db.ensure_tables(*map(Table, ("one", "four", "five", "six"))),
            "table 'four': created, table 'five': created",
        ),
        (
            "UpdateTable",
            lambda db: db.ensure_tables(
                Table("one", indexes=[GSI(name, pk="g1") for name in ("abc", "def", "ghi")])
            ),
            "table 'one': make index 'abc', table 'one': make index 'def'",
        ),
    ],
    ids=["drop", "create", "ensure", "indexes"],
)
def test_an_error_lists_the_completed_changes(operation: str, use: Any, completed: str) -> None:
    with Engine.open() as engine:
        connect(engine).create_tables(*map(Table, ("one", "two", "three")))
        with pytest.raises(AccessDenied) as at_once:
            use(connect(Denying(engine, operation, 0)))
        with pytest.raises(AccessDenied) as later:
            use(connect(Denying(engine, operation, 2)))

        assert at_once.value.expected == ""
        assert later.value.expected == f"Completed before the error: {completed}."


def test_dropping_a_missing_table_raises(db: Store) -> None:
    with pytest.raises(TableMissing, match=f"there is no table '{NAME}'"):
        db.drop_tables(NAME)


@pytest.mark.one_door
@pytest.mark.parametrize("given", [None, "orders", Engine])
def test_a_value_that_is_not_a_table_raises(db: Store, given: Any) -> None:
    for method in (db.create_tables, db.ensure_tables):
        with pytest.raises(DesignError, match="it takes tables"):
            method(given)


# A design whose table is missing, or is another one


def requests(order_class: Any) -> list[Any]:
    return [
        order_class.primary.get(id="1"),
        order_class.primary(id="1"),
        Put(order_class(id="1")),
        order_class.primary.update(id="1").set(total=3),
        order_class.primary.delete(id="1"),
        order_class.scan(),
    ]


def test_a_missing_table_raises_with_the_existing_ones(db: Store) -> None:
    order_class = declared(Table(NAME))
    for request in requests(order_class):
        with pytest.raises(TableMissing) as caught:
            db.run(request)

        error = caught.value
        assert f"there is no table '{NAME}'" in error.problem
        assert error.request == request
        assert "create_tables(...) or ensure_tables(...)" in error.fix
    for other in (
        lambda: db.batch_put(order_class(id="1")),
        lambda: db.batch_get(order_class.primary.get(id="1")),
        lambda: db.transaction(Put(order_class(id="1"))),
        lambda: db.transaction(order_class.primary.get(id="1")),
        lambda: db.count(order_class.primary(id="1")),
        lambda: db.page(order_class.primary(id="1").limit(1)),
    ):
        with pytest.raises(TableMissing, match=f"there is no table '{NAME}'"):
            other()


def test_another_key_schema_is_shown(db: Store) -> None:
    db.create_tables(Table(NAME, pk="key", sk=None))
    for request in requests(declared(Table(NAME)))[:5]:
        with pytest.raises(TableDiffers) as caught:
            db.run(request)

        assert list(caught.value.differences) == [
            "pk: declared 'pk', the table has 'key'",
            "sk: declared 'sk', the table has None",
        ]
        assert (
            f"Table '{NAME}' differs from its declaration:\n  pk: declared 'pk', the table has 'key'"
            in str(caught.value)
        )


def test_keys_of_another_type_are_shown(db: Store) -> None:
    db.create_tables(Table(NAME, pk=N("pk")))
    with pytest.raises(TableDiffers, match="pk: declared"):
        db.put(declared(Table(NAME))(id="1"))


def test_a_missing_index_is_shown(db: Store) -> None:
    db.create_tables(Table(NAME))
    order_class = declared(Table(NAME, indexes=[BY_DAY]))
    query: Query[Any] = order_class.by_day(day="monday")
    for read in (lambda: db.run(query), lambda: db.count(query), lambda: db.page(query.limit(2))):
        with pytest.raises(TableDiffers) as caught:
            read()

        assert list(caught.value.differences) == ["index 'by-day': declared, the table lacks it"]


def test_an_index_with_another_key_is_shown(db: Store) -> None:
    db.create_tables(Table(NAME, indexes=[GSI("by-day", pk="x1", sk="x2")]))
    order_class = declared(Table(NAME, indexes=[BY_DAY]))
    with pytest.raises(TableDiffers, match="index 'by-day'"):
        db.run(order_class.by_day(day="monday"))


def test_a_difference_in_billing_alone_is_ignored(db: Store) -> None:
    db.create_tables(Table(NAME, billing=Provisioned(5, 5)))
    order_class = declared(Table(NAME))
    with pytest.raises(StoreError) as caught:
        db.update(order_class.primary.update(id="1").set(total=1))

    assert caught.value.code == "store-not-found"


# Tables that take their time


def test_creating_a_table_waits_until_it_can_be_used() -> None:
    clock = Clock(0)
    engine = Engine.open(
        clock=clock, delays=Delays(create_table=1, update_table=1, backfill=1, delete_table=1)
    )
    waited: list[str] = []

    def hook(sending: Any) -> None:
        if sending.operation == "DescribeTable":
            waited.append(sending.operation)
            clock.advance(0.5)

    with engine, connect(engine, hooks=[hook]) as db:
        table = Table("orders")
        db.create_tables(table)
        assert engine.call("DescribeTable", {"TableName": "orders"})["Table"]["TableStatus"] == "ACTIVE"
        db.ensure_tables(Table("orders", indexes=[BY_DAY, GSI("by-two", pk="t1")]))
        states = engine.call("DescribeTable", {"TableName": "orders"})["Table"]["GlobalSecondaryIndexes"]
        assert [each["IndexStatus"] for each in states] == ["ACTIVE", "ACTIVE"]
        db.drop_tables("orders")
        assert engine.call("ListTables", {})["TableNames"] == []
    assert len(waited) > 6


@pytest.mark.one_door
def test_a_table_that_is_passed_twice_is_created_once() -> None:
    table = Table("twice", ttl="exp")
    with connect("memory:") as db:
        db.create_tables(table, table)

        ttl = db.client.call("DescribeTimeToLive", {"TableName": "twice"})
        assert ttl["TimeToLiveDescription"]["AttributeName"] == "exp"
        with pytest.raises(DesignError, match="two different tables have the name 'twice'"):
            db.ensure_tables(table, Table("twice"))
