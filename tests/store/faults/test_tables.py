"""Tables under faults: created once, changed, and dropped only on request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from tests.store.timed import BeforeCall

SMALL = Table("small", ttl="until")
LARGE = Table("small", ttl="until", indexes=[GSI("other", pk="g1")], stream=True)

plans = st.lists(st.sampled_from(FAULTS), max_size=10)
retries = st.builds(Retry, attempts=st.integers(1, 4))


def begun(*, there: bool) -> Engine:
    engine = Engine.open()
    if there:
        Patient(engine).create_tables(SMALL)
    return engine


def state_of(engine: Engine) -> Any:
    """What there is: nothing, or what of a table was declared."""
    if not engine.call("ListTables", {})["TableNames"]:
        return None
    found = engine.call("DescribeTable", {"TableName": "small"})["Table"]
    ttl = engine.call("DescribeTimeToLive", {"TableName": "small"})["TimeToLiveDescription"]
    indexes = [each["IndexName"] for each in found.get("GlobalSecondaryIndexes", ())]
    return indexes, bool(found.get("LatestStreamArn")), ttl.get("AttributeName")


OPERATIONS: dict[str, tuple[bool, Callable[[Store], Any]]] = {
    "create": (False, lambda db: db.create_tables(SMALL)),
    "create what is there": (True, lambda db: db.create_tables(SMALL)),
    "ensure": (False, lambda db: db.ensure_tables(LARGE)),
    "ensure what is there": (True, lambda db: db.ensure_tables(SMALL)),
    "ensure what differs": (True, lambda db: db.ensure_tables(LARGE)),
    "drop": (True, lambda db: db.drop_tables("small")),
    "drop a missing table": (False, lambda db: db.drop_tables("small")),
}


@given(name=st.sampled_from(sorted(OPERATIONS)), plan=plans, chance=st.integers(0, 99), retry=retries)
def test_tables_are_created_changed_and_dropped_once(
    name: str, plan: list[str], chance: int, retry: Retry
) -> None:
    there, operation = OPERATIONS[name]
    twin, engine = begun(there=there), begun(there=there)
    expected = run(lambda: operation(Patient(twin)))
    before = state_of(engine)
    faulty = Faulty(engine, plan, chance=chance)

    ending = run(lambda: operation(Patient(faulty, retry=retry)))
    faulty.settle()

    if isinstance(expected, Exception):
        assert state_of(engine) == before == state_of(twin)
        # A missing table counts as dropped, by any client.
        gone = ending is None and "drop" in name and faulty.open
        assert gone or isinstance(
            ending, (type(expected), OutcomeUnknown, RequestThrottled, ServiceUnreachable, RequestRejected)
        )
    elif isinstance(ending, (OutcomeUnknown, RequestThrottled, ServiceUnreachable, RequestRejected)):
        # Several requests, of which the first may have been done, or been rejected as it was delayed.
        assert not isinstance(ending, RequestRejected) or faulty.open or "denied" in faulty.met
    else:
        assert not isinstance(ending, Exception)
        assert state_of(engine) == state_of(twin)


def test_a_table_that_may_have_existed_before_is_not_taken_for_a_new_one() -> None:
    for there in (False, True):
        ending = run(lambda there=there: Patient(Faulty(begun(there=there), ["lost"])).create_tables(SMALL))  # type: ignore[misc]

        assert isinstance(ending, OutcomeUnknown)
        assert "exists; it is unknown whether this call created it" in ending.problem


def test_ensure_tables_continues_if_an_unanswered_attempt_created_the_table() -> None:
    engine = begun(there=False)

    Patient(Faulty(engine, ["none", "none", "lost"])).ensure_tables(LARGE)

    assert state_of(engine) == (["other"], True, "until")


@pytest.mark.parametrize("attribute", ["until", "expires"])
def test_a_ttl_enabled_by_another_process_is_accepted_if_it_is_the_declared_one(attribute: str) -> None:
    def enable_first(operation: str, request: Mapping[str, Any]) -> None:
        if operation == "UpdateTimeToLive":
            specification = {"Enabled": True, "AttributeName": attribute}
            engine.call(operation, {**request, "TimeToLiveSpecification": specification})

    engine = Engine.open()
    ending = run(lambda: Patient(BeforeCall(engine, enable_first)).create_tables(SMALL))

    assert isinstance(ending, RequestRejected) is (attribute == "expires")
    assert state_of(engine) == ([], False, attribute)


@given(st.data())
def test_two_processes_may_ensure_the_same_table(data: st.DataObject) -> None:
    engine = begun(there=data.draw(st.booleans()))
    runs: list[Any] = [ensure_tables(Core(), (LARGE,), destructive=False) for _ in range(2)]
    endings = interleaved(engine, runs, lambda most: data.draw(st.integers(0, most - 1)))

    # What one has begun to change, the other one may find taken; it says so in the service's words.
    assert any(isinstance(each, list) for each in endings)
    assert all(isinstance(each, (list, RequestRejected)) for each in endings), endings
    assert state_of(engine) == (["other"], True, "until")


def test_a_drop_without_an_answer_is_not_sent_again() -> None:
    engine = begun(there=True)
    faulty = Faulty(engine, ["dropped"])

    ending = run(lambda: Patient(faulty).drop_tables("small"))

    assert isinstance(ending, OutcomeUnknown)
    assert faulty.sent.count("DeleteTable") == 1
    assert state_of(engine) is not None


def test_a_drop_that_was_done_without_an_answer_is_seen() -> None:
    engine = begun(there=True)

    Patient(Faulty(engine, ["lost"])).drop_tables("small")

    assert state_of(engine) is None


def test_an_existing_table_is_named() -> None:
    with pytest.raises(StoreError, match="already exists") as caught:
        Patient(begun(there=True)).create_tables(SMALL)

    assert caught.value.code == "store-table-exists"
