"""What `ensure_tables` removes only with destructive=True."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from pksk import GSI, Clock, Engine, RequestRejected, ServiceError, Store, Table, TableDiffers, connect
from tests.store.timed import BeforeCall, slow_engine, timed

BY_DAY = GSI("by-day", pk="day")


def _made(table: Table) -> Store:
    db = connect("memory:")
    db.create_tables(table)
    return db


@pytest.mark.parametrize(
    ("stored", "change"),
    [
        (Table("shop", stream=True), "stream"),
        (Table("shop", ttl="until"), "'until'"),
    ],
    ids=["stream", "ttl"],
)
def test_an_undeclared_stream_or_ttl_is_only_removed_if_destructive(stored: Table, change: str) -> None:
    with _made(stored) as db:
        before = db.client.call("DescribeTable", {"TableName": "shop"})

        assert db.ensure_tables(Table("shop")) == []
        assert db.client.call("DescribeTable", {"TableName": "shop"}) == before
        (done,) = db.ensure_tables(Table("shop"), destructive=True)
        assert change in done
        assert db.ensure_tables(Table("shop"), destructive=True) == []


@pytest.mark.parametrize(
    ("stored", "declared"),
    [
        (Table("shop", indexes=[BY_DAY]), Table("shop", indexes=[GSI("by-day", pk="other")])),
        (
            Table("shop", indexes=[BY_DAY]),
            Table("shop", indexes=[GSI("by-day", pk="day", projection="keys")]),
        ),
        (Table("shop", stream=True), Table("shop", stream="KEYS_ONLY")),
    ],
)
def test_recreating_an_index_needs_destructive(stored: Table, declared: Table) -> None:
    with _made(stored) as db:
        before = db.client.call("DescribeTable", {"TableName": "shop"})
        with pytest.raises(TableDiffers, match="destructive=True"):
            db.ensure_tables(Table("other"), declared)
        after = db.client.call("DescribeTable", {"TableName": "shop"})
        made = db.client.call("ListTables", {})["TableNames"]
        done = db.ensure_tables(declared, destructive=True)

        assert (before, made) == (after, ["shop"])
        assert len(done) == 2
        assert db.ensure_tables(declared) == []


# Time to live: AWS allows one change per hour

OLD, NEW = Table("shop", ttl="exp"), Table("shop", ttl="exp2")
NOT_YET = "AWS allows one TTL change per hour; repeat this call in an hour"


def _expiry(engine: Engine) -> tuple[str, str | None]:
    answer = engine.call("DescribeTimeToLive", {"TableName": "shop"})["TimeToLiveDescription"]
    return answer["TimeToLiveStatus"], answer.get("AttributeName")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    """An engine that allows one TTL change per hour, with a table whose TTL attribute has been 'exp'."""
    with slow_engine(clock) as engine:
        timed(engine, clock).create_tables(OLD)
        clock.advance(3600)
        yield engine


def test_another_ttl_attribute_raises_before_any_change(engine: Engine, clock: Clock) -> None:
    with pytest.raises(TableDiffers) as caught:
        timed(engine, clock).ensure_tables(Table("other"), Table("shop", ttl="exp2", indexes=[BY_DAY]))

    assert list(caught.value.differences) == ["ttl: declared 'exp2', the table has 'exp'"]
    assert caught.value.fix == (
        "declare it as it is, or allow the change: ensure_tables(..., destructive=True). "
        "AWS allows one TTL change per hour: nothing expires until you repeat the call an hour later."
    )
    assert _expiry(engine) == ("ENABLED", "exp")
    assert engine.call("ListTables", {})["TableNames"] == ["shop"]


def test_the_error_names_both_the_index_and_the_ttl() -> None:
    with _made(Table("shop", ttl="exp", indexes=[BY_DAY])) as db, pytest.raises(TableDiffers) as caught:
        db.ensure_tables(Table("shop", ttl="exp2", indexes=[GSI("by-day", pk="other")]))

    assert len(caught.value.differences) == 2
    assert "give the changed index another name" in caught.value.fix
    assert "nothing expires" in caught.value.fix


def test_another_ttl_attribute_takes_two_calls_an_hour_apart(engine: Engine, clock: Clock) -> None:
    db, wanted = timed(engine, clock), Table("shop", ttl="exp2", indexes=[BY_DAY])
    first = db.ensure_tables(wanted, Table("other"), destructive=True)

    assert first == [
        "table 'shop': make index 'by-day'",
        "table 'shop': let items expire by 'exp' no longer",
        "table 'other': created",
        f"table 'shop': not yet: let items expire by 'exp2'; {NOT_YET}",
    ]
    clock.advance(3600)
    assert db.ensure_tables(wanted, destructive=True) == ["table 'shop': let items expire by 'exp2'"]
    assert db.ensure_tables(wanted, destructive=True) == []


def test_a_program_with_the_new_ttl_starts_within_the_hour(engine: Engine, clock: Clock) -> None:
    db = timed(engine, clock)
    db.ensure_tables(NEW, destructive=True)
    for status in ("DISABLING", "DISABLED"):
        assert _expiry(engine)[0] == status
        assert db.ensure_tables(NEW) == [f"table 'shop': not yet: let items expire by 'exp2'; {NOT_YET}"]
        clock.advance(60)

    clock.advance(3600)
    assert db.ensure_tables(NEW) == ["table 'shop': let items expire by 'exp2'"]
    assert _expiry(engine)[1] == "exp2"


def test_a_ttl_enabled_within_the_hour_is_not_disabled_yet(engine: Engine, clock: Clock) -> None:
    db, there = timed(engine, clock), Table("new", ttl="exp")
    db.create_tables(there)
    done = db.ensure_tables(Table("new", ttl="exp2"), destructive=True)

    assert done == [f"table 'new': not yet: let items expire by 'exp' no longer; {NOT_YET}"]
    assert db.ensure_tables(there) == []


def test_a_ttl_change_in_progress_raises_whatever_the_message_is(engine: Engine, clock: Clock) -> None:
    def rejecting(operation: str, request: Mapping[str, Any]) -> None:
        if operation == "UpdateTimeToLive":
            raise ServiceError("ValidationException", "TimeToLive is being modified")

    timed(engine, clock).ensure_tables(NEW, destructive=True)
    store = timed(BeforeCall(engine, rejecting), clock)

    assert len(store.ensure_tables(NEW)) == 1
    clock.advance(60)
    with pytest.raises(RequestRejected, match="being modified"):
        store.ensure_tables(NEW)


def test_a_permanently_rejected_table_change_raises() -> None:
    engine = Engine.open()

    class RejectsTimeToLive:
        def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
            if operation == "UpdateTimeToLive":
                return engine.call("UpdateTimeToLive", {**request, "TableName": "x"})
            return engine.call(operation, request)

    db = connect(RejectsTimeToLive())
    db.create_tables(Table("many"))

    with pytest.raises(RequestRejected):
        db.ensure_tables(Table("many", ttl="x"))
