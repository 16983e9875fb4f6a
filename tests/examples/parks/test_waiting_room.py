"""The waiting room: one place for each, first come first in, and never more than there is room for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta

import pytest

from examples.parks.errors import AlreadyWaiting, ParksError, QueueClosed, RoomFull
from examples.parks.operations.waiting_room import join, let_in
from examples.parks.tables import waiting_room
from examples.parks.waiting_room import ENTRY_HOURS, Entry, Queue, admit
from pksk import Clock, Engine, Store, TransactionFailed, connect
from tests.examples.parks.conftest import Meanwhile

NOW = datetime.now(UTC)
KEY = ("park_1", "dayuse", 1, date(2026, 8, 1))


@pytest.fixture
def queue(db: Store) -> Queue:
    return open_store(db, NOW)


def open_store(db: Store, now: datetime) -> Queue:
    names = ("collection_id", "activity_type", "activity_id", "start")
    key = dict(zip(names, KEY, strict=True))
    return db.create(Queue.model_validate({**key, "opening_time": int(now.timestamp())}))


def join_many(db: Store, queue: Queue, many: int, now: datetime = NOW) -> list[str]:
    people = [f"visitor-{number:03d}" for number in range(many)]
    for more, person in enumerate(people):
        join(db, queue, person, "192.0.2.1", now + timedelta(seconds=many - more))
    return people[::-1]  # the last is the first to come


def test_the_first_person_to_join_is_let_in_first(db: Store, queue: Queue) -> None:
    people = join_many(db, queue, 6)

    assert [each.user_id for each in let_in(db, queue, 4, 100, NOW)] == people[:4]
    assert [each.user_id for each in let_in(db, queue, 4, 100, NOW)] == people[4:]
    assert let_in(db, queue, 4, 100, NOW) == []
    entry = db.get(Entry.one(*KEY, people[0]))
    assert entry is not None
    assert entry.status == "admitted"


def test_the_first_person_within_a_second_is_let_in_first(db: Store, queue: Queue) -> None:
    people = ["zoe", "ann", "mia"]
    for number, person in enumerate(people):
        join(db, queue, person, "192.0.2.1", NOW + timedelta(milliseconds=number))

    assert [each.user_id for each in let_in(db, queue, 3, 100, NOW)] == people


@pytest.mark.parametrize(("many", "most"), [(0, 5), (-1, 5), (5, 0), (5, -3)])
def test_numbers_below_one_are_rejected(db: Store, queue: Queue, many: int, most: int) -> None:
    join_many(db, queue, 3)

    with pytest.raises(ParksError, match="Fix: give numbers of at least 1"):
        let_in(db, queue, many, most, NOW)

    assert {each.status for each in db.run(Entry.of_queue(*KEY, 0))} == {"waiting"}


def test_letting_people_in_from_a_missing_queue_fails(db: Store, queue: Queue) -> None:
    other = queue.model_copy(update={"activity_id": 99})

    with pytest.raises(ParksError, match="There is no queue for dayuse 99"):
        let_in(db, other, 1, 5, NOW)


def test_joining_a_missing_queue_fails(db: Store, queue: Queue) -> None:
    other = queue.model_copy(update={"activity_id": 99})

    with pytest.raises(ParksError, match="There is no queue for dayuse 99 on 2026-08-01"):
        join(db, other, "ann", "192.0.2.1", NOW)

    assert db.run(Entry.of_user("ann")) == []


def test_an_entry_expires_a_day_after_the_stored_opening_time(db: Store, queue: Queue) -> None:
    moved = db.put(queue.model_copy(update={"opening_time": queue.opening_time + 7200}))

    entry = join(db, queue, "ann", "192.0.2.1", NOW)

    assert entry.expires == moved.opening_time + 25 * 3600
    assert db.get(Entry.one(*KEY, "ann")) == entry


def test_every_concurrent_join_gets_an_entry_despite_transaction_conflicts() -> None:
    with Engine.open(conflicts=True) as engine, connect(engine) as db:
        db.create_tables(waiting_room)
        queue = open_store(db, NOW)

        with ThreadPoolExecutor(16) as threads:
            joined = threads.map(lambda n: join(db, queue, f"v-{n}", "192.0.2.1", NOW).user_id, range(80))

        assert {each.user_id for each in db.run(Entry.of_queue(*KEY, 0))} == set(joined)


def test_a_person_cannot_join_a_queue_twice(db: Store, queue: Queue) -> None:
    join(db, queue, "ann", "192.0.2.1", NOW)

    with pytest.raises(AlreadyWaiting):
        join(db, queue, "ann", "192.0.2.2", NOW)

    assert [each.client_ip for each in db.run(Entry.of_user("ann"))] == ["192.0.2.1"]


def test_people_are_let_in_while_there_is_room(db: Store, queue: Queue) -> None:
    join_many(db, queue, 6)

    assert len(let_in(db, queue, 4, 5, NOW)) == 4
    assert len(let_in(db, queue, 4, 5, NOW)) == 1
    with pytest.raises(RoomFull):
        let_in(db, queue, 4, 5, NOW)


def test_concurrent_admissions_never_exceed_the_room(db: Store, queue: Queue) -> None:
    join_many(db, queue, 40)

    def door(_: int) -> list[str]:
        try:
            return [each.user_id for each in let_in(db, queue, 3, 25, NOW)]
        except RoomFull:
            return []

    with ThreadPoolExecutor(6) as threads:
        let = [person for people in threads.map(door, range(12)) for person in people]

    assert len(let) == len(set(let)) == 25
    admitted = [each for each in db.run(Entry.of_queue(*KEY, 0)) if each.status == "admitted"]
    assert {each.user_id for each in admitted} == set(let)
    stored = db.get(Queue.one(*KEY))
    assert stored is not None
    assert stored.admitted_count == 25


def test_an_entry_is_hidden_25_hours_after_the_opening() -> None:
    clock = Clock(NOW.timestamp())
    with Engine.open(clock=clock) as engine, connect(engine, clock=clock) as db:
        db.create_tables(waiting_room)
        queue = open_store(db, NOW)
        join(db, queue, "ann", "192.0.2.1", NOW)
        clock.advance(25 * 3600 - 1)
        assert db.get(Entry.one(*KEY, "ann")) is not None
        clock.advance(2)
        assert db.get(Entry.one(*KEY, "ann")) is None
        now = datetime.fromtimestamp(clock(), UTC)
        later = db.put(queue.model_copy(update={"opening_time": int(now.timestamp())}))
        assert join(db, queue, "ann", "192.0.2.1", now) == Entry.of(later, "ann", "192.0.2.1", now)


@pytest.mark.parametrize(("late", "is_over"), [(-1, False), (0, True), (86_400, True)])
def test_a_queue_with_expired_entries_cannot_be_joined(db: Store, late: int, is_over: bool) -> None:
    over = NOW.replace(microsecond=0)
    queue = open_store(db, over - timedelta(hours=ENTRY_HOURS))

    if is_over:
        with pytest.raises(QueueClosed, match=f"dayuse 1 on 2026-08-01 closed at {over:%Y-%m-%dT%H:%M} UTC"):
            join(db, queue, "ann", "192.0.2.1", over + timedelta(seconds=late))
    else:
        join(db, queue, "ann", "192.0.2.1", over + timedelta(seconds=late))

    stored = db.client.call("Scan", {"TableName": waiting_room.name})["Items"]
    assert len(stored) == (1 if is_over else 2)


def test_the_limit_holds_even_if_the_caller_has_an_outdated_count(db: Store, queue: Queue) -> None:
    join_many(db, queue, 6)
    let_in(db, queue, 4, 5, NOW)
    waiting = [each for each in db.run(Entry.of_queue(*KEY, 0)) if each.status == "waiting"]

    with pytest.raises(TransactionFailed) as caught:
        db.run(admit(queue, waiting, 5))

    assert list(caught.value.failures) == [0]


def test_if_others_let_in_the_first_people_the_next_are_let_in(db: Store, queue: Queue) -> None:
    people = join_many(db, queue, 6)

    with connect(db.client, hooks=[Meanwhile(lambda: let_in(db, queue, 2, 5, NOW))]) as other:
        assert [each.user_id for each in let_in(other, queue, 4, 5, NOW)] == people[2:5]
