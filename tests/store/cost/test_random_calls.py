"""Over random designs, items and calls, prices equal the consumed capacity by table and index, to the half unit."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from pksk import BoundsError, DesignError, F, InvalidValue, Put, batch, between, transaction
from pksk.errors import PkskError
from pksk.model import BoundKey
from pksk.store.requests.query import counting_read
from tests.conftest import LONG
from tests.store.cost.designs import values_of
from tests.store.cost.world import World

BLOCKS = range(40 if LONG else 4)
DESIGNS = 20 if LONG else 2
ITEMS = 40
CALLS = 150 if LONG else 60


@pytest.mark.parametrize("block", BLOCKS)
def test_priced_equals_consumed(block: int) -> None:
    random = Random(int(os.environ.get("PKSK_RANDOM", "8")) * 1000 + block)
    compared = 0
    for _ in range(DESIGNS):
        world = World(random, ITEMS)
        for _ in range(CALLS if world.entities else 0):
            random.choice(KINDS)(world)
        compared += world.compared

    assert compared > DESIGNS * CALLS // 4


def _put(world: World) -> None:
    put = Put(world.entity())
    world.compare(put, [world.item(put.item_key)], lambda: world.store.put(put))


def _create(world: World) -> None:
    put = Put(world.entity()).if_absent()
    world.compare(put, [world.item(put.item_key)], lambda: world.store.create(put))


def _put_if(world: World) -> None:
    put = Put(world.entity()).when(F.n > world.random.randint(0, 40))
    world.compare(put, [world.item(put.item_key)], lambda: world.store.put(put))


def _update(world: World) -> None:
    update = changed(world, *place(world))
    if update is not None:
        world.compare(update, [world.item(update.item_key)], lambda: world.store.update(update))


def _upsert(world: World) -> None:
    update = changed(world, *place(world))
    if update is not None:
        made = update.upsert()
        world.compare(made, [world.item(made.item_key)], lambda: world.store.update(made))


def _delete(world: World) -> None:
    entity, parts = place(world)
    delete = entity.primary.delete(**parts)
    if world.random.random() < 0.5:
        delete = delete.when(F.n > 10) if world.random.random() < 0.5 else delete.if_present()
    world.compare(delete, [world.item(delete.item_key)], lambda: world.store.delete(delete))


def _get(world: World) -> None:
    get = read(world)
    world.compare(get, [world.item(get.request["Key"])], lambda: world.store.get(get))


def _batch_get(world: World) -> None:
    gets = reads(world, world.random.randint(1, 130))
    images = [world.item(get.request["Key"]) for get in gets]
    world.compare(batch(*gets), images, lambda: world.store.batch_get(*gets))


def _batch_write(world: World) -> None:
    def member() -> Any:
        return Put(world.entity()) if world.random.random() < 0.5 else gone(world)

    writes = distinct(world, member, 40)
    if writes:
        images = [world.item(write.item_key) for write in writes]
        world.compare(batch(*writes), images, lambda: world.store.run(batch(*writes)))


def _transaction(world: World) -> None:
    def member() -> Any:
        entity, parts = place(world)
        return world.random.choice(
            (
                lambda: Put(world.entity()),
                lambda: gone(world),
                lambda: entity.primary.check(**parts),
                lambda: changed(world, entity, parts) or Put(world.entity()),
                lambda: Put(world.entity()).if_absent(),
            )
        )()

    writes = distinct(world, member, 6)
    if writes:
        images = [world.item(write.item_key) for write in writes]
        world.compare(transaction(*writes), images, lambda: world.store.transaction(*writes))


def _transaction_of_gets(world: World) -> None:
    gets = reads(world, 5)
    images = [world.item(get.request["Key"]) for get in gets]
    world.compare(transaction(*gets), images, lambda: world.store.transaction(*gets))


def _query(world: World) -> None:
    query = random_query(world)
    if query is None:
        return
    counted = query
    calls: list[Callable[[], Any]] = [lambda: list(world.store.iter(query)), lambda: world.store.run(query)]
    if not query.whole_items and world.random.random() < 1 / 3:
        # An index that projects too little to read from may serve to count.
        counted, calls = counting_read(query), [lambda: world.store.count(query)]
    images = [world.evaluated(request) for request in counted.plan.requests]
    world.compare(counted, images, world.random.choice(calls))


def _scan(world: World) -> None:
    scan = world.random.choice(world.entities).scan()
    if world.random.random() < 0.5:
        scan = scan.segments(world.random.randint(2, 5))
    if world.random.random() < 0.5:
        scan = scan.filter(F.n > 10)
    if world.random.random() < 0.5:
        scan = scan.pages(world.random.randint(1, 9))
    images = [world.evaluated(request) for request in scan.plan.requests]
    world.compare(scan, images, lambda: list(world.store.scan(scan)))


KINDS: list[Callable[[World], None]] = [
    _put, _put, _create, _put_if, _update, _update, _upsert, _delete, _get, _batch_get, _batch_write, _transaction,
    _transaction, _transaction_of_gets, _query, _query, _query, _query, _scan,
]  # fmt: skip


def place(world: World) -> tuple[Any, dict[str, Any]]:
    """An entity and all parts of a key, mostly of an item that is there."""
    rows = world.stored() if world.random.random() < 0.8 else []
    row = world.random.choice(rows or [world.entity()])
    return type(row), {name: getattr(row, name) for name in type(row).__pksk__.primary.fields}


def read(world: World) -> Any:
    entity, parts = place(world)
    get = entity.primary.get(**parts)
    return get.consistently() if world.random.random() < 0.5 else get


def reads(world: World, most: int) -> list[Any]:
    """Gets of different items."""
    found = (read(world) for _ in range(most))
    return list({repr(get.request["Key"]): get for get in found}.values())


def gone(world: World) -> Any:
    entity, parts = place(world)
    return entity.primary.delete(**parts)


def changed(world: World, entity: Any, parts: dict[str, Any]) -> Any:
    """An update of some fields that are not in the key; None if it is rejected."""
    random, values = world.random, values_of(world.random)
    update = entity.primary.update(**parts)
    free = [name for name in values if name not in parts]
    try:
        for name in random.sample(free, random.randint(1, min(3, len(free)))):
            if name == "note" and random.random() < 0.5:
                update = update.remove(name)
            elif name == "log" and values[name]:
                update = update.append(log=values[name])
            elif name == "tags" and values[name]:
                update = update.add(tags=values[name])
            elif name == "n" and random.random() < 0.5:
                update = update.add(n=1)
            else:
                update = update.set(**{name: values[name]})
        if random.random() < 0.2:
            update = update.when(F.text.exists())
        return update if update.changes else None
    except (DesignError, InvalidValue):
        return None


def distinct(world: World, make: Callable[[], Any], most: int) -> list[Any]:
    """Writes of different items, as many as fit together."""
    found = {
        repr(sorted(each.item_key.items())): each
        for each in (make() for _ in range(world.random.randint(1, most)))
    }
    writes = list(found.values())
    try:
        (transaction if most < 10 else batch)(*writes)
    except PkskError:
        return []
    return writes


def random_query(world: World) -> Any:
    """A query by a key or by the planner's choice, with every option of a query; None if it raises."""
    random, row = world.random, world.random.choice(world.stored() or [world.entity()])
    entity, values = type(row), row.model_dump()
    key = random.choice([*entity.__pksk__.keys, None])
    names = [name for name in ("name", "city", "n", "day", "note") if values[name] is not None]
    conditions = {
        name: operand_for(random, values[name]) for name in random.sample(names, random.randint(1, 3))
    }
    try:
        if key is None:
            query: Any = entity.where(**conditions)
        else:
            fields = entity.__pksk__.keys[key].fields
            leading = entity.__pksk__.keys[key].partition_fields
            conditions = {name: values[name] for name in leading} | {
                n: v for n, v in conditions.items() if n in fields
            }
            query = BoundKey(entity, key)(**conditions)
        filtered = random.random() < 0.3
        if filtered:
            query = query.filter(F.text.contains("t"))
        if random.random() < 0.3:
            query = query.reverse()
        if random.random() < 0.4:
            query = query.pages(random.randint(1, 5))
        if random.random() < 0.3:
            query = query.consistently()
        if random.random() < 0.6:
            query = query.hydrate()
        fetched = any("Select" in request for request in query.plan.requests)
    except (BoundsError, DesignError, InvalidValue):
        return None
    # DynamoDB does not filter by attributes that it would have to fetch.
    return None if filtered and fetched else query


def operand_for(random: Random, value: Any) -> Any:
    if isinstance(value, int) and random.random() < 0.5:
        return between(value - 5, value + 5)
    return value
