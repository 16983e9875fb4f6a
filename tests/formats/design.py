"""A design with every kind of stored value, key part, marker and item that the store writes beside entities."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from ipaddress import IPv4Address, IPv6Address
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, NaiveDatetime, SecretStr

from pksk import (
    GSI,
    TTL,
    Attribute,
    Created,
    Entity,
    Key,
    Reference,
    Shard,
    Stored,
    Table,
    Unique,
    Updated,
    Version,
    sequence,
)

__all__ = [
    "ACCOUNT",
    "AT",
    "KEYS",
    "MEMBER",
    "READING",
    "SAMPLE",
    "SHARDS",
    "Account",
    "Member",
    "Reading",
    "Sample",
    "invoices",
    "samples",
    "shop",
]

AT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 9


class Point(BaseModel):
    x: int
    label: str | None = None


samples = Table("samples", sk=None)


class Sample(Entity, table=samples):
    """A field of each type that has a stored form of its own."""

    id: str
    text: str
    empty: str
    whole: int
    negative: int
    exact: Decimal
    ratio: float
    yes: bool
    nothing: str | None
    raw: bytes
    day: date
    clock: time
    naive: NaiveDatetime
    instant: AwareDatetime
    in_seconds: Annotated[datetime, Stored("epoch-seconds")]
    in_milliseconds: Annotated[datetime, Stored("epoch-milliseconds")]
    to_minutes: Annotated[datetime, Stored("iso-minutes")]
    to_seconds: Annotated[datetime, Stored("iso-seconds")]
    to_milliseconds: Annotated[datetime, Stored("iso-milliseconds")]
    to_microseconds: Annotated[datetime, Stored("iso-microseconds")]
    with_offset: Annotated[datetime, Stored("iso-offset")]
    some_seconds: list[Annotated[datetime, Stored("epoch-seconds")]]
    elapsed: timedelta
    number: UUID
    colour: Colour
    level: Level
    choice: Literal["a", "b"]
    address: IPv4Address
    path: PurePosixPath
    secret: SecretStr
    point: Point
    texts: list[str]
    mixed: tuple[int, str]
    names: set[str]
    counts: frozenset[int]
    blobs: set[bytes]
    days: set[date]
    no_names: set[str]
    by_name: dict[str, int]
    by_day: dict[date, Decimal]
    either: int | str

    primary = Key("{id}")


SAMPLE = Sample(
    id="s1",
    text="a#b é\U0001f511",
    empty="",
    whole=12,
    negative=-(10**37),
    exact=Decimal("1.50"),
    ratio=0.1,
    yes=True,
    nothing=None,
    raw=b"\x00\xff",
    day=date(2026, 3, 4),
    clock=time(5, 6, 7, 800),
    naive=datetime(2026, 3, 4, 5, 6, 7),
    instant=datetime(2026, 3, 4, 5, 6, 7, 89, tzinfo=UTC),
    in_seconds=AT,
    in_milliseconds=AT + timedelta(milliseconds=8),
    to_minutes=AT.replace(second=0),
    to_seconds=AT,
    to_milliseconds=AT + timedelta(milliseconds=8),
    to_microseconds=AT + timedelta(microseconds=8),
    with_offset=AT.astimezone(timezone(timedelta(hours=-8))),
    some_seconds=[AT],
    elapsed=timedelta(days=1, seconds=2, microseconds=3),
    number=UUID(int=7),
    colour=Colour.RED,
    level=Level.HIGH,
    choice="b",
    address=IPv4Address("10.0.0.1"),
    path=PurePosixPath("a/b"),
    secret=SecretStr("s3"),
    point=Point(x=1),
    texts=["a", ""],
    mixed=(1, "x"),
    names={"b", "a"},
    counts=frozenset({10, 9}),
    blobs={b"b", b"a"},
    days={date(2026, 3, 4)},
    no_names=set(),
    by_name={"a": 1},
    by_day={date(2026, 3, 4): Decimal("0.5")},
    either="1",
)

# A template, the types of its fields, and values of them.
KEYS: list[tuple[str, dict[str, Any], list[dict[str, Any]]]] = [
    (
        "A#{a}#{b}",
        {"a": str, "b": str},
        [{"a": "x", "b": "y"}, {"a": "x#y!z\x00", "b": "p#q"}, {"a": "é", "b": "$"}],
    ),
    ("A|{a}|{b}", {"a": str, "b": str}, [{"a": "x|y}z", "b": "|"}]),
    ("{a:*}", {"a": str}, [{"a": "a#b"}]),
    ("A#{a[:-2]}#{a[-2:]}", {"a": str}, [{"a": "abcdef"}]),
    ("N#{n}", {"n": int}, [{"n": 0}, {"n": 12}, {"n": -12}, {"n": 10**20}]),
    ("N#{n:06d}", {"n": int}, [{"n": 0}, {"n": 12}, {"n": -12}]),
    ("D#{d}", {"d": Decimal}, [{"d": Decimal("1.50")}, {"d": Decimal("-0.003")}, {"d": Decimal(0)}]),
    ("D#{d:08.2f}", {"d": Decimal}, [{"d": Decimal("1.5")}, {"d": Decimal("-12.25")}]),
    ("D#{d}", {"d": date}, [{"d": date(2026, 3, 4)}, {"d": date(999, 1, 1)}]),
    ("D#{d:%Y-%m}#{d:%d}", {"d": date}, [{"d": date(2026, 3, 4)}]),
    ("D#{d:%G-W%V}#{d}", {"d": date}, [{"d": date(2026, 12, 31)}]),
    ("T#{t}", {"t": datetime}, [{"t": AT}, {"t": AT.astimezone(timezone(timedelta(hours=-8)))}]),
    ("T#{t:%Y%m%d%H%M%S%f}", {"t": datetime}, [{"t": datetime(2026, 3, 4, 5, 6, 7, 89)}]),
    ("U#{u}", {"u": UUID}, [{"u": UUID(int=7)}]),
    ("I#{i}", {"i": IPv4Address}, [{"i": IPv4Address("10.0.0.1")}]),
    ("I#{i}", {"i": IPv6Address}, [{"i": IPv6Address("2001:db8::1")}]),
    ("E#{e}", {"e": Colour}, [{"e": Colour.RED}]),
    ("L#{c}", {"c": Literal["a", "b"]}, [{"c": "b"}]),
    ("B#{b:yes/no}", {"b": bool}, [{"b": True}, {"b": False}]),
    ("X#{x}", {"x": bytes}, [{"x": b"\x00\xff"}]),
]

# A shard is decided by a value of a field.
SHARDS: list[Any] = [
    "o-1",
    1,
    Decimal("1.50"),
    True,
    None,
    b"\x00",
    date(2026, 3, 4),
    AT,
    UUID(int=7),
    Colour.RED,
]

shop = Table("shop", ttl="expires", indexes=[GSI("by-day", pk="day-pk", sk="day-sk")])


class Account(Entity, table=shop):
    """Every marker, with guard items that expire and guard items within a tenant."""

    tenant: str
    id: int
    email: Annotated[str, Unique()]
    name: Annotated[str, Unique(within="tenant")]
    alias: Annotated[str | None, Attribute("al")] = None
    version: Annotated[int, Version()] = 0
    created: Annotated[datetime | None, Created()] = None
    updated: Annotated[datetime | None, Updated()] = None
    expires: Annotated[datetime | None, TTL()] = None

    primary = Key("ACCOUNT#{tenant}#{id:06d}", "META")


class Member(Entity, table=shop):
    """An entity that refers to another one."""

    tenant: str
    number: int
    account: Annotated[int, Reference(Account, tenant="tenant", id="account")]

    primary = Key("TEAM#{tenant}", "MEMBER#{number:04d}")


class Reading(Entity, table=shop):
    """An entity with a sharded index."""

    sensor: str
    at: AwareDatetime
    value: Decimal

    primary = Key("SENSOR#{sensor}", "AT#{at}")
    by_day = Key("DAY#{at:%Y-%m-%d}#{shard}", "AT#{at}", index="by-day", shard=Shard(4, of="sensor"))


events = Table("events", sk=None, stream=True)


class Event(Entity, table=events):
    """An item whose changes are consumed."""

    number: int

    primary = Key("{number:04d}")


invoices = sequence("invoice#{year:04d}", table=shop)

ACCOUNT = Account(
    tenant="t#1", id=7, email="a@b.c", name="ann", alias="a", expires=datetime(2027, 1, 1, tzinfo=UTC)
)
MEMBER = Member(tenant="t#1", number=1, account=7)
READING = Reading(sensor="s1", at=AT, value=Decimal("1.5"))
