"""Several writers of the same items, with faults: no update is lost, and nothing is done twice."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pksk import OutcomeUnknown, StoreError, TransactionFailed, UniqueViolation
from pksk.store import Core
from pksk.store.requests import delete as deletes
from pksk.store.requests import put as puts
from pksk.store.requests import update as updates
from pksk.store.requests.get import get
from pksk.store.requests.move import move
from pksk.store.sequences import take
from tests.store.faults.design import Doc, Note, Person, Ticket, now, numbers
from tests.store.faults.faulty import FAULTS, Faulty
from tests.store.faults.harness import Patient, begun, run
from tests.store.faults.interleaved import Run, interleaved

plans = st.lists(st.sampled_from(("none", "none", *FAULTS)), max_size=12)
writers = st.integers(2, 4)


def endings(
    data: st.DataObject, begin: Callable[[Core, int], Run], *, writers: int
) -> tuple[Patient, list[Any], int]:
    """A store on what several writers leave behind, what came of each, and how many do not know."""
    faulty = Faulty(
        begun(), data.draw(plans), chance=data.draw(st.integers(0, 99)), busy=data.draw(st.booleans())
    )
    # Each has a store of its own, and time passes: two stamps are never the same.
    ticks = count()
    cores = [Core(clock=lambda: now() + next(ticks) / 1_000_000) for _ in range(writers)]
    runs = [begin(core, number) for number, core in enumerate(cores)]
    found = interleaved(faulty, runs, lambda most: data.draw(st.integers(0, most - 1)))
    faulty.settle()
    for ending in found:
        assert isinstance(ending, StoreError) or not isinstance(ending, Exception), repr(ending)
    return Patient(faulty.client), found, sum(isinstance(each, OutcomeUnknown) for each in found)


def done(found: list[Any]) -> list[Any]:
    return [each for each in found if not isinstance(each, Exception)]


@given(st.data(), writers)
def test_no_change_of_what_was_read_is_lost(data: st.DataObject, writers: int) -> None:
    kind = data.draw(st.sampled_from((Ticket, Doc)))
    key = Ticket.primary.get(id="1") if kind is Ticket else Doc.primary.get(folder="a", id="1")

    def one_more(core: Core, _: int) -> Run:
        found = yield from get(core, key)
        assert isinstance(found, Ticket | Doc)
        return (yield from puts.put(core, found.model_copy(update={"count": found.count + 1})))

    db, found, unknown = endings(data, one_more, writers=writers)
    stored: Any = db.get(key)

    assert len(done(found)) <= stored.count - 5 <= len(done(found)) + unknown
    assert stored.version == 1 + stored.count - 5


@given(st.data(), writers)
def test_one_of_several_creates_an_item(data: st.DataObject, writers: int) -> None:
    news: list[tuple[Any, Any]] = [
        (Note(id="9"), Note.primary.get(id="9")),
        (Ticket(id="9"), Ticket.primary.get(id="9")),
        (Doc(folder="z", id="9"), Doc.primary.get(folder="z", id="9")),
    ]
    entity, key = data.draw(st.sampled_from(news))
    db, found, unknown = endings(data, lambda core, _: puts.create(core, entity), writers=writers)
    stored = db.get(key)

    assert len(done(found)) <= 1
    assert (stored is not None) >= len(done(found))
    assert stored is None or len(done(found)) + unknown > 0


@given(st.data(), writers)
def test_one_of_several_has_a_unique_value(data: st.DataObject, writers: int) -> None:
    def create(core: Core, number: int) -> Run:
        return puts.create(core, Person(id=f"new-{number}", email="new"))

    db, found, unknown = endings(data, create, writers=writers)
    stored = [person for person in db.scan(Person.scan()) if person.email == "new"]

    assert len(done(found)) <= len(stored) <= 1
    assert len(stored) <= len(done(found)) + unknown
    assert not done(found) or stored == done(found)


@given(st.data(), writers)
def test_several_may_change_a_unique_value(data: st.DataObject, writers: int) -> None:
    def update(core: Core, number: int) -> Run:
        return updates.update(core, Person.primary.update(id="1").set(email=f"new-{number}").add(seen=1))

    db, found, unknown = endings(data, update, writers=writers)
    stored: Any = db.get(Person.primary.get(id="1"))

    assert len(done(found)) <= stored.seen <= len(done(found)) + unknown
    assert not [each for each in found if isinstance(each, TransactionFailed)]
    # Values that were held in between are free again, and the last one is taken.
    for number in range(writers):
        one = Person(id=f"other-{number}", email=f"new-{number}")
        assert isinstance(run(lambda one=one: db.create(one)), UniqueViolation) is (one.email == stored.email)  # type: ignore[misc]


@given(st.data(), writers)
def test_additions_and_appends_are_applied_once(data: st.DataObject, writers: int) -> None:
    def append(core: Core, number: int) -> Run:
        return updates.update(core, Note.primary.update(id="1").add(hits=1).append(log=[str(number)]))

    db, found, unknown = endings(data, append, writers=writers)
    stored: Any = db.get(Note.primary.get(id="1"))
    sure = {str(number) for number, each in enumerate(found) if not isinstance(each, Exception)}

    assert len(done(found)) <= stored.hits - 3 <= len(done(found)) + unknown
    assert sorted(stored.log[1:]) == sorted(set(stored.log[1:]))
    assert sure <= set(stored.log)
    assert len(stored.log) - 1 == stored.hits - 3


@given(st.data(), writers)
def test_versions_count_updates(data: st.DataObject, writers: int) -> None:
    def update(core: Core, number: int) -> Run:
        return updates.update(core, Ticket.primary.update(id="1").add(count=1))

    db, found, unknown = endings(data, update, writers=writers)
    stored: Any = db.get(Ticket.primary.get(id="1"))

    assert len(done(found)) <= stored.version - 1 == stored.count - 5 <= len(done(found)) + unknown
    assert len({each.version for each in done(found)}) == len(done(found))


@given(st.data(), writers)
def test_an_item_that_several_clients_move_has_one_key(data: st.DataObject, writers: int) -> None:
    def away(core: Core, number: int) -> Run:
        return move(core, Doc.primary.get(folder="a", id="1"), {"folder": f"to-{number}"})

    db, found, _ = endings(data, away, writers=writers)
    stored = list(db.scan(Doc.scan()))

    assert len(stored) == 1
    assert len(done(found)) <= 1
    assert not done(found) or stored == done(found)


@given(st.data(), writers)
def test_a_deleted_item_is_returned_to_one_client(data: st.DataObject, writers: int) -> None:
    def delete(core: Core, _: int) -> Run:
        return deletes.delete(core, Note.primary.delete(id="1"))

    db, found, unknown = endings(data, delete, writers=writers)
    given = [each for each in done(found) if each is not None]
    gone = db.get(Note.primary.get(id="1")) is None

    assert len(given) <= gone
    assert not gone or len(given) + unknown > 0


@given(st.data(), writers)
def test_no_two_draw_the_same_number(data: st.DataObject, writers: int) -> None:
    db, found, _ = endings(data, lambda core, number: take(core, numbers, number + 1, {}), writers=writers)
    drawn = [number for each in done(found) for number in each]

    assert len(set(drawn)) == len(drawn)
    assert db.next(numbers) > max(drawn, default=1)
