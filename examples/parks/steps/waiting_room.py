"""The waiting room: people queue, and only as many are let in as there is room for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from ...tour import Tour, error_name
from ..data import NOW
from ..expected import Expected
from ..operations.waiting_room import join, let_in
from ..waiting_room import Connection, Entry, Listener, Queue

PEOPLE = [f"visitor-{number:02d}" for number in range(12)]
ADDRESS = "192.0.2.7"


def waiting_room_steps(tour: Tour, expected: Expected) -> None:
    """Let people queue, and let some in."""
    tour.section("The waiting room: keys with #, entries that expire, and a limit")
    listeners = expected.of(Listener, lambda each: each.connection_id)
    tour.run(Listener.every(), listeners)
    one = expected.of(Connection)[0]
    tour.run(Connection.one(one.connection_id), one)
    stored = expected.one(Queue, collection_id="park_1")
    key = stored.collection_id, stored.activity_type, stored.activity_id, stored.start
    tour.run(Queue.one(*key), stored)

    # Expired entries are hidden by the clock of the store, so these queue for tomorrow.
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    queue = stored.model_copy(update={"opening_time": int(tomorrow.timestamp())})
    tour.call("The opening is moved to tomorrow", lambda db: db.put(queue), queue)
    joined = [_entry(queue, number) for number in range(len(PEOPLE))]
    tour.run(Entry.join(joined[0]), joined[0])
    tour.call(
        "Eleven more join, later ones behind",
        lambda db: [
            join(db, queue, each.user_id, each.client_ip, datetime.fromtimestamp(each.joined / 1000, UTC))
            for each in joined[1:]
        ],
        joined[1:],
    )
    tour.call(
        "A second place for the same person raises an error",
        error_name(lambda db: join(db, queue, PEOPLE[0], ADDRESS, NOW)),
        "AlreadyWaiting",
    )
    tour.run(Entry.one(*key, PEOPLE[3]), joined[3])
    tour.run(Entry.of_queue(*key, int(NOW.timestamp())), joined)
    tour.run(Entry.of_user(PEOPLE[3]), [joined[3]])
    tour.run(
        Entry.from_address(ADDRESS),
        lambda entries: {each.user_id for each in entries} == {each.user_id for each in joined[:3]},
    )
    tour.call(
        "The first five are let in",
        lambda db: [each.user_id for each in let_in(db, queue, 5, 8, NOW)],
        PEOPLE[:5],
    )
    tour.call(
        "Of the next five, three are let in, since there is room for eight",
        lambda db: [each.user_id for each in let_in(db, queue, 5, 8, NOW)],
        PEOPLE[5:8],
    )
    tour.call("After that, the room is full", error_name(lambda db: let_in(db, queue, 5, 8, NOW)), "RoomFull")


def _entry(queue: Queue, number: int) -> Entry:
    address = ADDRESS if number < 3 else f"198.51.100.{number}"
    return Entry.of(queue, PEOPLE[number], address, NOW + timedelta(milliseconds=number))
