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
    """The engine holds exactly the items of the model."""
    rows, stored_guards, counters = _stored_items(engine)
    model.forget_deleted(rows)
    items = {address: as_items(row, rows.get(address, {})) for address, row in model.rows.items()}

    assert rows == items
    assert counters == model.counters
    _check_guards(stored_guards, model)
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


def _stored_items(engine: Engine) -> tuple[dict[Address, Item], list[Item], dict[str, int]]:
    rows: dict[Address, Item] = {}
    stored_guards: list[Item] = []
    counters: dict[str, int] = {}
    for item in scanned(engine):
        if item["type"] == "pksk:unique":
            stored_guards.append(item)
        elif item["type"] == queue.entity.__pksk__.tag:
            counters[item["gate"]] = int(item["last"])
        else:
            rows[item["pk"], item["sk"]] = item
    return rows, stored_guards, counters


def as_items(row: Entity, stored: Item) -> Item:
    """The item that an entity is stored as, with the random shard of the stored item."""
    item: Item = item_from_wire(Put(row).item)
    if item.get("gsi2pk") in _SPREAD and stored.get("gsi2pk") in _SPREAD:
        item["gsi2pk"] = stored["gsi2pk"]
    return item


def _check_guards(stored: list[Item], model: Model) -> None:
    """Each unique value of a live item has one guard, with its owner and its expiry; there are no others."""
    owners = {
        tuple(guard["pk"].split("#")[1:]): (guard["owner"]["pk"], guard["owner"]["sk"], _end(guard))
        for guard in stored
        # An expired guard counts as missing.
        if not (_end(guard) is not None and _end(guard) <= model.now)
    }
    expected = {
        guard: (*address, expiry(row)) for address, row in model.alive.items() for guard in guards(row)
    }
    assert owners == expected


def _end(guard: Item) -> Any:
    return int(guard["expires"]) if "expires" in guard else None


def _check_index(engine: Engine, name: str, keys: tuple[str, ...], items: Mapping[Address, Item]) -> None:
    entries = {
        (item["pk"], item["sk"]): {key: item[key] for key in keys} for item in scanned(engine, IndexName=name)
    }
    assert entries == {
        address: {key: item[key] for key in keys}
        for address, item in items.items()
        if all(key in item for key in keys)
    }


# Typed reads


@dataclass(frozen=True)
class KeyQuery:
    """A key of an entity, queried for all rows of a partition."""

    entity: type[Entity]
    key: EntityKey

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields of the partition key, without the number of a shard."""
        return tuple(dict.fromkeys(f for part in self.key.partition for f in part.fields if f != "shard"))

    def query(self, partition: tuple[Any, ...]) -> Any:
        """The query for all rows of a partition."""
        query = BoundKey(self.entity, self.key.name)(**dict(zip(self.fields, partition, strict=True)))
        return query.hydrate() if self.key.index == "keys" else query

    def position(self, item: Mapping[str, Any]) -> tuple[Any, ...]:
        """The position of an item in its partition."""
        return tuple(item[part.attribute] for part in self.key.sort)

    def holds(self, row: Entity, item: Mapping[str, Any]) -> bool:
        """Whether an item matches the query."""
        own = isinstance(row, self.entity) and self.key.name in type(row).__pksk__.keys
        return own and all(part.attribute in item for part in self.key.parts)


KEY_QUERIES = [KeyQuery(entity, key) for entity in ENTITIES for key in entity.__pksk__.keys.values()]


def partitions(model: Model) -> Iterator[tuple[KeyQuery, tuple[Any, ...], list[Entity]]]:
    """Every partition of every key with a live item: the entities, in the order of the sort key."""
    items = [(row, item_from_wire(Put(row).item)) for row in model.alive.values()]
    for key_query in KEY_QUERIES:
        by_partition: dict[tuple[Any, ...], list[tuple[Any, Entity]]] = {}
        for row, item in items:
            if key_query.holds(row, item):
                partition = tuple(getattr(row, name) for name in key_query.fields)
                by_partition.setdefault(partition, []).append((key_query.position(item), row))
        for partition, rows in by_partition.items():
            yield key_query, partition, [row for _, row in sorted(rows, key=lambda each: each[0])]


def check_typed(db: Store, model: Model) -> None:
    """Queries by every key return the live items in order, and gets return each item."""
    for key_query, partition, rows in partitions(model):
        query = key_query.query(partition)
        _check_same(key_query, list(db.iter(query)), rows)
        assert db.count(query) == len(rows)
    _check_gets(db, model)
    for entity in ENTITIES:
        rows = [row for row in model.alive.values() if isinstance(row, entity)]
        assert sorted(db.iter(entity.scan()), key=repr) == sorted(rows, key=repr)


def _check_same(key_query: KeyQuery, entities: list[Any], expected: list[Any]) -> None:
    """The same entities in the order of their sort keys; DynamoDB does not define the order of equal ones."""
    if entities == expected:
        assert list(map(type, entities)) == list(map(type, expected))
        return
    assert _positions(key_query, entities) == _positions(key_query, expected)
    assert sorted(entities, key=repr) == sorted(expected, key=repr)


def _positions(key_query: KeyQuery, rows: list[Any]) -> list[Any]:
    return [key_query.position(item_from_wire(Put(row).item)) for row in rows]


def _check_gets(db: Store, model: Model) -> None:
    gets, expected = [], []
    for address, row in model.rows.items():
        for entity in ENTITIES:
            if entity.__pksk__.shares_key_with(type(row).__pksk__):
                parts = {name: getattr(row, name) for name in entity.__pksk__.primary.fields}
                gets.append(BoundKey(entity, "primary").get(**parts))
                expected.append(model.live(address, entity))
    assert db.batch_get(*gets) == expected
