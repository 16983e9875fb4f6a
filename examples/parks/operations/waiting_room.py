"""The waiting room: people join a queue, and are let in while there is room."""

from __future__ import annotations

from datetime import UTC, date, datetime

from pksk import AlreadyExists, Store, TransactionFailed

from ..errors import AlreadyWaiting, ParksError, QueueClosed, RoomFull
from ..waiting_room import Entry, Queue, admit

# A transaction takes 100 items, and one of them is the queue.
MOST_AT_ONCE = 99
_TRIES = 20


def join(db: Store, queue: Queue, user_id: str, client_ip: str, now: datetime) -> Entry:
    """Take a place in a queue; it expires a day after the opening.

    The queue is read, and not checked in a transaction: all who join at an opening would conflict on it. Raises
    `AlreadyWaiting` for a second place, and `QueueClosed` if the place would have expired already.
    """
    entry = Entry.of(_stored_queue(db, queue), user_id, client_ip, now)
    if entry.expires <= now.timestamp():
        raise QueueClosed(_queue_name(queue), datetime.fromtimestamp(entry.expires, UTC))
    try:
        return db.run(Entry.join(entry))
    except AlreadyExists as taken:
        raise AlreadyWaiting(f"{user_id} already has a place in this queue.") from taken


def let_in(db: Store, queue: Queue, many: int, most: int, now: datetime) -> list[Entry]:
    """Let in up to `many` of those who wait, first come first served, and never more than `most` in all.

    If others let people in at the same time, it tries again. Raises `RoomFull`.
    """
    if many < 1 or most < 1:
        raise ParksError(f"{many} of at most {most} cannot be let in. Fix: give numbers of at least 1.")
    for _ in range(_TRIES):
        room = most - (_stored_queue(db, queue).admitted_count or 0)
        if room < 1:
            raise RoomFull(f"{most} are let in already, and there is no more room.")
        waiting = [
            each
            for each in db.iter(Entry.of_queue(*_key(queue), int(now.timestamp())))
            if each.status == "waiting"
        ]
        first = sorted(waiting, key=lambda each: each.joined)[: min(many, room, MOST_AT_ONCE)]
        if not first:
            return []
        try:
            db.run(admit(queue, first, most))
        except TransactionFailed:
            continue
        return [each.model_copy(update={"status": "admitted"}) for each in first]
    raise ParksError("Others keep letting people in.")


def _stored_queue(db: Store, queue: Queue) -> Queue:
    """The stored queue, read consistently."""
    known = db.get(Queue.one(*_key(queue)))
    if known is None:
        raise ParksError(f"There is no queue for {_queue_name(queue)}.")
    return known


def _queue_name(queue: Queue) -> str:
    return f"{queue.activity_type} {queue.activity_id} on {queue.start}"


def _key(queue: Queue) -> tuple[str, str, int, date]:
    return queue.collection_id, queue.activity_type, queue.activity_id, queue.start
