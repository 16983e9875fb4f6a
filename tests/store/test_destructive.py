"""What `ensure_tables` takes away only where it is told to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from pksk import GSI, Clock, Engine, RequestRejected, ServiceError, Store, Table, TableDiffers, connect
from tests.store.timed import Told, slow_engine, timed

BY_DAY = GSI("by-day", pk="day")


def _made(table: Table) -> Store:
    db = connect("memory:")
    db.create_tables(table)
    return db


def test_a_stream_that_is_not_declared_stays() -> None:
    with _made(Table("shop", stream=True)) as db:
        done = db.ensure_tables(Table("shop"))
        described = db.client.call("DescribeTable", {"TableName": "shop"})["Table"]

    assert (done, described["StreamSpecification"]["StreamEnabled"]) == ([], True)


def test_a_stream_that_is_not_declared_goes_where_it_may() -> None:
    with _made(Table("shop", stream=True)) as db:
        done = db.ensure_tables(Table("shop"), destructive=True)

    assert done == ["table 'shop': switch the stream of 'NEW_AND_OLD_IMAGES' off"]


@pytest.mark.parametrize(
    ("there", "declared"),
    [
        (Table("shop", indexes=[BY_DAY]), Table("shop", indexes=[GSI("by-day", pk="other")])),
        (
            Table("shop", indexes=[BY_DAY]),
            Table("shop", indexes=[GSI("by-day", pk="day", projection="keys")]),
        ),
        (Table("shop", stream=True), Table("shop", stream="KEYS_ONLY")),
    ],
)
def test_what_must_be_made_again_is_refused_unless_it_may_go(there: Table, declared: Table) -> None:
    with _made(there) as db:
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
    told = engine.call("DescribeTimeToLive", {"TableName": "shop"})["TimeToLiveDescription"]
    return told["TimeToLiveStatus"], told.get("AttributeName")


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


def test_another_attribute_to_expire_by_is_refused_before_anything_is_changed(
    engine: Engine, clock: Clock
) -> None:
    with pytest.raises(TableDiffers) as caught:
        timed(engine, clock).ensure_tables(Table("other"), Table("shop", ttl="exp2", indexes=[BY_DAY]))

    assert list(caught.value.differences) == ["ttl: declared 'exp2', the table has 'exp'"]
    assert caught.value.fix == (
        "declare it as it is, or allow the change: ensure_tables(..., destructive=True). "
        "AWS allows one TTL change per hour: nothing expires until you repeat the call an hour later."
    )
    assert _expiry(engine) == ("ENABLED", "exp")
    assert engine.call("ListTables", {})["TableNames"] == ["shop"]


def test_where_an_index_must_go_too_both_are_told() -> None:
    with _made(Table("shop", ttl="exp", indexes=[BY_DAY])) as db, pytest.raises(TableDiffers) as caught:
        db.ensure_tables(Table("shop", ttl="exp2", indexes=[GSI("by-day", pk="other")]))

    assert len(caught.value.differences) == 2
    assert "give the changed index another name" in caught.value.fix
    assert "nothing expires" in caught.value.fix


def test_another_attribute_is_changed_by_two_calls_an_hour_apart(engine: Engine, clock: Clock) -> None:
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


def test_programs_that_start_within_the_hour_start(engine: Engine, clock: Clock) -> None:
    db = timed(engine, clock)
    db.ensure_tables(NEW, destructive=True)
    for status in ("DISABLING", "DISABLED"):
        assert _expiry(engine)[0] == status
        assert db.ensure_tables(NEW) == [f"table 'shop': not yet: let items expire by 'exp2'; {NOT_YET}"]
        clock.advance(60)

    clock.advance(3600)
    assert db.ensure_tables(NEW) == ["table 'shop': let items expire by 'exp2'"]
    assert _expiry(engine)[1] == "exp2"


def test_what_was_switched_on_within_the_hour_is_not_switched_off_yet(engine: Engine, clock: Clock) -> None:
    db, there = timed(engine, clock), Table("new", ttl="exp")
    db.create_tables(there)
    done = db.ensure_tables(Table("new", ttl="exp2"), destructive=True)

    assert done == [f"table 'new': not yet: let items expire by 'exp' no longer; {NOT_YET}"]
    assert db.ensure_tables(there) == []


def test_while_a_change_is_under_way_it_is_not_yet_whatever_the_words_are(
    engine: Engine, clock: Clock
) -> None:
    def refusing(operation: str, request: Mapping[str, Any]) -> None:
        if operation == "UpdateTimeToLive":
            raise ServiceError("ValidationException", "TimeToLive is being modified")

    timed(engine, clock).ensure_tables(NEW, destructive=True)
    store = timed(Told(engine, refusing), clock)

    assert len(store.ensure_tables(NEW)) == 1
    clock.advance(60)
    with pytest.raises(RequestRejected, match="being modified"):
        store.ensure_tables(NEW)
