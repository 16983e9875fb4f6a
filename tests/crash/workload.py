"""The writes of a writer and the items they lead to: the same batches for the same draw, on both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from pksk.engine import Engine, Partitioning

__all__ = ["COUNTER", "PARTITIONING", "TABLE", "Batch", "Items", "Owned", "Step", "batches", "owner_of"]

Item = dict[str, Any]
Items = dict[tuple[str, str], Item]
# Small, so that partitions split and shards follow all the time.
PARTITIONING = Partitioning(partitions=1, partition_bytes=20_000)
COUNTER: Item = {"pk": {"S": "counter"}, "sk": {"N": "0"}}
_MOST_BYTES = 900


def _index(name: str, *keys: str, projected: list[str] | None = None) -> dict[str, Any]:
    projection: dict[str, Any] = {"ProjectionType": "ALL"}
    if projected is not None:
        projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": projected}
    schema = [
        {"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
    ]
    return {"IndexName": name, "KeySchema": schema, "Projection": projection}


TABLE: dict[str, Any] = {
    "TableName": "orders",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": _index("", "pk", "sk")["KeySchema"],
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in {"pk": "S", "sk": "N", "amount": "N", "status": "S"}.items()
    ],
    "LocalSecondaryIndexes": [_index("by-amount", "pk", "amount")],
    "GlobalSecondaryIndexes": [_index("by-status", "status", "amount", projected=["note"])],
    "VectorIndexes": [{
        "IndexName": "by-look", "VectorAttribute": {"AttributeName": "look"}, "Dimensions": 3,
        "Projection": {"ProjectionType": "KEYS_ONLY"}, "DistanceFunction": "EUCLIDEAN",
    }],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}  # fmt: skip


@dataclass(slots=True)
class Owned:
    """What one writer has made: its items, and how often it has raised the counter that all share."""

    items: Items = field(default_factory=dict)
    raised: int = 0

    def copy(self) -> Owned:
        """The same, to go another way."""
        return Owned(dict(self.items), self.raised)


@dataclass(frozen=True, slots=True)
class Step:
    """One request, and its effect on the items of a writer."""

    operation: str
    request: dict[str, Any]
    apply: Callable[[Owned], object]


Batch = list[Step]


def batches(draw: str, owner: int, most: int) -> Iterator[Batch]:
    """An endless iterator of batches of one writer, with a maximum number of requests each."""
    random = Random(f"{draw}/{owner}")
    while True:
        yield [random.choice(_KINDS)(random, owner) for _ in range(random.randint(1, most))]


def owner_of(item: Item) -> int:
    """The writer whose item it is."""
    return int(item["pk"]["S"].partition("/")[0])


def _key(random: Random, owner: int) -> Item:
    return {"pk": {"S": f"{owner}/{random.randrange(3)}"}, "sk": {"N": str(random.randrange(6))}}


def _id(item: Item) -> tuple[str, str]:
    return item["pk"]["S"], item["sk"]["N"]


def _item(random: Random, key: Item) -> Item:
    item = {**key, "note": {"S": "x" * random.randrange(_MOST_BYTES)}, "until": {"N": "4000000000"}}
    if random.random() < 0.8:
        item["amount"] = {"N": str(random.randrange(1000))}
    if random.random() < 0.7:
        item["status"] = {"S": random.choice("abc")}
    if random.random() < 0.3:
        item["look"] = {"L": [{"N": str(random.randrange(9))} for _ in range(3)]}
    return item


def _set(owned: Owned, item: Item) -> None:
    owned.items[_id(item)] = item


def _update(random: Random, key: Item) -> tuple[dict[str, Any], Callable[[Owned], object]]:
    amount, status = {"N": str(random.randrange(1000))}, {"S": random.choice("abc")}

    def apply(owned: Owned) -> None:
        item = dict(owned.items.get(_id(key), key))
        item.pop("note", None)
        seen = int(item.get("seen", {"N": "0"})["N"]) + 1
        _set(owned, {**item, "amount": amount, "status": status, "seen": {"N": str(seen)}})

    request = {
        "TableName": "orders",
        "Key": key,
        "UpdateExpression": "SET amount = :a, #s = :s REMOVE note ADD seen :one",
        "ExpressionAttributeNames": {"#s": "status"},
        "ExpressionAttributeValues": {":a": amount, ":s": status, ":one": {"N": "1"}},
    }
    return request, apply


def _put_step(random: Random, owner: int) -> Step:
    item = _item(random, _key(random, owner))
    return Step("PutItem", {"TableName": "orders", "Item": item}, lambda owned: _set(owned, item))


def _new_step(random: Random, owner: int) -> Step:
    """A put of an item that must not exist; often it does, and the put fails."""
    item = _item(random, _key(random, owner))
    request = {"TableName": "orders", "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}
    return Step("PutItem", request, lambda owned: owned.items.setdefault(_id(item), item))


def _update_step(random: Random, owner: int) -> Step:
    return Step("UpdateItem", *_update(random, _key(random, owner)))


def _delete_step(random: Random, owner: int) -> Step:
    key = _key(random, owner)
    request = {"TableName": "orders", "Key": key}
    return Step("DeleteItem", request, lambda owned: owned.items.pop(_id(key), None))


def _get_step(random: Random, owner: int) -> Step:
    return Step("GetItem", {"TableName": "orders", "Key": _key(random, owner)}, lambda _owned: None)


def _batch_step(random: Random, owner: int) -> Step:
    keys = {_id(key): key for key in (_key(random, owner) for _ in range(4))}
    first, *others = keys.values()
    items = [_item(random, key) for key in others]

    def apply(owned: Owned) -> None:
        owned.items.pop(_id(first), None)
        for item in items:
            _set(owned, item)

    writes = [{"DeleteRequest": {"Key": first}}, *({"PutRequest": {"Item": item}} for item in items)]
    return Step("BatchWriteItem", {"RequestItems": {"orders": writes}}, apply)


def _transaction_step(random: Random, owner: int) -> Step:
    """A put and an update of this writer's, with the counter of all."""
    first, second = _key(random, owner), _key(random, owner)
    item = _item(random, first)
    request, updated = _update(random, second)
    count = {
        "TableName": "orders",
        "Key": COUNTER,
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
    actions = [{"Put": {"TableName": "orders", "Item": item}}, {"Update": count}]
    if _id(first) != _id(second):
        actions.append({"Update": request})

    def apply(owned: Owned) -> None:
        _set(owned, item)
        owned.raised += 1
        if _id(first) != _id(second):
            updated(owned)

    members = {"TransactItems": actions, "ClientRequestToken": f"{owner}-{random.getrandbits(64)}"}
    return Step("TransactWriteItems", members, apply)


_KINDS = [
    _put_step, _put_step, _new_step, _update_step, _update_step, _delete_step, _get_step, _batch_step,
    _transaction_step, _transaction_step,
]  # fmt: skip


def open_engine(path: str) -> Engine:
    """The engine of a writer, with its table, which is made with the file."""
    engine = Engine.open(path, partitioning=PARTITIONING)
    if "orders" not in engine.call("ListTables", {})["TableNames"]:
        engine.call("CreateTable", TABLE)
        expiry = {"Enabled": True, "AttributeName": "until"}
        engine.call("UpdateTimeToLive", {"TableName": "orders", "TimeToLiveSpecification": expiry})
    return engine
