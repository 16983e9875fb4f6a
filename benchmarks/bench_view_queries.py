"""One view at zoom 15 read in six ways: where all 32,768 cells of a partition exist, and where one in 100 does."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from random import Random
from time import perf_counter
from typing import Any

from benchmarks.timing import Row
from pksk.cells import GEOHASH, CellStatistics, Cover, cover, plan_queries, view_of_screen
from pksk.cells.read_cost import touched_blocks
from pksk.engine import Engine

VIEW = view_of_screen(49.28, -123.12, 15)
LEVEL = 7
TABLE = "cells"
# With its keys and the names of its attributes, an item has 100 bytes.
COUNTS = "x" * 75
ITEM_BYTES = 100
WRITE = 25
KEYS = 100


def run(quick: bool = False) -> list[Row]:
    """A row for each way: requests, items read, read units by the engine, and milliseconds."""
    return [row for share in ((0.01,) if quick else (1.0, 0.01)) for row in rows_of(share)]


def rows_of(share: float) -> list[Row]:
    """The ways to read the view where this share of all cells exists; each finds the same cells."""
    found = cover(VIEW, LEVEL)
    (prefix,) = found.partitions()
    engine = Engine.open()
    stored = _fill(engine, prefix, share)
    wanted = sorted(cell for cell in stored if cell in found)
    rows = []
    for way, requests in ways(found, share).items():
        start = perf_counter()
        answers = [
            answer for operation, request in requests for answer in _answers(engine, operation, request)
        ]
        took_ms = (perf_counter() - start) * 1000
        items = [item for _, some in answers for item in some]
        cells = sorted(cell for item in items if (cell := prefix + item["sk"]["S"]) in found)
        if cells != wanted:
            raise AssertionError(f"{way} found {len(cells)} of {len(wanted)} cells")
        units = sum(each for each, _ in answers)
        rows.append(
            {
                "name": f"{share:.0%} exist: {way}",
                "requests": len(answers),
                "items": len(items),
                "units": units,
            }
            | {"ms": took_ms}
        )
    engine.close()
    return rows


def ways(found: Cover, share: float) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """The requests of each way."""
    ((_, ranges),) = found.by_partition()
    plan = plan_queries(found, CellStatistics(share, ITEM_BYTES, "declared"))
    keys = [{"pk": {"S": _pk(cell[:-3])}, "sk": {"S": cell[-3:]}} for cell in found.cells()]
    batches = [keys[start : start + KEYS] for start in range(0, len(keys), KEYS)]
    return {
        "plan": [("Query", _query(*query[:3])) for query in plan.queries],
        "exact ranges": _queries(found, ranges),
        "one range": _queries(found, [range(ranges[0].start, ranges[-1].stop)]),
        "blocks of 1,024": _queries(found, touched_blocks(ranges, 1024)),
        "whole partition": _queries(found, touched_blocks(ranges, 32_768)),
        "BatchGetItem": [("BatchGetItem", {"RequestItems": {TABLE: {"Keys": each}}}) for each in batches],
    }


def _queries(found: Cover, ranges: Sequence[range]) -> list[tuple[str, dict[str, Any]]]:
    return [("Query", _query(*found.key_range(each))) for each in ranges]


def _query(prefix: str, first: str, last: str) -> dict[str, Any]:
    return {
        "TableName": TABLE,
        "KeyConditionExpression": "pk = :pk AND sk BETWEEN :first AND :last",
        "ExpressionAttributeValues": {
            ":pk": {"S": _pk(prefix)},
            ":first": {"S": first},
            ":last": {"S": last},
        },
    }


def _answers(
    engine: Engine, operation: str, request: dict[str, Any]
) -> Iterator[tuple[float, list[dict[str, Any]]]]:
    """The units and the items of each page."""
    request = {**request, "ReturnConsumedCapacity": "TOTAL"}
    while True:
        answer = engine.call(operation, request)
        if operation == "BatchGetItem":
            yield answer["ConsumedCapacity"][0]["CapacityUnits"], answer["Responses"][TABLE]
            return
        yield answer["ConsumedCapacity"]["CapacityUnits"], answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        request = {**request, "ExclusiveStartKey": answer["LastEvaluatedKey"]}


def _fill(engine: Engine, prefix: str, share: float) -> list[str]:
    """Store this share of all cells of a partition, and return their names."""
    engine.call(
        "CreateTable",
        {
            "TableName": TABLE,
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
            "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
        },
    )
    random = Random(1)
    names = [GEOHASH.name(number, 3) for number in range(32_768) if random.random() < share]
    for start in range(0, len(names), WRITE):
        puts = [
            {"PutRequest": {"Item": {"pk": {"S": _pk(prefix)}, "sk": {"S": name}, "counts": {"S": COUNTS}}}}
            for name in names[start : start + WRITE]
        ]
        engine.call("BatchWriteItem", {"RequestItems": {TABLE: puts}})
    return [prefix + name for name in names]


def _pk(prefix: str) -> str:
    return f"ShCe#{prefix}"


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["view_queries", *sys.argv[1:]]))
