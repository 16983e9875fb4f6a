"""Tables under faults: made once, brought in line, and dropped only where that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk import (
    GSI,
    Engine,
    OutcomeUnknown,
    RequestRejected,
    RequestThrottled,
    Retry,
    ServiceUnreachable,
    Store,
    StoreError,
    Table,
)
from pksk.store import Core
from pksk.store.tables import ensure_tables
from tests.store.faults.faulty import FAULTS, Faulty
from tests.store.faults.harness import Patient, run
from tests.store.faults.interleaved import interleaved

SMALL = Table("small", ttl="until")
LARGE = Table("small", ttl="until", indexes=[GSI("other", pk="g1")], stream=True)

plans = st.lists(st.sampled_from(FAULTS), max_size=10)
retries = st.builds(Retry, attempts=st.integers(1, 4))


def begun(*, there: bool) -> Engine:
    engine = Engine.open()
    if there:
        Patient(engine).create_tables(SMALL)
    return engine


def told(engine: Engine) -> Any:
    """What there is: nothing, or what of a table was declared."""
    if not engine.call("ListTables", {})["TableNames"]:
        return None
    found = engine.call("DescribeTable", {"TableName": "small"})["Table"]
    ttl = engine.call("DescribeTimeToLive", {"TableName": "small"})["TimeToLiveDescription"]
    indexes = [each["IndexName"] for each in found.get("GlobalSecondaryIndexes", ())]
    return indexes, bool(found.get("LatestStreamArn")), ttl.get("AttributeName")


VERBS: dict[str, tuple[bool, Callable[[Store], Any]]] = {
    "create": (False, lambda db: db.create_tables(SMALL)),
    "create what is there": (True, lambda db: db.create_tables(SMALL)),
    "ensure": (False, lambda db: db.ensure_tables(LARGE)),
    "ensure what is there": (True, lambda db: db.ensure_tables(SMALL)),
    "ensure what differs": (True, lambda db: db.ensure_tables(LARGE)),
    "drop": (True, lambda db: db.drop_tables("small")),
    "drop what is not there": (False, lambda db: db.drop_tables("small")),
}


@given(name=st.sampled_from(sorted(VERBS)), plan=plans, chance=st.integers(0, 99), retry=retries)
def test_tables_are_made_changed_and_dropped_once(
    name: str, plan: list[str], chance: int, retry: Retry
) -> None:
    there, verb = VERBS[name]
    twin, engine = begun(there=there), begun(there=there)
    expected = run(lambda: verb(Patient(twin)))
    before = told(engine)
    faulty = Faulty(engine, plan, chance=chance)

    ending = run(lambda: verb(Patient(faulty, retry=retry)))
    faulty.settle()

    if isinstance(expected, Exception):
        assert told(engine) == before == told(twin)
        # A table that is gone is gone, whoever has dropped it.
        gone = ending is None and "drop" in name and faulty.open
        assert gone or isinstance(
            ending, (type(expected), OutcomeUnknown, RequestThrottled, ServiceUnreachable, RequestRejected)
        )
    elif isinstance(ending, (OutcomeUnknown, RequestThrottled, ServiceUnreachable, RequestRejected)):
        # Several requests, of which the first may have been done, or been refused since it was delayed.
        assert not isinstance(ending, RequestRejected) or faulty.open or "denied" in faulty.met
    else:
        assert not isinstance(ending, Exception)
        assert told(engine) == told(twin)


def test_a_table_that_may_have_been_there_before_is_not_taken_for_a_new_one() -> None:
    for there in (False, True):
        ending = run(lambda there=there: Patient(Faulty(begun(there=there), ["lost"])).create_tables(SMALL))  # type: ignore[misc]

        assert isinstance(ending, OutcomeUnknown)
        assert "exists; it is unknown whether this call created it" in ending.problem


def test_ensuring_goes_on_where_a_lost_attempt_has_made_the_table() -> None:
    engine = begun(there=False)

    Patient(Faulty(engine, ["none", "none", "lost"])).ensure_tables(LARGE)

    assert told(engine) == (["other"], True, "until")


@given(st.data())
def test_two_processes_may_ensure_the_same_table(data: st.DataObject) -> None:
    engine = begun(there=data.draw(st.booleans()))
    runs: list[Any] = [ensure_tables(Core(), (LARGE,), destructive=False) for _ in range(2)]
    endings = interleaved(engine, runs, lambda most: data.draw(st.integers(0, most - 1)))

    # What one has begun to change, the other one may find taken; it says so in the service's words.
    assert any(isinstance(each, list) for each in endings)
    assert all(isinstance(each, (list, RequestRejected)) for each in endings), endings
    assert told(engine) == (["other"], True, "until")


def test_a_drop_without_an_answer_is_not_sent_again() -> None:
    engine = begun(there=True)
    faulty = Faulty(engine, ["dropped"])

    ending = run(lambda: Patient(faulty).drop_tables("small"))

    assert isinstance(ending, OutcomeUnknown)
    assert faulty.sent.count("DeleteTable") == 1
    assert told(engine) is not None


def test_a_drop_that_was_done_without_an_answer_is_seen() -> None:
    engine = begun(there=True)

    Patient(Faulty(engine, ["lost"])).drop_tables("small")

    assert told(engine) is None


def test_a_table_that_is_there_is_named() -> None:
    with pytest.raises(StoreError, match="already exists") as caught:
        Patient(begun(there=True)).create_tables(SMALL)

    assert caught.value.code == "store-table-exists"
