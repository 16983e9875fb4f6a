"""Batches under faults: members reported as processed are, and unprocessed ones can be sent again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pksk import (
    BatchIncomplete,
    Delete,
    OutcomeUnknown,
    Put,
    RequestRejected,
    RequestThrottled,
    Retry,
    ServiceUnreachable,
    WriteConflict,
)
from tests.store.faults.design import Page
from tests.store.faults.faulty import FAULTS, Faulty
from tests.store.faults.harness import THOROUGH, Patient, begun, items, run, twin
from tests.store.faults.operations import BATCHES

BATCH_FAULTS = (*FAULTS, "part", "part", "nothing")
plans = st.lists(st.sampled_from(BATCH_FAULTS), max_size=16)
retries = st.builds(Retry, attempts=st.integers(1, 4))
workers = st.sampled_from((1, 4))


@THOROUGH
@given(
    name=st.sampled_from(sorted(BATCHES)),
    plan=plans,
    chance=st.integers(0, 999),
    retry=retries,
    workers=workers,
)
@example("batch_put over other items", ["late", "nothing", "denied"], 0, Retry(attempts=2), 1)
def test_a_batch_is_complete_or_lists_unprocessed_members(
    name: str, plan: list[str], chance: int, retry: Retry, workers: int
) -> None:
    before, after, expected = twin(BATCHES[name])
    engine = begun()
    faulty = Faulty(engine, plan, chance=chance)

    ending = run(lambda: BATCHES[name](Patient(faulty, retry=retry, workers=workers)))
    faulty.settle()
    stored = items(engine)

    if isinstance(ending, BatchIncomplete):
        assert ending.unprocessed
        assert all(stored.get(key(each)) == after.get(key(each)) for each in ending.processed)
        allowed = (before, after) if faulty.open else (before,)
        assert all(
            stored.get(key(each)) in [state.get(key(each)) for state in allowed]
            for each in ending.unprocessed
        )
        assert len(ending.unprocessed) + len(ending.processed) == len(ending.request.members)
    elif isinstance(ending, OutcomeUnknown):
        assert faulty.open
        assert all(stored.get(each) in (before.get(each), after.get(each)) for each in {**before, **after})
    elif isinstance(ending, (RequestThrottled, ServiceUnreachable, WriteConflict, RequestRejected)):
        assert stored == before
    else:
        assert (ending, stored) == (expected, after)


@given(name=st.sampled_from(sorted(BATCHES)), plan=plans, chance=st.integers(0, 999), retry=retries)
def test_sending_unprocessed_members_again_completes_the_batch(
    name: str, plan: list[str], chance: int, retry: Retry
) -> None:
    engine = begun()
    ending = run(lambda: BATCHES[name](Patient(Faulty(engine, plan, chance=chance), retry=retry)))

    if isinstance(ending, BatchIncomplete):
        puts: list[Any] = [each for each in ending.unprocessed if isinstance(each, Put)]
        Patient(Faulty(engine)).batch_put(*puts)
        Patient(Faulty(engine)).batch_delete(
            *(each for each in ending.unprocessed if isinstance(each, Delete))
        )

        assert items(engine) == twin(BATCHES[name]).after


def test_unprocessed_members_are_the_ones_that_were_passed() -> None:
    pages = [Put(Page(book="c", number=number)) for number in range(30)]
    faulty = Faulty(begun(), ["none", *["throttled"] * 4])

    ending = run(lambda: Patient(faulty).batch_put(*pages))

    assert isinstance(ending, BatchIncomplete)
    assert isinstance(ending.__cause__, RequestThrottled)
    assert (list(ending.processed), list(ending.unprocessed)) == (pages[:25], pages[25:])


def test_unprocessed_deletes_are_the_ones_that_were_passed() -> None:
    deletes = [Page.primary.delete(book="b", number=number) for number in range(3)]

    ending = run(lambda: Patient(Faulty(begun(), ["nothing"] * 9)).batch_delete(*deletes))

    assert isinstance(ending, BatchIncomplete)
    assert (list(ending.processed), list(ending.unprocessed)) == ([], deletes)


def test_a_batch_without_any_answer_has_an_unknown_outcome() -> None:
    faulty = Faulty(begun(), ["lost"] * 4)

    ending = run(lambda: Patient(faulty).batch_put(Page(book="c", number=1), Page(book="c", number=2)))

    assert isinstance(ending, OutcomeUnknown)
    assert len(ending.request.members) == 2


@pytest.mark.parametrize(
    ("last", "expected"),
    [("denied", OutcomeUnknown), ("throttled", OutcomeUnknown), ("nothing", BatchIncomplete)],
)
def test_an_unanswered_attempt_may_be_applied_after_an_answer_that_processed_nothing(
    last: str, expected: type[Exception]
) -> None:
    faulty = Faulty(begun(), ["late", "nothing", *[last] * 9])

    ending = run(lambda: Patient(faulty).batch_put(Page(book="c", number=1), Page(book="c", number=2)))

    assert isinstance(ending, expected)
    faulty.settle()
    assert {"BOOK#c PAGE#001", "BOOK#c PAGE#002"} <= set(items(faulty.client))  # type: ignore[arg-type]


def test_unprocessed_reads_are_listed_with_the_results_of_the_others() -> None:
    gets = [Page.primary.get(book="b", number=number) for number in (0, 1, 2, 99)]
    faulty = Faulty(begun(), ["part", *["nothing"] * 9], chance=1)

    ending = run(lambda: Patient(faulty).batch_get(*gets, gets[0]))

    assert isinstance(ending, BatchIncomplete)
    assert ending.unprocessed
    assert ending.processed
    numbers = {get.parts["number"] for get in ending.unprocessed}
    assert {page.number for page in ending.processed if page is not None} == {0, 1, 2} - numbers


def key(write: Any) -> str:
    found = write.item_key
    return f"{found['pk']['S']} {found['sk']['S']}"
