"""Compares a table with the model: items, guards, counters, every index, and every typed read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pksk import Engine, Entity, Put, Store
from pksk.model import BoundKey
from pksk.model.entity_key import EntityKey
from pksk.values import item_from_wire
from tests.store.machine.model import Model, expiry, guards
from tests.store.machine.park import ENTITIES, park, queue
from tests.store.machine.writes import Address

__all__ = ["check_raw", "check_typed", "partitions"]

Item = dict[str, Any]
_SPREAD = [f"SPREAD#{number}" for number in range(3)]


def check_raw(engine: Engine, model: Model) -> None:
    """What the engine holds is what the model says, and nothing else."""
    rows, found_guards, counters = _sorted_out(engine)
    model.forget_swept(rows)
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
    wanted = {guard: (*address, expiry(row)) for address, row in model.alive.items() for guard in guards(row)}
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


@dataclass(frozen=True)
class Question:
    """A key of an entity, queried for all rows of a partition."""

    entity: type[Entity]
    key: EntityKey

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields of the partition, but for the number of a shard."""
        return tuple(dict.fromkeys(f for part in self.key.partition for f in part.fields if f != "shard"))

    def query(self, partition: tuple[Any, ...]) -> Any:
        """The query for all rows of a partition."""
        query = BoundKey(self.entity, self.key.name)(**dict(zip(self.fields, partition, strict=True)))
        return query.hydrate() if self.key.index == "keys" else query

    def place(self, item: Mapping[str, Any]) -> tuple[Any, ...]:
        """The position of an item in its partition."""
        return tuple(item[part.attribute] for part in self.key.sort)

    def holds(self, row: Entity, item: Mapping[str, Any]) -> bool:
        """Whether an item matches the query."""
        own = isinstance(row, self.entity) and self.key.name in type(row).__pksk__.keys
        return own and all(part.attribute in item for part in self.key.parts)


QUESTIONS = [Question(entity, key) for entity in ENTITIES for key in entity.__pksk__.keys.values()]


def partitions(model: Model) -> Iterator[tuple[Question, tuple[Any, ...], list[Entity]]]:
    """Every partition of every key with something alive in it: the entities, in the order of the sort key."""
    items = [(row, item_from_wire(Put(row).item)) for row in model.alive.values()]
    for question in QUESTIONS:
        found: dict[tuple[Any, ...], list[tuple[Any, Entity]]] = {}
        for row, item in items:
            if question.holds(row, item):
                partition = tuple(getattr(row, name) for name in question.fields)
                found.setdefault(partition, []).append((question.place(item), row))
        for partition, rows in found.items():
            yield question, partition, [row for _, row in sorted(rows, key=lambda each: each[0])]


def check_typed(db: Store, model: Model) -> None:
    """Reads by every key give what lives, in order; and single items are what they are."""
    for question, partition, rows in partitions(model):
        query = question.query(partition)
        _check_same(question, list(db.iter(query)), rows)
        assert db.count(query) == len(rows)
    _check_gets(db, model)
    for entity in ENTITIES:
        rows = [row for row in model.alive.values() if isinstance(row, entity)]
        assert sorted(db.iter(entity.scan()), key=repr) == sorted(rows, key=repr)


def _check_same(question: Question, found: list[Any], wanted: list[Any]) -> None:
    """The same entities in the order of their sort keys; of equal ones, DynamoDB says nothing."""
    if found == wanted:
        assert list(map(type, found)) == list(map(type, wanted))
        return
    assert _placed(question, found) == _placed(question, wanted)
    assert sorted(found, key=repr) == sorted(wanted, key=repr)


def _placed(question: Question, rows: list[Any]) -> list[Any]:
    return [question.place(item_from_wire(Put(row).item)) for row in rows]


def _check_gets(db: Store, model: Model) -> None:
    gets, wanted = [], []
    for address, row in model.rows.items():
        for entity in ENTITIES:
            if entity.__pksk__.shares_key_with(type(row).__pksk__):
                parts = {name: getattr(row, name) for name in entity.__pksk__.primary.fields}
                gets.append(BoundKey(entity, "primary").get(**parts))
                wanted.append(model.live(address, entity))
    assert db.batch_get(*gets) == wanted
