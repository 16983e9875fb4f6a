"""Types that Pydantic knows, each with values that an item can hold."""

from __future__ import annotations

import ipaddress
import re
from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, IntFlag, StrEnum
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

import pydantic.dataclasses
from pydantic import (
    AfterValidator,
    AnyUrl,
    AwareDatetime,
    Base64Bytes,
    Base64Str,
    BaseModel,
    BeforeValidator,
    ByteSize,
    ConfigDict,
    Discriminator,
    Field,
    HttpUrl,
    InstanceOf,
    IPvAnyAddress,
    Json,
    JsonValue,
    NaiveDatetime,
    PastDate,
    PlainSerializer,
    PositiveInt,
    PostgresDsn,
    RootModel,
    Secret,
    SecretBytes,
    SecretStr,
    SkipValidation,
    Strict,
    StrictInt,
    StringConstraints,
    Tag,
    conlist,
    conset,
)  # fmt: skip
from pydantic_core import core_schema
from typing_extensions import TypedDict
from ulid import ULID


class Kind(StrEnum):
    TENT = "tent"
    HUT = "hut"


class Level(IntEnum):
    LOW = 1
    HIGH = 3


class Rights(IntFlag):
    READ = 1
    WRITE = 2


class Mixed(Enum):
    ONE = 1
    TWO = "two"
    NONE = None


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    n: int
    tags: set[str] = set()
    ratio: float = 0.5
    hidden: str = Field(default="h", exclude=True)


class Wider(Inner):
    more: int = 3


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    n: int = 0


class Aliased(BaseModel):
    model_config = ConfigDict(alias_generator=str.upper, extra="forbid")
    my_x: int
    other: str = Field("q", validation_alias="oo", serialization_alias="pp")


class Exact(BaseModel):
    model_config = ConfigDict(strict=True)
    day: date
    tags: frozenset[UUID] = frozenset()


class Cat(BaseModel):
    kind: Literal["cat"] = Field(default="cat", validation_alias="type")
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = Field(default="dog", validation_alias="type")
    name: str = "rex"


def which(pet: Any) -> str:
    return str(pet.get("kind") if isinstance(pet, dict) else pet.kind)


class Tree(BaseModel):
    leaves: set[int] = set()
    branches: list[Tree] = []


class Sums(RootModel[dict[date, Decimal]]):
    pass


class Bag(RootModel[set[int]]):
    pass


T = TypeVar("T")


class Boxed(BaseModel, Generic[T]):
    value: T


class Partial(TypedDict, total=False):
    n: int
    day: date


class Point(NamedTuple):
    x: int
    at: date


@dataclass
class Plain:
    n: int
    day: date
    tags: set[str] = field(default_factory=set)


@dataclass
class Narrower(Plain):
    more: int = 1


@pydantic.dataclasses.dataclass
class Validated:
    n: int
    ratio: float = Field(0.5, alias="r")


class Money:
    """A class that only its own core schema knows how to write."""

    def __init__(self, cents: int) -> None:
        self.cents = cents

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Money) and self.cents == other.cents

    def __hash__(self) -> int:
        return hash(self.cents)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> Any:
        return core_schema.no_info_plain_validator_function(
            lambda value: value if isinstance(value, Money) else Money(value),
            serialization=core_schema.plain_serializer_function_ser_schema(lambda money: money.cents),
        )


Name = NewType("Name", str)
ID = UUID("12345678-1234-5678-1234-567812345678")
DAY = date(2025, 1, 1)
NOON = datetime(2025, 1, 1, 12, 30, 0, 250, tzinfo=timezone(timedelta(hours=5, minutes=30)))
OLD = datetime(1880, 1, 1, tzinfo=ZoneInfo("Europe/Paris"))

EXACT: list[tuple[Any, list[Any]]] = [
    (str, ["", "ü\0", "2025-01-01"]), (int, [0, -(10**37)]), (bool, [True, False]), (bytes, [b"", b"\xff\0"]),
    (float, [0.1, 1.0, -0.0, 1e-100, 1e100]), (Decimal, [Decimal("1.50"), Decimal("-0"), Decimal("9" * 38)]),
    (complex, [1 + 2j, complex(0.1, -3)]), (Fraction, [Fraction(1, 3), Fraction(2)]),
    (date, [date.min, date.max]), (AwareDatetime, [NOON, OLD, NOON.astimezone(UTC)]),
    (time, [time(1, 2, 3, 4), time(1, tzinfo=UTC)]),
    (timedelta, [timedelta(0), timedelta(days=-1, microseconds=7), timedelta.max, timedelta.min]),
    (UUID, [ID]), (ULID, [ULID.from_int(7)]), (NaiveDatetime, [datetime(2025, 1, 1), datetime.min, datetime.max]),
    (PastDate, [date(2000, 1, 1)]), (Name, ["n"]), (PositiveInt, [1]), (StrictInt, [1]), (type(None), [None]),
    (Kind, list(Kind)), (Level, list(Level)), (Rights, [Rights.READ | Rights.WRITE]), (Mixed, list(Mixed)),
    (Literal["a", 1, True, b"x", None], ["a", 1, True, b"x", None]), (Literal[Kind.TENT], [Kind.TENT]),
    (Path, [Path("a/b")]), (PurePosixPath, [PurePosixPath("/x")]), (ZoneInfo, [ZoneInfo("Europe/Paris")]),
    (ipaddress.IPv4Address, [ipaddress.IPv4Address("10.0.0.1")]), (IPvAnyAddress, [ipaddress.ip_address("::1")]),
    (ipaddress.IPv6Network, [ipaddress.IPv6Network("::/8")]), (AnyUrl, [AnyUrl("https://example.org/x?q#f")]),
    (HttpUrl, [HttpUrl("https://example.org")]), (PostgresDsn, [PostgresDsn("postgres://a:b@h/d")]),
    (SecretStr, [SecretStr("s")]), (SecretBytes, [SecretBytes(b"\xff")]), (Secret[date], [Secret[date](DAY)]),
    (ByteSize, [ByteSize(1024)]), (re.Pattern[str], [re.compile("a+")]), (re.Pattern[bytes], [re.compile(b"a")]),
    (Json[Any], ['"x"', "1.0", '{"a": [0.5, null]}']), (Json[list[int]], ["[1]"]),  # type: ignore[misc]
    (Base64Bytes, [b"aGVsbG8="]), (Base64Str, ["aGVsbG8="]),
    (Annotated[str, StringConstraints(to_lower=True, strip_whitespace=True)], [" AB "]),
    (str | None, [None, "a"]), (set[str] | None, [None, set(), {"a"}]), (set[str], [set(), {"a", ""}]),
    (frozenset[int], [frozenset(), frozenset({1, 2})]), (set[Decimal], [{Decimal("1.5"), Decimal(2)}]),
    (set[float], [{0.5, 1.0}]), (set[UUID], [{ID}]), (set[date], [{DAY}]), (set[Kind], [{Kind.TENT}]),
    (set[Level], [{Level.LOW}]), (set[bytes], [{b""}]), (set[bool], [{True}]), (set[int | str], [{1, "1"}]),
    (set[tuple[int, ...]], [{(1,), ()}]), (set[frozenset[int]], [{frozenset()}]), (set[Money], [{Money(5)}]),
    (conset(str, min_length=1), [{"a"}]), (conlist(int, max_length=2), [[1]]), (AbstractSet[int], [{1}]),
    (list, [[1, "a"]]),
    (list[set[str]], [[set(), {"a"}]]), (dict[str, set[int]], [{"a": set()}]), (list[int], [[], [1]]),
    (tuple[int, date], [(1, DAY)]), (tuple[int, ...], [(), (1,)]), (deque[int], [deque([1])]),
    (tuple[str, Inner, Plain], [("a", Inner(n=1), Plain(1, DAY))]), (tuple[Inner, ...], [(), (Inner(n=1), Inner(n=2))]),
    (Sequence[int], [[1]]), (Mapping[str, int], [{"a": 1}]), (Counter[str], [Counter("aab")]),
    (defaultdict[str, list[int]], [defaultdict(list, a=[1])]), (dict, [{"a": 1}]),
    (dict[int, str], [{1: "a", -5: "b"}]), (dict[float, str], [{0.1: "a", 1.0: "b"}]), (dict[bool, int], [{True: 1}]),
    (dict[Decimal, str], [{Decimal("1.5"): "a"}]), (dict[date, str], [{DAY: "a"}]),
    (dict[AwareDatetime, str], [{NOON: "a"}]),
    (dict[UUID, list[Inner]], [{ID: [Inner(n=1)]}]), (dict[Kind, str], [{Kind.TENT: "a"}]),
    (dict[Level, str], [{Level.LOW: "a"}]), (dict[timedelta, int], [{timedelta(1): 1}]), (dict[Any, int], [{"a": 1}]),
    (Inner, [Inner(n=1), Inner(n=1, tags={"a"}, hidden="x")]), (list[Inner], [[Inner(n=1)]]),
    (Open, [Open(n=1, **{"x": [1]})]),
    (Aliased, [Aliased.model_validate({"MY_X": 1, "oo": "z"})]),
    (Exact, [Exact(day=DAY), Exact(day=DAY, tags=frozenset({ID}))]),
    (Annotated[Cat | Dog, Field(discriminator="kind")], [Cat(), Dog(name="x")]), (Cat | Dog, [Cat(), Dog()]),
    (Annotated[Annotated[Cat, Tag("cat")] | Annotated[Dog, Tag("dog")], Discriminator(which)], [Cat(), Dog()]),
    (Tree, [Tree(leaves={1}, branches=[Tree(), Tree(leaves={2})])]), (Sums, [Sums({DAY: Decimal("0.1")})]),
    (Bag, [Bag(set()), Bag({1})]), (Boxed[date], [Boxed[date](value=DAY)]),
    (Boxed[set[int]], [Boxed[set[int]](value=set())]),
    (Partial, [{}, {"n": 1, "day": DAY}]), (Point, [Point(1, DAY)]), (Plain, [Plain(1, DAY), Plain(1, DAY, {"a"})]),
    (Validated, [Validated(1, r=0.25)]), (Money, [Money(5)]), (list[Money], [[Money(5)]]),
    (int | str, [1, "1"]), (bytes | str, [b"a", "a"]), (Decimal | str, [Decimal("1.5"), Decimal(1), "1"]),
    (bool | int, [True, 1]), (bool | str, [True, "true"]), (int | None | str, [None, 1, "a"]), (UUID | date, [ID, DAY]),
    (Inner | list[Inner], [Inner(n=1), [Inner(n=1)]]),
    (Any, [1, "a", None, b"a", True, Decimal("0.5"), [1, {"a": []}], {"a"}]),
    (object, [1]), (JsonValue, [1, "a", True, [1, {"b": None}]]), (dict[str, Any], [{"a": {"b": 1}}]),
    (InstanceOf[int], [1]), (SkipValidation[int], [1]), (Annotated[date, Strict()], [DAY]),
    (Annotated[str, AfterValidator(str.lower)], ["AB"]),
    (Annotated[float, PlainSerializer(lambda value: f"{value:.1f}", when_used="json")], [0.123]),
    (Annotated[int, BeforeValidator(int), PlainSerializer(lambda value: f"#{value}", when_used="json")], [1]),
]  # fmt: skip
