"""The waiting room: queues for an opening, the places in them, and the connections that are notified."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from pksk import TTL, Attribute, Entity, F, Get, Key, Put, Query, Transaction, Update, access, transaction

from .tables import ActivityId, ActivityType, CollectionId, key_fields, pubsub, waiting_room

# An entry lives until 25 hours after its opening.
ENTRY_HOURS = 25


class Queue(Entity, table=waiting_room):
    collection_id: CollectionId
    activity_type: ActivityType
    activity_id: ActivityId
    start: Annotated[date, Attribute("startDate")]
    opening_time: Annotated[int, Attribute("openingTime")]
    admitted_count: Annotated[int | None, Attribute("admittedCount")] = None

    primary = Key("QUEUE#{collection_id}#{activity_type}#{activity_id}#{start}", "META")

    @access()
    @classmethod
    def one(cls, collection_id: str, activity_type: str, activity_id: int, start: date) -> Get[Queue]:
        """The state of a queue, as it is at this moment."""
        queue = cls.primary.get(
            collection_id=collection_id, activity_type=activity_type, activity_id=activity_id, start=start
        )
        return queue.consistently()

    def counted(self, many: int, most: int) -> Update[Queue]:
        """Count more people as let in, if there is room for all of them."""
        room = F.admitted_count.missing() | (F.admitted_count <= most - many)
        return Queue.primary.update(**key_fields(self)).add(admitted_count=many).when(room)


class Entry(Entity, table=waiting_room):
    collection_id: CollectionId
    activity_type: ActivityType
    activity_id: ActivityId
    start: Annotated[date, Attribute("startDate")]
    user_id: Annotated[str, Attribute("userId")]
    client_ip: Annotated[str, Attribute("clientIp")]
    status: Literal["waiting", "admitted", "left"] = "waiting"
    # In milliseconds, since many join within the second in which a queue opens.
    joined: int = 0
    expires: Annotated[int, Attribute("ttl"), TTL()]

    primary = Key("QUEUE#{collection_id}#{activity_type}#{activity_id}#{start}", "ENTRY#{user_id}")
    by_user = Key("{user_id}", index="userId-index")
    by_address = Key("{client_ip}", index="clientIp-index")

    @access()
    @classmethod
    def one(
        cls, collection_id: str, activity_type: str, activity_id: int, start: date, user_id: str
    ) -> Get[Entry]:
        """A person's place, read consistently: the index may not have one that was just taken."""
        entry = cls.primary.get(
            collection_id=collection_id,
            activity_type=activity_type,
            activity_id=activity_id,
            start=start,
            user_id=user_id,
        )
        return entry.consistently()

    @access(items=5000)
    @classmethod
    def of_queue(
        cls, collection_id: str, activity_type: str, activity_id: int, start: date, now: int
    ) -> Query[Entry]:
        """The entries of a queue; expired ones may still exist, so they are filtered out."""
        everyone = cls.primary(
            collection_id=collection_id, activity_type=activity_type, activity_id=activity_id, start=start
        )
        return everyone.filter(F.expires > now)

    @access(items=1)
    @classmethod
    def of_user(cls, user_id: str) -> Query[Entry]:
        """The queues that a person is in."""
        return cls.by_user(user_id=user_id)

    @access(items=3)
    @classmethod
    def from_address(cls, client_ip: str) -> Query[Entry]:
        """The entries from one network address."""
        return cls.by_address(client_ip=client_ip)

    @classmethod
    def of(cls, queue: Queue, user_id: str, client_ip: str, now: datetime) -> Entry:
        """A new place of a person in a queue, which determines when it expires."""
        return cls(
            **key_fields(queue),
            user_id=user_id,
            client_ip=client_ip,
            joined=int(now.timestamp() * 1000),
            expires=queue.opening_time + ENTRY_HOURS * 3600,
        )

    @access()
    @classmethod
    def join(cls, entry: Entry) -> Put[Entry]:
        """Take a place in the queue; a second place fails."""
        return Put(entry).if_absent()


@access(items=11)
def admit(queue: Queue, entries: list[Entry], most: int) -> Transaction:
    """Let people in and count them: all of them, or none if there is not enough room."""
    let_in = (Entry.primary.update(**key_fields(each)).set(status="admitted") for each in entries)
    return transaction(
        queue.counted(len(entries), most), *(each.when(F.status == "waiting") for each in let_in)
    )


class Connection(Entity, table=waiting_room):
    connection_id: Annotated[str, Attribute("connectionId")]
    queue: str
    user: str

    primary = Key("CONN#{connection_id}", "META")

    @access()
    @classmethod
    def one(cls, connection_id: str) -> Get[Connection]:
        """A connection, with its user."""
        return cls.primary.get(connection_id=connection_id)


class Listener(Entity, table=pubsub):
    """An open connection of the public site. All are in one partition, which limits writes to 1,000 a second."""

    connection_id: Annotated[str, Attribute("connectionId")]

    # pksk: accept constant-partition-key: only open connections have an item
    primary = Key("websocket", "{connection_id}")

    @access(items=1000)
    @classmethod
    def every(cls) -> Query[Listener]:
        """All open connections, to send to each."""
        return cls.primary()
