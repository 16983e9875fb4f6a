"""The waiting room: people join a queue, and are let in as long as there is room."""

from __future__ import annotations

from datetime import datetime

from pksk import AlreadyExists, Store, TransactionFailed

from ..described import parts_of
from ..refusals import AlreadyWaiting, Refusal, RoomFull
from ..waiting_room import ENTRY_HOURS, Entry, Queue, admit

__all__ = ["MOST_AT_ONCE", "join", "let_in"]

# A transaction takes 100 items, and one of them is the queue.
MOST_AT_ONCE = 99
_TRIES = 20


def join(db: Store, queue: Queue, user_id: str, client_ip: str, now: datetime) -> Entry:
    """A place in a queue; it goes by itself a day after the opening. Raises `AlreadyWaiting` for a second one."""
    entry = Entry(
        **parts_of(queue),
        user_id=user_id,
        client_ip=client_ip,
        joined=int(now.timestamp() * 1000),
        expires=queue.opening_time + ENTRY_HOURS * 3600,
    )
    try:
        return db.run(Entry.join(entry))
    except AlreadyExists as there:
        raise AlreadyWaiting(f"{user_id} has a place in this queue.") from there


def let_in(db: Store, queue: Queue, many: int, most: int, now: datetime) -> list[Entry]:
    """Let in up to so many of those who wait, the first come first, and never more than `most` in all.

    Where others let people in meanwhile, it looks again. Raises `RoomFull`.
    """
    if many < 1 or most < 1:
        raise Refusal(f"{many} of at most {most} cannot be let in. Fix: give numbers from 1 on.")
    key = queue.collection_id, queue.activity_type, queue.activity_id, queue.start
    for _ in range(_TRIES):
        known = db.get(Queue.one(*key))
        if known is None:
            raise Refusal(
                f"There is no queue for {queue.activity_type} {queue.activity_id} on {queue.start}."
            )
        room = most - (known.admitted_count or 0)
        if room < 1:
            raise RoomFull(f"{most} are let in, and there is room for no more.")
        waiting = [
            each for each in db.iter(Entry.of_queue(*key, int(now.timestamp()))) if each.status == "waiting"
        ]
        first = sorted(waiting, key=lambda each: each.joined)[: min(many, room, MOST_AT_ONCE)]
        if not first:
            return []
        try:
            db.run(admit(queue, first, most))
        except TransactionFailed:
            continue
        return [each.model_copy(update={"status": "admitted"}) for each in first]
    raise Refusal("Others keep letting people in.")
