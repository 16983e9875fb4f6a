"""Random calls on two tables, and the units that their responses report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from pksk.capacity.units import write_units
from pksk.client import ServiceError
from pksk.engine import Engine, Heat
from pksk.values.size import item_size

__all__ = ["Units", "calls", "consumed_by", "heat_units"]

Call = tuple[str, dict[str, Any]]
# Consumed units by table, index or None, and side.
Units = dict[tuple[str, str | None, str], float]
SHOWN = {"ReturnConsumedCapacity": "INDEXES"}
WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})

texts = st.sampled_from(["a", "b", "c"])
sizes = st.sampled_from([0, 10, 1500, 5000])
keys = st.tuples(texts, texts).map(lambda key: {"pk": {"S": key[0]}, "sk": {"S": key[1]}})
items = st.builds(
    lambda key, size, extra: key | extra | ({"text": {"S": "x" * size}} if size else {}),
    keys,
    sizes,
    st.fixed_dictionaries(
        {},
        optional={name: texts.map(lambda text: {"S": text}) for name in ("gsiPk", "lsiSk", "proj", "extra")},
    ),
)
people = st.integers(0, 5).map(lambda number: {"id": {"N": str(number)}})
consistent = st.booleans().map(lambda value: {"ConsistentRead": value})


def _call(operation: str, **members: Any) -> st.SearchStrategy[Call]:
    fixed = st.fixed_dictionaries(
        {name: m if isinstance(m, st.SearchStrategy) else st.just(m) for name, m in members.items()}
    )
    return fixed.map(lambda request: (operation, request | SHOWN))


def _unique(strategy: st.SearchStrategy[Any], most: int) -> st.SearchStrategy[list[Any]]:
    """Some keys or items, of which no two have the same key."""
    return st.lists(
        strategy,
        unique_by=lambda each: str([each.get(n) for n in ("pk", "sk", "id")]),
        min_size=1,
        max_size=most,
    )


def _query(**members: Any) -> st.SearchStrategy[Call]:
    name = members.pop("name", "pk")
    return st.builds(
        lambda call, text, extra: (
            call[0],
            call[1]
            | extra
            | {
                "KeyConditionExpression": f"{name} = :v",
                "ExpressionAttributeValues": {":v": {"S": text}},
            },
        ),
        _call("Query", TableName="orders", **members),
        texts,
        st.sampled_from([{}, {"Limit": 1}, {"ScanIndexForward": False}]),
    )


_updates = st.sampled_from(["SET gsiPk = :v", "REMOVE gsiPk", "SET proj = :v, lsiSk = :v", "SET extra = :v"])
_tokens = st.sampled_from([{}, {"ClientRequestToken": "one"}, {"ClientRequestToken": "two"}])
calls: st.SearchStrategy[Call] = st.one_of(
    _call("PutItem", TableName="orders", Item=items),
    _call("PutItem", TableName="orders", Item=items, ConditionExpression="attribute_exists(pk)"),
    _call("PutItem", TableName="people", Item=people),
    st.builds(
        lambda call, text: (
            call[0],
            call[1]
            if "REMOVE" in call[1]["UpdateExpression"]
            else call[1] | {"ExpressionAttributeValues": {":v": {"S": text}}},
        ),
        _call("UpdateItem", TableName="orders", Key=keys, UpdateExpression=_updates),
        texts,
    ),
    _call("DeleteItem", TableName="orders", Key=keys),
    _call("GetItem", TableName="orders", Key=keys, ConsistentRead=st.booleans()),
    _call("GetItem", TableName="people", Key=people),
    _call(
        "BatchGetItem",
        RequestItems=st.fixed_dictionaries(
            {
                "orders": st.builds(lambda k, c: {"Keys": k} | c, _unique(keys, 5), consistent),
                "people": _unique(people, 3).map(lambda k: {"Keys": k}),
            }
        ),
    ),
    _call(
        "BatchWriteItem",
        RequestItems=_unique(items, 5).map(
            lambda puts: {"orders": [{"PutRequest": {"Item": each}} for each in puts]}
        ),
    ),
    _call(
        "TransactGetItems",
        TransactItems=_unique(keys, 4).map(
            lambda found: [{"Get": {"TableName": "orders", "Key": each}} for each in found]
        ),
    ),
    st.builds(
        lambda call, token: (call[0], call[1] | token),
        _call(
            "TransactWriteItems",
            TransactItems=_unique(items, 4).map(
                lambda puts: [{"Put": {"TableName": "orders", "Item": each}} for each in puts]
            ),
        ),
        _tokens,
    ),
    _query(ConsistentRead=st.booleans()),
    _query(IndexName="lsi-all", ConsistentRead=st.booleans()),
    _query(IndexName="gsi-inc", name="gsiPk"),
    _call("Scan", TableName="orders", ConsistentRead=st.booleans()),
    _call("Scan", TableName="orders", IndexName="gsi-inc"),
)


def _side(operation: str, shown: Mapping[str, Any]) -> str:
    """Whether an answer's units are of reads or writes; a transaction that is answered again was read."""
    return "writes" if operation in WRITES and "ReadCapacityUnits" not in shown else "reads"


def consumed_by(engine: Engine, operation: str, request: dict[str, Any], units: Units) -> None:
    """Make a call, and add the units of its response."""
    try:
        answer = engine.call(operation, request)
    except ServiceError as error:
        if error.code == "ConditionalCheckFailedException":
            # There is no stored item, so the new item counts; the response does not show it.
            units["orders", None, "writes"] += write_units(item_size(request["Item"]))
        elif error.code != "IdempotentParameterMismatchException":
            raise
        return
    found = answer["ConsumedCapacity"]
    for shown in found if isinstance(found, list) else [found]:
        side, table = _side(operation, shown), shown["TableName"]
        units[table, None, side] += shown["Table"]["CapacityUnits"]
        for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            for name, arm in shown.get(member, {}).items():
                units[table, name, side] += arm["CapacityUnits"]


def heat_units(heat: Heat) -> Units:
    """The same from the heat."""
    units: Units = defaultdict(float)
    for table in heat.tables.values():
        for name, found in ((None, table), *table.indexes.items()):
            units[table.name, name, "reads"] += found.reads.units
            units[table.name, name, "writes"] += found.writes.units
    return {key: each for key, each in units.items() if each}
