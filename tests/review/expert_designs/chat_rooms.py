"""A chat: rooms with their messages, members found from both sides, and what each has read."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field
from ulid import ULID

from pksk import GSI, TTL, Entity, Get, Key, Put, Query, Spread, Table, Update, access, lt

chat = Table("chat", indexes=[GSI("gsi1", pk="gsi1pk", sk="gsi1sk")], stream="NEW_IMAGE", ttl="expires_at")

RoomId = Annotated[str, Spread(values=200_000, zipf=0.9)]
UserId = Annotated[str, Spread(values=400_000, zipf=0.6)]


class Room(Entity, table=chat, items=200_000):
    room_id: RoomId
    title: str
    topic: str | None = None

    primary = Key("ROOM#{room_id}", "META")

    @access(rate=300, item_size=300)
    @classmethod
    def one(cls, room_id: str) -> Get[Room]:
        """A room."""
        return cls.primary.get(room_id=room_id)


class Message(Entity, table=chat, growth="500 a day for a room"):
    room_id: RoomId
    message_id: ULID = Field(default_factory=ULID)
    author: str
    text: str
    expires_at: Annotated[datetime | None, TTL()] = None

    primary = Key("ROOM#{room_id}", "MSG#{message_id}")

    @access(rate=800, item_size=500)
    @classmethod
    def send(cls, message: Message) -> Put[Message]:
        """A message; the busiest room receives a tenth of what one key serves."""
        return Put(message)

    @access(rate=1_500, items=50, item_size=500)
    @classmethod
    def latest(cls, room_id: str) -> Query[Message]:
        """The newest messages."""
        return cls.primary(room_id=room_id).reverse().limit(50)

    @access(rate=200, items=50, item_size=500)
    @classmethod
    def before(cls, room_id: str, message_id: ULID) -> Query[Message]:
        """The messages before one of them."""
        return cls.primary(room_id=room_id, message_id=lt(message_id)).reverse().limit(50)


class Membership(Entity, table=chat, items=3_000_000):
    room_id: RoomId
    user_id: UserId
    role: Literal["owner", "member"] = "member"
    last_read: ULID | None = None

    primary = Key("ROOM#{room_id}", "MEMBER#{user_id}")
    of_user = Key("USER#{user_id}", "ROOM#{room_id}", index="gsi1")

    @access(rate=400, items=30, item_size=150)
    @classmethod
    def rooms_of(cls, user_id: str) -> Query[Membership]:
        """The rooms of a user."""
        return cls.of_user(user_id=user_id)

    @access(rate=100, items=60, item_size=150)
    @classmethod
    def members_of(cls, room_id: str) -> Query[Membership]:
        """The members of a room."""
        return cls.primary(room_id=room_id)

    @access(rate=600, item_size=150)
    @classmethod
    def read_until(cls, room_id: str, user_id: str, message_id: ULID) -> Update[Membership]:
        """A user has read a room up to a message."""
        return cls.primary.update(room_id=room_id, user_id=user_id).set(last_read=message_id)


FINDINGS: dict[tuple[str, str, str], str] = {}
