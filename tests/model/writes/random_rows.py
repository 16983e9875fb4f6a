"""Random entities with every sort of index key, random rows of them, and random changes of those."""

from __future__ import annotations

import types
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, Field, computed_field

from pksk import GSI, Attribute, Entity, F, Key, N, PkskError, Shard, Table
from pksk.model.requests.update import Update
from tests.model.coarse_keys import coarse_key

TEXTS = ["a", "a b", "a#b", "b", "vancouver", "va::x", "é"]


class Address(BaseModel):
    city: str
    zip: str | None = None


class Row(Entity):
    """The fields that random entities share."""

    id: str
    n: int
    opened: date
    name: str
    city: str | None = None
    day: date
    at: AwareDatetime
    total: Annotated[int, Attribute("t")] = 0
    limit: int = 7
    price: Decimal | None = None
    ratio: float | None
    kind: str = "plain"
    tags: set[str] = Field(default_factory=set)
    log: list[str] = Field(default_factory=list)
    address: Address

    @computed_field
    def slug(self) -> str:
        return f"{self.name}-{self.total}"


PRIMARIES = [
    ("ROW#{id}", "{n:03d}#{opened}"),
    ("{n}", "R#{id}#{opened:%Y}"),
    ("Y#{opened:%Y}", "{id}#{n:03d}"),
    ("R::{id:.1}", "{n:03d}::{opened}::{id}"),
]
PARTITIONS = [
    "{name}", "CITY#{city}", "ALL", "{day:%Y-%m}", "K#{kind}#{name}", "P#{id}", "T#{total:05d}", "{opened}",
    "{city:.1}", "S#{slug}",
]  # fmt: skip
SORTS = [
    "{day}#{id}",
    "{total:05d}",
    "L#{limit:05d}#{name}",
    "{at:%Y-%m-%dT%H}#{id}",
    "{opened}#{n:03d}",
    "{city}",
]
CONDITIONS = [
    F.total > 10, F.city.exists(), (F.kind == "open") & (F.total <= 20), F.tags.contains("x"), F.price > Decimal("1.5"),
    F.address.city == "x", F.log.size() > 1, ~(F.kind == "open"), F.opened == "2024-01-01",
]  # fmt: skip


def make_table() -> Table:
    indexes: list[Any] = [
        GSI("one", pk="g1", sk="g2"),
        GSI("two", pk="h1"),
        GSI("shared", pk="g1", sk="c1"),
        GSI("own", pk="city", sk=N("t")),
        GSI("moment", pk="name", sk="at"),
        GSI("several", pk=("m1", "m2"), sk=("s1", N("t"))),
    ]
    return Table("random", indexes=indexes)


def make_entity(rng: Random) -> type[Row] | None:
    """An entity with a random key in the table and in some indexes; None if pksk rejects it."""

    def condition() -> Any:
        return rng.choice(CONDITIONS) if rng.random() < 0.4 else None

    first = rng.choice(PARTITIONS)
    shard = rng.choice([None, None, Shard(3, of=rng.choice(["id", "day", "total", "slug"])), Shard(3)])
    if shard:
        first += "#{shard}"
    keys: dict[str, Any] = {
        "by_one": Key(first, rng.choice(SORTS), index="one", when=condition(), shard=shard),
        "by_two": Key(rng.choice(PARTITIONS), index="two", when=condition()),
        "by_shared": Key(first, rng.choice(SORTS), index="shared", when=condition(), shard=shard),
        "by_own": Key("{city}", "{total}", index="own", when=condition()),
        "by_moment": Key("{name}", "{at}", index="moment", when=condition()),
        "by_several": Key(
            (rng.choice(PARTITIONS), "{name}"),
            (rng.choice(SORTS), "{total}"),
            index="several",
            when=condition(),
        ),
    }
    kept = {name: key for name, key in keys.items() if rng.random() < 0.5}
    body = {
        "__module__": __name__,
        "__annotations__": {},
        "primary": coarse_key(Row, *rng.choice(PRIMARIES)),
        **kept,
    }
    try:
        made: type[Row] = types.new_class(
            "Made", (Row,), {"table": make_table()}, lambda space: space.update(body)
        )
    except PkskError:
        return None
    return made


def value(rng: Random, name: str) -> Any:
    """A value that the field may hold."""
    day = date(2024, 1, 1) + timedelta(days=rng.choice([0, 1, 40, 400]))
    choices: dict[str, list[Any]] = {
        "id": TEXTS, "n": [0, 1, 12], "opened": [day], "name": TEXTS, "city": [None, *TEXTS], "day": [day],
        "at": [datetime(2024, 1, 2, 3, rng.randint(0, 59), tzinfo=UTC)], "total": [0, 5, 15, 25], "limit": [7, 3],
        "price": [None, Decimal("1.5"), Decimal(3)], "ratio": [None, 0.1, 2.5], "kind": ["plain", "open"],
        "tags": [set(), {"x"}, {"x", "y"}], "log": [[], ["a"], ["a", "b"]],
        "address": [Address(city="x"), Address(city="y", zip="1")],
    }  # fmt: skip
    return rng.choice(choices[name])


def change(rng: Random, update: Update[Any], row: Row) -> tuple[Update[Any], dict[str, Any]]:
    """The update with random changes, and the values that the model has after them."""
    after: dict[str, Any] = {}
    open_ones = [name for name in Row.model_fields if name not in ("id", "n", "opened")]
    for name in rng.sample(open_ones, rng.randint(1, 4)):
        verb, after[name] = rng.choice(_changes(rng, name, row))
        update = verb(update)
    return update, after


def _changes(rng: Random, name: str, row: Row) -> list[tuple[Any, Any]]:
    new, old = value(rng, name), getattr(row, name)
    found: list[tuple[Any, Any]] = [(lambda update: update.set(**{name: new}), new)]
    if name in ("city", "total", "limit", "price", "kind", "tags", "log"):
        found.append(
            (
                lambda update: update.remove(name),
                Row.model_fields[name].get_default(call_default_factory=True),
            )
        )
    if name in ("total", "limit", "price"):
        found.append((lambda update: update.add(**{name: 3}), (old or 0) + 3))
    if name == "total":
        found.append((lambda update: update.apply(F.total.set(F.limit + 2)), row.limit + 2))
    if name == "kind":
        found.append((lambda update: update.apply(F.kind.set(F.name)), row.name))
    if name == "tags":
        found.append((lambda update: update.add(tags={"x", "z"}), old | {"x", "z"}))
        found.append((lambda update: update.discard(tags={"x"}), old - {"x"}))
    if name == "log":
        found.append((lambda update: update.append(log=["c"]), [*old, "c"]))
    if name == "address":
        found.append(
            (lambda update: update.apply(F.address.city.set("x")), old.model_copy(update={"city": "x"}))
        )
    return found
