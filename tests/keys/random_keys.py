"""Random templates and values that try to be difficult: delimiters inside values, unequal lengths, negatives."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from ipaddress import IPv4Address, IPv6Address
from random import Random
from typing import Annotated, Any, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime, NaiveDatetime
from ulid import ULID

from pksk import InvalidValue, Precision, Template, TemplateError


class Length:
    """Stands for the length constraints of model libraries."""

    def __init__(self, exactly: int) -> None:
        self.min_length = self.max_length = exactly


class Kind(Enum):
    """An Enum whose texts begin each other, and hold delimiters."""

    TENT = "tent"
    TENT_SITE = "tent#site"
    CABIN = "ca:bin"


class Level(Enum):
    LOW = 1
    MIDDLE = 5
    HIGH = 9


CHARACTERS = 'aab10Z#$:;|}_`-,. !"\x00\n\x7féß\ud7ff\ue000\U0001f600\U0010ffff%*/'
DELIMITERS = ["#", "#", "#", "::", "::", "::", "|", "_", "-", "##", "+", "^"]


def text(rng: Random, most: int = 4) -> str:
    if rng.random() < 0.02:
        most = 300
    return "".join(rng.choice(CHARACTERS) for _ in range(rng.randint(1, most)))


def instant(rng: Random) -> datetime:
    if rng.random() < 0.2:
        day = datetime(
            2025, 11, 2, rng.randint(0, 3), rng.choice([0, 30, 59]), tzinfo=ZoneInfo("America/New_York")
        )
        return day.replace(fold=rng.randint(0, 1))
    zone = rng.choice([UTC, UTC, timezone(timedelta(hours=5, minutes=30)), timezone(timedelta(hours=-8))])
    base = datetime(
        rng.choice([2, 999, 2024, 2025, 9998]), rng.choice([1, 2, 12]), rng.randint(1, 28), tzinfo=zone
    )
    return base + timedelta(
        hours=rng.randint(0, 47), minutes=rng.choice([0, 59]), microseconds=rng.choice([0, 0, 1, 999999])
    )


def day(rng: Random) -> date:
    return date(rng.choice([1, 999, 2024, 2025, 9999]), rng.choice([1, 2, 6, 12]), rng.randint(1, 28))


def wall(rng: Random) -> datetime:
    return instant(rng).replace(tzinfo=None)


def started(unit: Any, make: Any) -> Any:
    """Makes random values that are the start of a unit."""
    return lambda rng: Precision(unit).floor(make(rng))


def precise(form: str, kind: Any, unit: Any, make: Any) -> tuple[str, Any, Any]:
    return form, Annotated[kind, Precision(unit)], started(unit, make)


# A format for a part, the type of its field, and random values of it.
PARTS: list[tuple[str, Any, Any]] = [
    ("{%s}", str, text),
    ("{%s}", str, text),
    ("{%s}", str, text),
    ("{%s:.2}", str, text),
    ("{%s[:-1]}", str, text),
    ("{%s[-2:]}", str, text),
    ("{%s[2:]}", str, text),
    ("{%s[1:3]}", str, text),
    ("{%s}", Annotated[str, Length(2)], lambda rng: rng.choice(CHARACTERS) + rng.choice(CHARACTERS)),
    ("{%s}", int, lambda rng: rng.choice([0, 1, -1, 9, 10, 11, -10, rng.randint(-9999, 9999)])),
    ("{%s:03d}", int, lambda rng: rng.choice([0, 1, -1, 9, 10, -9, -10, 999, -999, rng.randint(-999, 999)])),
    ("{%s}", Decimal, lambda rng: Decimal(rng.randint(-500, 500)).scaleb(rng.randint(-3, 2))),
    ("{%s:05.1f}", Decimal, lambda rng: Decimal(rng.randint(-9999, 9999)) / 10),
    ("{%s}", date, day),
    ("{%s:%%Y-%%m}", date, day),
    ("{%s:%%Y}", date, day),
    ("{%s:%%G-W%%V}", date, day),
    ("{%s:%%Y%%j}", date, day),
    ("{%s:%%d.%%m.%%Y}", date, day),
    ("{%s}", datetime, instant),
    ("{%s:%%Y-%%m-%%dT%%H}", datetime, instant),
    ("{%s:%%Y-%%m-%%d %%H:%%M}", datetime, wall),
    ("{%s:%%Y%%m%%d%%H%%M%%S%%f}", datetime, wall),
    precise("{%s:%%Y-%%m}", date, "month", day),
    precise("{%s:%%Y}", date, "year", day),
    precise("{%s:%%G-W%%V}", date, "week", day),
    precise("{%s:%%Y-%%m}", date, "week", day),
    precise("{%s}", date, "week", day),
    precise("{%s:%%Y-%%m-%%d %%H:%%M}", datetime, "minute", wall),
    precise("{%s:%%Y-%%m-%%dT%%H:%%MZ}", datetime, "minute", instant),
    precise("{%s:%%Y-%%m-%%dT%%H}", AwareDatetime, "hour", instant),
    precise("{%s:%%Y-%%m}", AwareDatetime, "second", instant),
    precise("{%s}", datetime, "millisecond", instant),
    ("{%s:%%Y%%m%%d%%H%%M%%S%%f}", AwareDatetime, instant),
    ("{%s:%%Y-%%m}", NaiveDatetime, wall),
    ("{%s:.2}", Annotated[str, Length(2)], lambda rng: rng.choice(CHARACTERS) + rng.choice(CHARACTERS)),
    (
        "{%s}",
        IPv4Address,
        lambda rng: IPv4Address(rng.choice([0, 9, 10, 255, 256, 2**32 - 1, rng.getrandbits(32)])),
    ),
    ("{%s}", IPv6Address, lambda rng: IPv6Address(rng.choice([0, 9, 10, 2**128 - 1, rng.getrandbits(128)]))),
    ("{%s}", UUID, lambda rng: UUID(int=rng.choice([0, 1, 255, 2**128 - 1, rng.getrandbits(128)]))),
    ("{%s}", ULID, lambda rng: ULID.from_int(rng.choice([1, 31, 32, 2**128 - 1, rng.getrandbits(128)]))),
    ("{%s}", Kind, lambda rng: rng.choice(list(Kind))),
    ("{%s}", Level, lambda rng: rng.choice(list(Level))),
    ("{%s}", Literal["a", "ab", "b#"], lambda rng: rng.choice(["a", "ab", "b#"])),
    ("{%s:yes/no}", bool, lambda rng: rng.choice([True, False])),
    ("{%s}", bytes, lambda rng: rng.randbytes(rng.randint(1, 3))),
]
LAST_PARTS = [*PARTS, ("{%s:*}", str, text)]


@dataclass
class Sample:
    """A template with what makes random values for it."""

    template: Template
    makers: dict[str, Any]

    def values(self, rng: Random) -> dict[str, Any]:
        """Values that the template can render."""
        for _ in range(1000):
            values = {field: make(rng) for field, make in self.makers.items()}
            try:
                self.template.render(values)
            except InvalidValue:
                continue
            return values
        raise TemplateError("template-option", f"{self.template!r} renders none of its values")


def sample(rng: Random) -> Sample:
    """A random template that can be declared."""
    while True:
        try:
            return _attempt(rng)
        except TemplateError:
            continue


def _attempt(rng: Random) -> Sample:
    delimiter, count = rng.choice(DELIMITERS), rng.randint(1, 4)
    types: dict[str, Any] = {}
    chosen: dict[str, tuple[str, Any]] = {}
    makers: dict[str, Any] = {}
    written = rng.choice(["", "", "A" + delimiter, "O" + delimiter, "order_x" + delimiter])
    for index in range(count):
        last = index == count - 1
        form, kind, make = rng.choice(LAST_PARTS if last else PARTS)
        field = f"f{index}"
        # Now and then a field is in the key once more, in another format of the same type.
        same = [name for name, (_, other) in chosen.items() if other is kind and types[name] is kind]
        if same and rng.random() < 0.5:
            field, make = same[0], makers[same[0]]
        chosen[field] = (form, kind)
        types[field], makers[field] = kind, make
        written += form % field
        if not last:
            written += delimiter + rng.choice(["", "", "", "L" + delimiter, "x"])
    written += rng.choice(["", "", "", delimiter + "END"])
    braced = written.replace("}" + "}", "}}")
    template = Template(
        braced, types, codec=rng.choice(["escaped", "escaped", "raw"]), delimiter=delimiter, role="sort"
    )
    found = Sample(template, makers)
    found.values(rng)
    return found
