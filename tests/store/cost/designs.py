"""Random designs with random items, of sizes that make units differ."""

from __future__ import annotations

import types
from datetime import date, timedelta
from random import Random
from typing import Any, Final

from pydantic import Field

from pksk import DesignError, F
from pksk.model import Entity, Key, Shard
from pksk.schema import GSI, LSI, N, Table
from tests.model.coarse_keys import coarse_key

__all__ = ["Row", "entities_of", "keys_of", "table_of", "values_of"]

TEXTS: Final = ["a", "a b", "ab", "b", "van", "vancouver", "z:", "é"]
SIZES: Final = [0, 0, 10, 400, 900, 1000, 1024, 1500, 3900, 4200, 9000]


class Row(Entity):
    """The fields that random entities share."""

    name: str
    city: str
    n: int
    day: date
    note: str | None = None
    text: str = ""
    tags: set[str] = Field(default_factory=set)
    log: list[str] = Field(default_factory=list)


PARTITIONS: Final = ["{name}", "R#{name}", "ALL", "{day:%Y-%m}", "T::{name}::{city}", "R#{name}#{n:03d}"]
SORTS: Final = [
    "{n:03d}#{city}", "{city}#{n:03d}", "{day}#{name}", "{city}::{n:03d}", "{n:03d}", "{day}#{n:03d}#{name}#{city}",
]  # fmt: skip


def values_of(random: Random) -> dict[str, Any]:
    """The fields of one item."""
    return {
        "name": random.choice(TEXTS),
        "city": random.choice(TEXTS),
        "n": random.randint(-3, 40),
        "day": date(2024, 12, 20) + timedelta(days=random.randint(0, 60)),
        "note": random.choice([None, None, "x", "y" * 600]),
        "text": "t" * random.choice(SIZES),
        "tags": set(random.sample(TEXTS, random.randint(0, 3))),
        "log": random.sample(TEXTS, random.randint(0, 3)),
    }


def table_of(random: Random) -> Table:
    """A table with some of all sorts of indexes."""
    projections: list[Any] = ["all", "keys", ["city"], ["text", "type"], ["note", "n"]]
    indexes: list[Any] = [
        GSI("one", pk="g1", sk="g2", projection=random.choice(projections)),
        GSI("number", pk="h1", sk=N("n"), projection=random.choice(projections)),
        GSI("several", pk=("m1", "m2"), sk=("s1", "s2"), projection=random.choice(projections)),
        GSI("plain", pk="note", projection=random.choice(projections)),
        LSI("local", sk="l1", projection=random.choice(projections)),
    ]
    kept = [each for each in indexes if random.random() < 0.8]
    discriminator = random.choice(["type", "type", None])
    return Table("priced", indexes=kept, discriminator=discriminator)


def entities_of(random: Random, table: Table) -> list[type[Row]]:
    """Up to three entities of a table; those that are rejected are left out."""
    made = [_entity(random, table, number) for number in range(3)]
    return [each for each in made if each is not None]


def keys_of(random: Random, partition: str, number: int) -> dict[str, Key]:
    """A key in the table and in each index."""
    shard = Shard(3, of=random.choice(["name", "n"])) if random.random() < 0.4 else None
    overload = random.choice(PARTITIONS)
    joint = "::" if "::" in overload else "#"
    return {
        "primary": coarse_key(Row, partition, f"{random.choice(['', f'K{number}#'])}{random.choice(SORTS)}"),
        "by_one": Key(
            f"{overload}{joint}{{shard}}" if shard else overload,
            random.choice(SORTS),
            index="one",
            shard=shard,
        ),
        "by_number": Key(random.choice(["{note}", "{name}", "ALL"]), "{n}", index="number"),
        "by_local": Key(partition, random.choice(SORTS), index="local"),
        "by_several": Key(
            ("{name}", "{city:.2}"),
            ("{day}", random.choice([*SORTS, "{note}"])),
            index="several",
            when=random.choice([None, F.n > 2]),
        ),
    }


def _entity(random: Random, table: Table, number: int) -> type[Row] | None:
    keys = keys_of(random, random.choice(PARTITIONS), number)
    names = {index.name for index in table.indexes}
    kept = {name: key for name, key in keys.items() if key.index is None or key.index in names}
    body = {"__module__": __name__, "__annotations__": {}, **kept}
    try:
        made: type[Row] = types.new_class(
            f"Entity{number}", (Row,), {"table": table}, lambda space: space.update(body)
        )
    except DesignError:
        return None
    return made
