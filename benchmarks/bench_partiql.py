"""Statements in PartiQL beside the plain calls that do the same, on our own memory (items of 1 KB)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count

from benchmarks.engine_subjects import TABLE, filled, item, key, query
from benchmarks.timing import Contestant, Row, row
from pksk.engine import Engine

ITEMS = 1000
GET = f'SELECT * FROM "{TABLE}" WHERE pk = ? AND sk = ?'
QUERY = f'SELECT * FROM "{TABLE}" WHERE pk = ?'
FIELDS = ("pk", "sk", "n", *(f"field{number}" for number in range(9)))
INSERT = f'INSERT INTO "{TABLE}" VALUE {{{", ".join(f"{name!r}: ?" for name in FIELDS)}}}'
UPDATE = f'UPDATE "{TABLE}" SET n = ? WHERE pk = ? AND sk = ?'
DELETE = f'DELETE FROM "{TABLE}" WHERE pk = ? AND sk = ?'


def run(quick: bool = False) -> list[Row]:
    """The plain call's time over the statement's: 0.67 is one and a half times the plain call."""
    engine = filled(":memory:", ITEMS)
    return [
        row(f"PartiQL, {name}", ours, plain, theirs, quick=quick)
        for name, ours, plain, theirs in _contests(engine)
    ]


def _contests(engine: Engine) -> Iterator[tuple[str, Contestant, str, Contestant]]:
    parameters = list(key(3, 7).values())
    get = {"Statement": GET, "Parameters": parameters}
    plain_get = {"TableName": TABLE, "Key": key(3, 7)}
    yield (
        "SELECT of one item",
        lambda: engine.call("ExecuteStatement", get),
        "GetItem",
        lambda: engine.call("GetItem", plain_get),
    )
    all_of_one = {"Statement": QUERY, "Parameters": parameters[:1]}
    yield (
        "SELECT of 100",
        lambda: engine.call("ExecuteStatement", all_of_one),
        "Query",
        lambda: engine.call("Query", query(3)),
    )
    yield ("INSERT", _insert(engine), "PutItem on a condition", _put(engine))
    yield ("UPDATE", _update(engine), "UpdateItem on a condition", _plain_update(engine))
    yield (
        "DELETE",
        lambda: engine.call("ExecuteStatement", {"Statement": DELETE, "Parameters": parameters}),
        "DeleteItem",
        lambda: engine.call("DeleteItem", plain_get),
    )


def _insert(engine: Engine) -> Contestant:
    numbers = count()
    return lambda: engine.call(
        "ExecuteStatement", {"Statement": INSERT, "Parameters": list(item(20, next(numbers)).values())}
    )


def _put(engine: Engine) -> Contestant:
    numbers = count()
    condition = {"ConditionExpression": "attribute_not_exists(pk)"}
    return lambda: engine.call("PutItem", {"TableName": TABLE, "Item": item(21, next(numbers)), **condition})


def _update(engine: Engine) -> Contestant:
    numbers = count()
    parameters = list(key(3, 8).values())
    return lambda: engine.call(
        "ExecuteStatement",
        {"Statement": UPDATE, "Parameters": [{"N": str(next(numbers))}, *parameters]},
    )


def _plain_update(engine: Engine) -> Contestant:
    numbers = count()
    request = {
        "TableName": TABLE,
        "Key": key(3, 9),
        "UpdateExpression": "SET n = :n",
        "ConditionExpression": "attribute_exists(pk)",
    }
    return lambda: engine.call(
        "UpdateItem", {**request, "ExpressionAttributeValues": {":n": {"N": str(next(numbers))}}}
    )


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["partiql", *sys.argv[1:]]))
