"""Under any fault, a write is applied once or not at all, and its error says which."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk import (
    OutcomeUnknown,
    RequestRejected,
    RequestThrottled,
    Retry,
    ServiceUnreachable,
    TransactionFailed,
    WriteConflict,
)
from tests.store.faults.design import Note
from tests.store.faults.faulty import FAULTS, Faulty
from tests.store.faults.harness import THOROUGH, Patient, begun, items, run, twin
from tests.store.faults.operations import REJECTED, WRITES

NOT_DONE = (RequestThrottled, ServiceUnreachable, WriteConflict, RequestRejected)

plans = st.lists(st.sampled_from(("none", "none", "none", *FAULTS)), max_size=10)
retries = st.builds(Retry, attempts=st.integers(1, 4), conflict_attempts=st.integers(1, 6))


@THOROUGH
@given(
    name=st.sampled_from(sorted(WRITES)),
    plan=plans,
    chance=st.integers(0, 99),
    bare=st.booleans(),
    retry=retries,
)
def test_a_write_is_applied_at_most_once_as_its_result_tells(
    name: str, plan: list[str], chance: int, bare: bool, retry: Retry
) -> None:
    before, after, expected = twin(WRITES[name])
    engine = begun()
    faulty = Faulty(engine, plan, chance=chance, bare=bare)

    ending = run(lambda: WRITES[name](Patient(faulty, retry=retry)))
    faulty.settle()
    stored = items(engine)

    if isinstance(ending, OutcomeUnknown):
        assert stored in ((before, after) if faulty.open else (after,))
    elif isinstance(ending, NOT_DONE):
        assert stored == before
    else:
        assert (ending, stored) == (expected, after)


@THOROUGH
@given(
    name=st.sampled_from(sorted(REJECTED)),
    plan=plans,
    chance=st.integers(0, 99),
    bare=st.booleans(),
    busy=st.booleans(),
    retry=retries,
)
def test_a_rejected_write_changes_nothing_and_raises_the_reason(
    name: str, plan: list[str], chance: int, bare: bool, busy: bool, retry: Retry
) -> None:
    before, after, expected = twin(REJECTED[name])
    engine = begun()
    faulty = Faulty(engine, plan, chance=chance, bare=bare, busy=busy)

    ending = run(lambda: REJECTED[name](Patient(faulty, retry=retry)))
    faulty.settle()

    assert items(engine) == before == after
    if isinstance(ending, OutcomeUnknown):
        assert faulty.open
    elif not isinstance(ending, NOT_DONE):
        assert kinds(ending) == kinds(expected)
        # No read serves only to show the item in a message.
        assert bare or getattr(ending, "item", None) == getattr(expected, "item", None)


def test_a_deletion_whose_retry_finds_no_item_may_have_deleted_it() -> None:
    engine = begun()

    ending = run(lambda: Patient(Faulty(engine, ["lost"])).delete(Note.primary.delete(id="1")))

    assert isinstance(ending, OutcomeUnknown)
    assert ending.code == "store-outcome-unknown"
    assert "the item is gone" in ending.problem
    assert "NOTE#1 META" not in items(engine)


def kinds(error: Any) -> Any:
    """The class of an error; of a transaction, that of each member's."""
    if isinstance(error, TransactionFailed):
        return {place: kinds(each) for place, each in error.failures.items()}
    return type(error), getattr(error, "code", None)


@pytest.mark.parametrize("name", sorted(WRITES))
def test_each_write_of_these_tests_changes_something_without_faults(name: str) -> None:
    before, after, ending = twin(WRITES[name])

    assert not isinstance(ending, Exception)
    assert (before != after) is not any(
        word in name for word in ("delete a missing item", "was drawn", "delete an expired item")
    )
