"""The awaiting store under the same faults, and cancelled at every place where it waits."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk import (
    AsyncStore,
    BatchIncomplete,
    OutcomeUnknown,
    RequestRejected,
    RequestThrottled,
    Retry,
    ServiceUnreachable,
    WriteConflict,
)
from pksk.sending.async_driver import AsyncDriver
from pksk.store import Core
from tests.conftest import LONG
from tests.store.async_as_sync import awaited
from tests.store.faults.design import Note, Page, now
from tests.store.faults.faulty import FAULTS, AsyncFaulty, Faulty
from tests.store.faults.harness import THOROUGH, begun, items, run, twin
from tests.store.faults.operations import BATCHES, READS, WRITES

NOT_DONE = (RequestThrottled, ServiceUnreachable, WriteConflict, RequestRejected)
# The operations of a single method; between the calls of the others, an application awaits something else.
COMPOSED = ("put with a version", "delete of a version", "move of an entity that was read")
SINGLE = {name: operation for name, operation in {**WRITES, **BATCHES}.items() if name not in COMPOSED}

plans = st.lists(st.sampled_from(FAULTS), max_size=10)
retries = st.builds(Retry, attempts=st.integers(1, 4), conflict_attempts=st.integers(1, 6))


class Patient(AsyncStore):
    """A store whose pauses take no time."""

    def __init__(self, client: AsyncFaulty, *, retry: Retry | None = None) -> None:
        super().__init__(client, Core(retry=retry or Retry(), clock=now, secret=b"secret"))
        self._driver = AsyncDriver(client, pause=client.pause)


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner(debug=True) as made:
        yield made


@pytest.fixture(scope="module", autouse=True)
def _what_is_there_already() -> None:
    """Each test looks for what it left behind, and need not look through all that was there before."""
    gc.collect()
    gc.freeze()


@THOROUGH
@given(
    name=st.sampled_from(sorted({**WRITES, **READS})), plan=plans, chance=st.integers(0, 99), retry=retries
)
def test_an_asynchronous_call_is_applied_at_most_once(
    runner: asyncio.Runner, name: str, plan: list[str], chance: int, retry: Retry
) -> None:
    operation = {**WRITES, **READS}[name]
    before, after, expected = twin(operation)
    engine = begun()
    faulty = Faulty(engine, plan, chance=chance)

    ending = run(lambda: operation(awaited(Patient(AsyncFaulty(faulty), retry=retry), runner)))
    faulty.settle()
    stored = items(engine)
    assert not asyncio.all_tasks(runner.get_loop())

    if isinstance(ending, OutcomeUnknown):
        assert stored in ((before, after) if faulty.open else (after,))
    elif isinstance(ending, (*NOT_DONE, BatchIncomplete)):
        assert stored == before
    else:
        assert (ending, stored) == (expected, after)


async def all_pages(db: AsyncStore) -> Any:
    return [page async for page in db.iter(Page.by_words().pages(2))]


async def all_segments(db: AsyncStore) -> Any:
    return [page async for page in db.scan(Page.scan(), segments=4)]


CANCELLED: dict[str, Callable[[Any], Coroutine[Any, Any, Any]]] = {
    **SINGLE,
    **{name: READS[name] for name in ("get", "batch_get of many", "count over shards", "collect")},
    "page": lambda db: db.page(Page.by_words().limit(4)),
    "iter": all_pages,
    "scan in segments": all_segments,
}
BAD_DAYS: list[list[str]] = [
    [],
    ["throttled", "lost"],
    ["part", "nothing", "part", "throttled"],
    ["conflict"] * 3,
]


@pytest.mark.parametrize("name", sorted(CANCELLED))
def test_a_cancelled_call_leaves_no_tasks_or_connections(name: str, caplog: pytest.LogCaptureFixture) -> None:
    before, after = (twin(SINGLE[name])[:2]) if name in SINGLE else (items(begun()),) * 2
    for plan in BAD_DAYS if LONG else days_of(name):
        place = 0
        while (met := asyncio.run(cancelled_at(name, plan, place), debug=LONG)) is not None:
            assert all(
                met.get(key) in (before.get(key), after.get(key)) for key in {**met, **before, **after}
            )
            assert name in BATCHES or met in (before, after)
            place += 1
        assert place >= 2

    gc.collect()
    assert [
        each for each in caplog.records if each.name == "asyncio" and each.levelno >= logging.WARNING
    ] == []


def days_of(name: str) -> list[list[str]]:
    """A good day and one of the bad ones, another for each neighbour."""
    good, *bad = BAD_DAYS
    return [good, bad[sorted(CANCELLED).index(name) % len(bad)]]


async def cancelled_at(name: str, plan: list[str], place: int) -> Any:
    """Cancel a call at one of its waits; returns what is stored then, or None if the call had ended before."""
    # On a busy machine, any step may be slow; that would be logged, too.
    asyncio.get_running_loop().slow_callback_duration = 60
    engine, places = begun(), iter(range(10_000))
    faulty = Faulty(engine, plan)

    def at() -> None:
        if next(places) == place:
            task.cancel()

    store = Patient(AsyncFaulty(faulty, at))
    task = asyncio.create_task(CANCELLED[name](store))
    try:
        await task
    except asyncio.CancelledError:
        pass
    except OutcomeUnknown:
        return None
    else:
        return None
    assert asyncio.all_tasks() == {asyncio.current_task()}
    met = items(engine)
    assert await Patient(AsyncFaulty(Faulty(engine))).get(Note.primary.get(id="2")) is not None
    assert await store.get(Note.primary.get(id="7")) is None
    return met


def test_a_call_that_is_cancelled_twice_leaves_no_tasks_or_connections() -> None:
    async def main() -> None:
        started, release = asyncio.Event(), asyncio.Event()

        class Slow:
            async def call(self, operation: str, request: Any) -> dict[str, Any]:
                started.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    # A connection that takes a while to close.
                    await release.wait()
                return {}

        store = AsyncStore(Slow(), Core())
        task = asyncio.create_task(
            store.batch_get(*(Page.primary.get(book="b", number=n) for n in range(250)))
        )
        await started.wait()
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0)
        release.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main(), debug=True)
