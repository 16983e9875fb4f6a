"""Under any fault, a read returns all stored items, or raises."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pksk import BatchIncomplete, RequestRejected, RequestThrottled, Retry, ServiceUnreachable, WriteConflict
from tests.store.faults.design import Page, numbers
from tests.store.faults.faulty import FAULTS, Faulty
from tests.store.faults.harness import THOROUGH, Patient, begun, items, run, twin
from tests.store.faults.operations import READS

plans = st.lists(st.sampled_from((*FAULTS, "part", "part", "none", "none")), max_size=16)
retries = st.builds(Retry, attempts=st.integers(1, 4), conflict_attempts=st.integers(1, 6))
workers = st.sampled_from((1, 4))


@THOROUGH
@given(
    name=st.sampled_from(sorted(READS)),
    plan=plans,
    chance=st.integers(0, 999),
    retry=retries,
    workers=workers,
)
def test_a_read_is_right_or_raises(
    name: str, plan: list[str], chance: int, retry: Retry, workers: int
) -> None:
    before, after, expected = twin(READS[name])
    engine = begun()
    faulty = Faulty(engine, plan, chance=chance)

    ending = run(lambda: READS[name](Patient(faulty, retry=retry, workers=workers)))

    assert items(engine) == before == after
    if not isinstance(
        ending, (RequestThrottled, ServiceUnreachable, WriteConflict, RequestRejected, BatchIncomplete)
    ):
        assert ending == expected


def test_an_interrupted_iteration_has_returned_the_first_results() -> None:
    faulty = Faulty(begun(), ["part", "none", *["throttled"] * 4])
    found: list[Page] = []

    ending = run(lambda: found.extend(Patient(faulty).iter(Page.primary(book="b").pages(2))))

    assert isinstance(ending, RequestThrottled)
    assert [page.number for page in found] == list(range(len(found)))
    assert found


DRAWS = st.lists(st.one_of(st.just(1), st.integers(2, 50)), min_size=1, max_size=8)


@given(plan=plans, draws=DRAWS, retry=retries)
def test_no_number_is_drawn_twice(plan: list[str], draws: list[int], retry: Retry) -> None:
    engine = begun()
    faulty = Faulty(engine, plan)
    store = Patient(faulty, retry=retry)
    drawn: list[int] = []
    for count in draws:
        ending = run(lambda count=count: store.take(numbers, count))  # type: ignore[misc]
        drawn += ending if isinstance(ending, range) else []
    faulty.settle()

    # One was drawn when the table was filled.
    assert [1, *drawn] == sorted({1, *drawn})
    assert Patient(engine).next(numbers) > max(drawn, default=1)
