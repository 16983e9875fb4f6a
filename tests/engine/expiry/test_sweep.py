"""Expired items are deleted with their index entries, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Delays, Engine
from pksk.engine.sweeper import Sweeper, _delete_expired

from .sessions import NAME, START, Sessions

FIVE_YEARS = 5 * 365 * 24 * 3600


@pytest.fixture(params=["memory", "file"])
def sessions(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sessions]:
    opened = Sessions(":memory:" if request.param == "memory" else tmp_path / "tables.db")
    yield opened
    opened.engine.close()


def test_an_item_is_deleted_in_the_second_at_which_it_expires(sessions: Sessions) -> None:
    sessions.put("early", 60)
    sessions.put("late", 61)
    sessions.put("never")
    assert sessions.engine.expire() == 0

    sessions.clock.advance(60)

    assert sessions.engine.expire() == 1
    assert sessions.names() == ["late", "never"]
    sessions.clock.advance(1)
    assert sessions.engine.expire() == 1
    assert sessions.names() == ["never"]


def test_an_expired_item_is_removed_from_indexes(sessions: Sessions) -> None:
    sessions.put("a", 60, user="ann", day="monday")
    sessions.put("b", 90, user="ann", day="monday")

    sessions.clock.advance(60)
    sessions.engine.expire()

    assert sessions.names("by-user") == sessions.names("by-day") == ["b"]
    described = sessions.call("DescribeTable")["Table"]
    assert described["ItemCount"] == described["GlobalSecondaryIndexes"][0]["ItemCount"] == 1


def test_the_stream_record_names_the_service_that_deleted_the_item(sessions: Sessions) -> None:
    sessions.put("a", 60)
    sessions.call("DeleteItem", {"Key": {"pk": {"S": "a"}, "sk": {"S": "1"}}})
    sessions.put("a", 60)

    sessions.clock.advance(60)
    sessions.engine.expire()

    events = [(record["eventName"], record.get("userIdentity")) for record in sessions.records()]
    service = {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}
    assert events == [("INSERT", None), ("REMOVE", None), ("INSERT", None), ("REMOVE", service)]
    assert sessions.records()[-1]["dynamodb"]["OldImage"]["until"] == {"N": str(START + 60)}


@pytest.mark.parametrize(
    "until",
    [
        {"S": str(START)},
        {"N": f"{START}.5"},
        {"N": "1e30"},
        {"N": "0.5"},
        {"NS": [str(START)]},
        {"L": [{"N": str(START)}]},
        {"NULL": True},
        {"BOOL": True},
        -FIVE_YEARS - 1,
        {"N": "0"},
        {"N": "-5"},
    ],
    ids=repr,
)
def test_a_value_that_is_not_a_second_of_the_last_five_years_is_ignored(until: Any) -> None:
    sessions = Sessions()
    sessions.put("a", until)

    sessions.clock.advance(1)

    assert sessions.engine.expire() == 0
    assert sessions.names() == ["a"]


def test_items_that_expired_within_five_years_are_deleted() -> None:
    sessions = Sessions()
    sessions.put("a", -FIVE_YEARS)

    assert sessions.engine.expire() == 1


@pytest.mark.parametrize("value", ["1.79e9", "1790000000.0", "+1790000000", "01790000000"])
def test_a_ttl_value_can_have_any_number_format(value: str) -> None:
    sessions = Sessions()
    sessions.put("a", {"N": value})

    assert sessions.engine.expire() == 1


def test_an_update_that_extends_the_life_keeps_the_item(sessions: Sessions) -> None:
    sessions.put("a", 60)
    sessions.call(
        "UpdateItem",
        {
            "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}},
            "UpdateExpression": "SET #u = :u",
            "ExpressionAttributeNames": {"#u": "until"},
            "ExpressionAttributeValues": {":u": {"N": str(START + 120)}},
        },
    )

    sessions.clock.advance(60)

    assert sessions.engine.expire() == 0
    sessions.clock.advance(60)
    assert sessions.engine.expire() == 1


def test_items_that_exist_when_ttl_is_enabled_expire(sessions: Sessions) -> None:
    sessions.enable(enabled=False)
    sessions.put("a", 60)
    sessions.enable()

    sessions.clock.advance(60)

    assert sessions.engine.expire() == 1


def test_nothing_expires_after_ttl_is_disabled(sessions: Sessions) -> None:
    sessions.put("a", 60)
    sessions.enable(enabled=False)

    sessions.clock.advance(60)

    assert sessions.engine.expire() == 0
    assert sessions.expiry_rows() == []


def test_ttl_can_be_enabled_with_another_attribute_later(sessions: Sessions) -> None:
    sessions.put("a", 60)
    sessions.call("PutItem", {"Item": {"pk": {"S": "b"}, "sk": {"S": "1"}, "other": {"N": str(START)}}})
    sessions.enable(enabled=False)
    sessions.enable(attribute="other")

    sessions.clock.advance(60)

    assert sessions.engine.expire() == 1
    assert sessions.names() == ["a"]


def test_items_expire_only_once_ttl_is_enabled() -> None:
    sessions = Sessions(delays=Delays(update_table=3600))
    sessions.put("a", 60)

    sessions.clock.advance(60)
    assert sessions.engine.expire() == 0
    sessions.clock.advance(3540)

    assert sessions.engine.expire() == 1


def test_deletion_can_be_delayed() -> None:
    sessions = Sessions(delays=Delays(expiry=3600))
    sessions.put("a", 60)

    sessions.clock.advance(3659)
    assert sessions.engine.expire() == 0
    sessions.clock.advance(1)

    assert sessions.engine.expire() == 1


def test_an_item_is_not_deleted_if_the_clock_goes_back() -> None:
    sessions = Sessions()
    sessions.put("a", 60)
    sessions.clock.advance(60)
    sessions.clock.set(START)
    sessions.engine.expire()

    sessions.put("b", 60)

    assert sessions.engine.expire() == 0
    assert sessions.names()[-1] == "b"


def test_many_items_are_deleted_in_batches(sessions: Sessions) -> None:
    for number in range(130):
        sessions.put(f"{number:03}", 60 + number % 3, user="ann")
    sessions.put("stays", 90)

    sessions.clock.advance(62)

    assert sessions.engine.expire() == 130
    assert sessions.names() == ["stays"]
    assert len(sessions.expiry_rows()) == 1


def test_expiry_survives_reopening(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path / "tables.db")
    sessions.put("a", 60)
    sessions.put("b", 90)

    sessions.reopen()
    sessions.clock.advance(60)

    assert sessions.engine.expire() == 1
    assert sessions.names() == ["b"]
    sessions.engine.close()


def test_a_deleted_table_leaves_nothing_to_expire(sessions: Sessions) -> None:
    sessions.put("a", 60)
    expiry = sessions.engine._core.catalogue.table(NAME).expiry
    assert expiry is not None

    sessions.call("DeleteTable")
    sessions.clock.advance(60)

    assert sessions.engine.expire() == 0
    with sessions.engine._core.storage.reading() as reader, pytest.raises(Exception, match="does not exist"):
        list(reader.rows(expiry.space, b"", None))


def test_deleting_costs_no_units(sessions: Sessions) -> None:
    for name in "abc":
        sessions.put(name, 60, user="ann")
    before = sessions.engine.heat()

    sessions.clock.advance(60)
    sessions.engine.expire()

    assert sessions.engine.heat() == before


def test_items_of_a_transaction_wait_for_the_next_sweep() -> None:
    sessions = Sessions(conflicts=True)
    sessions.put("a", 60)
    sessions.put("b", 60)
    core = sessions.engine._core
    table = core.catalogue.table(NAME)
    with core.storage.reading() as reader:
        held = next(iter(reader.rows(table.layout.space, b"", None))).key

    with core.conflicts.hold_for_transaction([(table.layout.space, held)]):
        sessions.clock.advance(60)
        assert sessions.engine.expire() == 1

    assert sessions.engine.expire() == 1
    assert sessions.names() == []


def test_an_engine_without_ttl_tables_has_no_sweeper_thread() -> None:
    sessions = Sessions(enabled=False)
    sweeper = sessions.engine._core.sweeper
    assert isinstance(sweeper, Sweeper)

    assert sweeper._thread is None
    assert sessions.engine.expire() == 0


def test_expiring_with_a_closed_engine_fails() -> None:
    engine = Engine.open()
    engine.close()

    with pytest.raises(ServiceError, match=r"InternalServerError: The storage is closed\."):
        engine.expire()


def test_an_item_extended_during_the_sweep_is_kept(sessions: Sessions) -> None:
    """Work between finding expired items and deleting them, one step after another."""
    sessions.put("a", 60)
    sessions.put("b", 60)
    core = sessions.engine._core
    table = core.catalogue.table(NAME)
    assert table.expiry is not None
    keys = sessions.expiry_rows()

    sessions.call("UpdateItem", _extension("a"))

    assert _delete_expired(core, table, table.expiry, keys) == 1
    assert sessions.names() == ["a"]


def test_a_concurrent_sweep_never_deletes_an_extended_item(sessions: Sessions) -> None:
    """Threads that extend the life of expired items right when they are swept: none that was extended is gone."""
    extended: set[str] = set()

    def extend(first: int) -> None:
        for number in range(first, 60, 2):
            try:
                sessions.call("UpdateItem", _extension(f"{number:02}"))
                extended.add(f"{number:02}")
            except ServiceError as error:
                if error.code != "ConditionalCheckFailedException":
                    raise

    for number in range(60):
        sessions.put(f"{number:02}", 60, user="ann")
    threads = [Thread(target=extend, args=(first,)) for first in range(2)]
    for thread in threads:
        thread.start()
    sessions.clock.advance(60)
    deleted = sessions.engine.expire()
    for thread in threads:
        thread.join()
    deleted += sessions.engine.expire()

    assert set(sessions.names()) == set(sessions.names("by-user")) == extended
    assert deleted == 60 - len(extended)
    assert len(sessions.expiry_rows()) == len(extended)


def _extension(pk: str) -> dict[str, Any]:
    return {
        "Key": {"pk": {"S": pk}, "sk": {"S": "1"}},
        "UpdateExpression": "SET #u = :u",
        "ConditionExpression": "attribute_exists(pk)",
        "ExpressionAttributeNames": {"#u": "until"},
        "ExpressionAttributeValues": {":u": {"N": str(START + 1000)}},
    }
