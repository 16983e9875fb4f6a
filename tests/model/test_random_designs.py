"""Random entities, items and queries: planned requests return the same as filtering all items."""

from __future__ import annotations

import os
import types
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

import pytest
from pydantic import NaiveDatetime

from pksk import BoundsError, DesignError, F, begins, between, collect, gt, gte, lt, lte
from pksk.keys import Operator
from pksk.model import BoundKey, Entity, Key, Query, Shard
from pksk.model.entity_of_item import is_item_of
from pksk.schema import GSI, LSI, N, Table
from tests.model.coarse_keys import coarse_key
from tests.model.table_model import Shelf

LONG = bool(os.environ.get("PKSK_LONG"))
BLOCKS = range(40 if LONG else 4)
DESIGNS = 60 if LONG else 6
ITEMS = 30

TEXTS = ["a", "a b", "ab", "a#b", "b", "van", "vancouver", "va", "z:", "é"]


class Row(Entity):
    """The fields that random entities share."""

    name: str
    city: str
    n: int
    day: date
    at: NaiveDatetime
    note: str | None = None


PARTITIONS = [
    "{name}", "R#{name}", "R#{city:.2}", "ALL", "{day:%Y-%m}", "T::{name}::{city}", "Y#{at:%Y}", "R#{name}#{n:03d}",
    "C#{city[:1]}", "C#{city[:-1]}", "M#{day:%Y-%m}#{name}",
]  # fmt: skip
SORTS = [
    "{n:03d}#{city}", "{city}#{n:03d}", "{day}#{name}", "L#{at:%Y-%m-%dT%H:%M}#{name}#{n:03d}", "{city}::{n:03d}",
    "{name}", "{n:03d}", "M#{day:%Y-%m}#{city}#{n:03d}", "{day}#{n:03d}#{name}#{city}",
    "{city[1:]}#{n:03d}", "{city[-1:]}",
]  # fmt: skip


def values(rng: Random) -> dict[str, Any]:
    day = date(2024, 12, 20) + timedelta(days=rng.randint(0, 60))
    at = datetime(2024, 11, 30, 22) + timedelta(hours=rng.randint(0, 1500), minutes=rng.choice([0, 0, 30]))
    note = rng.choice([None, None, "x"])
    return {
        "name": rng.choice(TEXTS),
        "city": rng.choice(TEXTS),
        "n": rng.randint(-3, 12),
        "day": day,
        "at": at,
        "note": note,
    }


def make_table(rng: Random) -> Table:
    indexes: list[Any] = [
        GSI(
            "index-one", pk="g1", sk="g2", projection=rng.choice(["all", "keys", ["city"], ["city", "type"]])
        ),
        GSI("index-two", pk="h1", sk=N("n")),
        GSI("index-several", pk=("m1", "m2"), sk=("s1", "s2")),
        LSI("local-one", sk="l1", projection=rng.choice(["all", "keys"])),
    ]
    return Table("random", indexes=indexes, discriminator=rng.choice(["type", "type", None]))


def make_entity(rng: Random, table: Table, number: int, partition: str = "") -> type[Row] | None:
    """An entity with a random key in the table and in each index; None if DynamoDB or pksk rejects it."""
    shard = Shard(3, of=rng.choice(["name", "n"])) if rng.random() < 0.3 else None
    overload, partition = rng.choice(PARTITIONS), partition or rng.choice(PARTITIONS)
    keys: dict[str, Any] = {
        "primary": coarse_key(Row, partition, f"{rng.choice(['', f'K{number}#'])}{rng.choice(SORTS)}"),
        "by_one": Key(
            f"{overload}{'#' if '::' not in overload else '::'}{{shard}}" if shard else overload,
            rng.choice(SORTS), index="index-one", shard=shard,
        ),
        "by_number": Key(rng.choice(["{note}", "{name}", "ALL"]), "{n}", index="index-two"),
        "by_local": Key(partition, rng.choice(SORTS), index="local-one"),
        "by_several": Key(
            ("{name}", "{city:.2}"), ("{day}", rng.choice([*SORTS, "{note}"])), index="index-several",
            when=rng.choice([None, None, F.n > 2]),
        ),
    }  # fmt: skip
    body = {"__module__": __name__, "__annotations__": {}, **keys}
    try:
        made: type[Row] = types.new_class(
            f"Entity{number}", (Row,), {"table": table}, lambda space: space.update(body)
        )
    except DesignError:
        return None
    return made


@pytest.mark.parametrize("block", BLOCKS)
def test_a_plan_returns_exactly_the_matching_items(block: int) -> None:
    rng = Random(int(os.environ.get("PKSK_RANDOM", "4")) * 1000 + block)
    answered = 0
    for _ in range(DESIGNS):
        table = make_table(rng)
        entities = [made for number in range(3) if (made := make_entity(rng, table, number))]
        shelf, rows = fill(rng, table, entities)
        for entity in entities:
            for key_name in entity.__pksk__.keys:
                answered += sum(
                    compare(shelf, rows, entity, key_name, values) for values in key_values(rng, rows[entity])
                )
            answered += sum(
                compare(shelf, rows, entity, None, values) for values in key_values(rng, rows[entity])
            )
    assert answered > DESIGNS


@pytest.mark.parametrize("block", BLOCKS)
def test_a_collection_returns_what_its_queries_return(block: int) -> None:
    """Each is queried for a partition; those of one that can be read together are."""
    rng = Random(int(os.environ.get("PKSK_RANDOM", "4")) * 1000 + block)
    together = 0
    for _ in range(2 * DESIGNS):
        table = make_table(rng)
        shared = rng.choice([*PARTITIONS, "ALL", "ALL", "ALL"])
        entities = [made for number in range(3) if (made := make_entity(rng, table, number, shared))]
        shelf, rows = fill(rng, table, entities)
        for _ in range(6 if len(entities) > 1 else 0):
            one, other = rng.sample(entities, 2)
            values = rng.choice(rows[one]).model_dump()
            first, second = (partition_of(each, values) for each in (one, other))
            both = collect(first, second).plan
            apart = [*shelf.answer(first.plan), *shelf.answer(second.plan)]

            assert sorted(map(str, shelf.answer(both))) == sorted(map(str, apart))
            together += not both.branches
    assert together


def partition_of(entity: type[Row], values: dict[str, Any]) -> Query[Row]:
    key = BoundKey(entity, "primary")
    return key(**{name: values[name] for name in key.entity_key.partition_fields})


def fill(rng: Random, table: Table, entities: list[type[Row]]) -> tuple[Shelf, dict[type[Row], list[Row]]]:
    shelf = Shelf(table)
    for _ in range(ITEMS):
        for entity in entities:
            made = entity(**values(rng))
            shelf.put(entity.__pksk__.to_item(made))
    rows: dict[type[Row], list[Row]] = {entity: [] for entity in entities}
    for item in shelf.items:
        owner = next(each for each in entities if is_item_of(each.__pksk__, item))
        rows[owner].append(owner.from_item(item))
    return shelf, rows


def key_values(rng: Random, rows: list[Row]) -> Iterator[dict[str, Any]]:
    """Random subsets of fields, each with a plain value or an operator."""
    for _ in range(12):
        base = rng.choice(rows).model_dump()
        picked = rng.sample(list(base), rng.randint(1, 4))
        yield {name: operand(rng, base[name], rng.choice(rows).model_dump()[name]) for name in picked}


def operand(rng: Random, value: Any, other: Any) -> Any:
    if value is None or other is None or rng.random() < 0.5:
        return value
    if isinstance(value, str) and rng.random() < 0.4:
        return begins(value[: rng.randint(1, 3)])
    if type(value) is date and rng.random() < 0.4:
        return begins(value.isoformat()[: rng.choice([4, 7, 10])])
    if type(value) is date and rng.random() < 0.3:
        return between(
            value.replace(day=1), (value.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(1)
        )
    if rng.random() < 0.4:
        return between(*sorted([value, other]))
    return rng.choice([lt, lte, gt, gte])(value)


def compare(
    shelf: Shelf,
    rows: dict[type[Row], list[Row]],
    entity: type[Row],
    key_name: str | None,
    values: dict[str, Any],
) -> bool:
    """Ask by one key, or let the planner choose; an index that is sparse answers for what it holds alone."""
    values = {name: value for name, value in values.items() if value is not None}
    try:
        if key_name is None:
            plan = entity.where(**values).hydrate().plan
        else:
            key = entity.__pksk__.keys[key_name]
            values = {name: value for name, value in values.items() if name in key.fields}
            plan = getattr(entity, key_name)(**values).hydrate().plan
    except (BoundsError, DesignError):
        return False
    found = [entity.__pksk__.from_item(item) for item in shelf.answer(plan)]
    found = [
        row for row in found if all(each.accepts(row.model_dump()) for each in plan.filters_after_reading)
    ]
    expected = [row for row in rows[entity] if held(row, key_name) and matches(row.model_dump(), values)]
    order = {repr(row): index for index, row in enumerate(rows[entity])}

    assert sorted(map(repr, found), key=order.__getitem__) == [repr(row) for row in expected], (values, plan)
    return True


def held(row: Row, key_name: str | None) -> bool:
    if key_name is None:
        return True
    key = row.__pksk__.keys[key_name]
    return set(row.__pksk__.key_values(row)) >= {part.attribute for part in key.parts}


def matches(row: dict[str, Any], values: dict[str, Any]) -> bool:
    return all(
        value.accepts(row[name]) if isinstance(value, Operator) else row[name] == value
        for name, value in values.items()
    )
