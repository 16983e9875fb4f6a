"""Compares a table with the model: items, guards, counters, every index, and every typed read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pksk import Engine, Entity, Put, Store
from pksk.model import BoundKey
from pksk.values import item_from_wire
from tests.store.machine.model import Model, expiry, guards
from tests.store.machine.park import ENTITIES, park, queue
from tests.store.machine.writes import Address, address_of

__all__ = ["asked", "check_raw", "check_typed", "expected_rows", "questions"]

Item = dict[str, Any]
_SPREAD = [f"SPREAD#{number}" for number in range(3)]


def check_raw(engine: Engine, model: Model) -> None:
    """What the engine holds is what the model says, and nothing else."""
    rows, found_guards, counters = _sorted_out(engine)
    items = {address: as_items(row, rows.get(address, {})) for address, row in model.rows.items()}

    assert rows == items
    assert counters == model.counters
    _check_guards(found_guards, model)
    for index in park.indexes:
        _check_index(engine, index.name, index.keys, items)


def scanned(engine: Engine, **options: Any) -> Iterator[Item]:
    """All items, as Python values."""
    request = {"TableName": park.name, **options}
    while True:
        answer = engine.call("Scan", request)
        yield from (item_from_wire(item) for item in answer["Items"])
        if "LastEvaluatedKey" not in answer:
            return
        request = {**request, "ExclusiveStartKey": answer["LastEvaluatedKey"]}


def _sorted_out(engine: Engine) -> tuple[dict[Address, Item], list[Item], dict[str, int]]:
    rows: dict[Address, Item] = {}
    found_guards: list[Item] = []
    counters: dict[str, int] = {}
    for item in scanned(engine):
        if item["type"] == "pksk:unique":
            found_guards.append(item)
        elif item["type"] == queue.entity.__pksk__.tag:
            counters[item["gate"]] = int(item["last"])
        else:
            rows[item["pk"], item["sk"]] = item
    return rows, found_guards, counters


def as_items(row: Entity, found: Item) -> Item:
    """The item that an entity is stored as; where a shard is drawn at random, that which was drawn."""
    item: Item = item_from_wire(Put(row).item)
    if item.get("gsi2pk") in _SPREAD and found.get("gsi2pk") in _SPREAD:
        item["gsi2pk"] = found["gsi2pk"]
    return item


def _check_guards(found: list[Item], model: Model) -> None:
    """One guard for each unique value of an item that lives, which names it and ends with it; and no other."""
    shown = {
        tuple(guard["pk"].split("#")[1:]): (guard["owner"]["pk"], guard["owner"]["sk"], _end(guard))
        for guard in found
        # What is over is as good as gone.
        if not (_end(guard) is not None and _end(guard) <= model.now)
    }
    wanted = {
        guard: (*address, expiry(row)) for address, row in model.alive.items() for guard in guards(row)
    }
    assert shown == wanted


def _end(guard: Item) -> Any:
    return int(guard["expires"]) if "expires" in guard else None


def _check_index(engine: Engine, name: str, keys: tuple[str, ...], items: Mapping[Address, Item]) -> None:
    found = {
        (item["pk"], item["sk"]): {key: item[key] for key in keys} for item in scanned(engine, IndexName=name)
    }
    assert found == {
        address: {key: item[key] for key in keys}
        for address, item in items.items()
        if all(key in item for key in keys)
    }


# Typed reads


def questions() -> Iterator[tuple[type[Entity], str]]:
    """Every key of every entity."""
    for entity in ENTITIES:
        for name in entity.__pksk__.keys:
            yield entity, name


def expected_rows(model: Model, entity: type[Entity], name: str) -> dict[tuple[Any, ...], list[Entity]]:
    """The entities that live in the index of a key, by the fields of their partition, in the order of the sort key."""
    key = entity.__pksk__.key(name)
    fields = tuple(dict.fromkeys(f for part in key.partition for f in part.fields if f != "shard"))
    found: dict[tuple[Any, ...], list[tuple[Any, Entity]]] = {}
    for row in model.alive.values():
        item = item_from_wire(Put(row).item)
        own = type(row).__pksk__.keys.get(name)
        if not isinstance(row, entity) or own is None or not all(part.attribute in item for part in key.parts):
            continue
        place = tuple(item[part.attribute] for part in key.sort)
        found.setdefault(tuple(getattr(row, f) for f in fields), []).append((place, row))
    return {
        partition: [row for _, row in sorted(rows, key=lambda each: each[0])]
        for partition, rows in found.items()
    }


def asked(entity: type[Entity], name: str, partition: tuple[Any, ...]) -> Any:
    """The query for all rows of a partition."""
    key = entity.__pksk__.key(name)
    fields = dict.fromkeys(f for part in key.partition for f in part.fields if f != "shard")
    query = BoundKey(entity, name)(**dict(zip(fields, partition, strict=True)))
    return query.hydrate() if key.index == "keys" else query


def check_typed(db: Store, model: Model) -> None:
    """Reads by every key give what lives, in order; and single items are what they are."""
    for entity, name in questions():
        for partition, rows in expected_rows(model, entity, name).items():
            query = asked(entity, name, partition)
            check_same(list(db.iter(query)), rows, entity, name)
            assert db.count(query) == len(rows)
    _check_gets(db, model)


def check_same(found: list[Any], wanted: list[Any], entity: type[Entity], name: str) -> None:
    """The same entities in the order of their sort keys; of equal ones, DynamoDB says nothing."""
    attributes = [part.attribute for part in entity.__pksk__.key(name).sort]
    places = [[Put(row).item[each] for each in attributes] for row in found]
    assert places == [[Put(row).item[each] for each in attributes] for row in wanted]
    by_address = {address_of(Put(row).item): row for row in found}
    assert by_address == {address_of(Put(row).item): row for row in wanted}
    assert len(found) == len(wanted)
    assert [type(row) for row in by_address.values()] == [
        type(row) for row in (_by(wanted, key) for key in by_address)
    ]


def _by(rows: list[Any], address: Address) -> Any:
    return next(row for row in rows if address_of(Put(row).item) == address)


def _check_gets(db: Store, model: Model) -> None:
    gets, wanted = [], []
    for address, row in model.rows.items():
        for entity in ENTITIES:
            if entity.__pksk__.shares_key_with(type(row).__pksk__):
                parts = {name: getattr(row, name) for name in entity.__pksk__.primary.fields}
                gets.append(BoundKey(entity, "primary").get(**parts))
                wanted.append(model.live(address, entity))
    assert db.batch_get(*gets) == wanted
