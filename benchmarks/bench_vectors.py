"""SearchVectors over 1,000, 10,000 and 100,000 vectors of 256 dimensions, with numpy and without it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from time import perf_counter
from typing import Any

from benchmarks.timing import Row, row
from pksk.engine import Engine

SIZES = {"numpy": (1000, 10_000, 100_000), "plain": (1000, 10_000)}
QUICK_SIZES = {"numpy": (200, 1000), "plain": (200,)}
DIMENSIONS = 256
PARTS = 10
NUMPY = "pksk.engine.vectors.numpy_vector_array"
INDEX = {
    "VectorAttribute": {"AttributeName": "v"},
    "Projection": {"ProjectionType": "KEYS_ONLY"},
    "Dimensions": DIMENSIONS,
    "DistanceFunction": "COSINE",
}


def run(quick: bool = False) -> list[Row]:
    """The first search, later ones over all and over a tenth of the vectors, and one after each write."""
    rows: list[Row] = []
    sizes = QUICK_SIZES if quick else SIZES
    for size in sizes["numpy"]:
        engine = _filled(size)
        for kind in ("numpy", "plain"):
            if size in sizes[kind]:
                with _computing(kind):
                    rows += _searches(engine, size, kind, quick=quick)
        engine.close()
    return rows


@contextmanager
def _computing(kind: str) -> Iterator[None]:
    """Without numpy, as if it were not installed."""
    before = sys.modules.get(NUMPY)
    if kind == "plain":
        sys.modules[NUMPY] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.modules.pop(NUMPY, None)
        if before is not None:
            sys.modules[NUMPY] = before


def _filled(size: int) -> Engine:
    random = Random(1)
    engine = Engine.open()
    types = {"id": "S", "part": "S", "lang": "S"}
    part = {"AttributeName": "part", "SearchSchemaElementType": "HASH"}
    lang = {"AttributeName": "lang", "SearchSchemaElementType": "INLINE_FILTER"}
    engine.call(
        "CreateTable",
        {
            "TableName": "notes",
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": kind} for name, kind in types.items()
            ],
            "VectorIndexes": [
                {**INDEX, "IndexName": "whole", "SearchSchema": [lang]},
                {**INDEX, "IndexName": "divided", "SearchSchema": [part]},
            ],
        },
    )
    for number in range(size):
        engine.call("PutItem", {"TableName": "notes", "Item": _item(random, number)})
    return engine


def _item(random: Random, number: int) -> dict[str, Any]:
    return {
        "id": {"S": str(number)},
        "part": {"S": str(number % PARTS)},
        "lang": {"S": str(number % PARTS)},
        "v": {"L": _vector(random)},
    }


def _vector(random: Random) -> list[dict[str, str]]:
    return [{"N": f"{random.gauss(0, 1):.6f}"} for _ in range(DIMENSIONS)]


def _searches(engine: Engine, size: int, kind: str, *, quick: bool) -> list[Row]:
    random = Random(2)
    request = {"TableName": "notes", "SearchVector": _vector(random), "TopK": 10}
    condition = {"ExpressionAttributeValues": {":x": {"S": "3"}}}
    whole = {**request, "IndexName": "whole"}
    searches = {
        "all": whole,
        "a tenth by filter": {**whole, **condition, "SearchConditionExpression": "lang = :x"},
        "a tenth by part": {
            **request,
            **condition,
            "IndexName": "divided",
            "SearchConditionExpression": "part = :x",
        },
    }
    # What was read into memory with the other arithmetic is read anew.
    engine._core.catalogue.table("notes").vector_cache.keep_only(())
    start = perf_counter()
    engine.call("SearchVectors", whole)
    rows: list[Row] = [
        {"name": f"the first of {size:,}, {kind}", "ours_us": (perf_counter() - start) * 1e6},
    ]
    for name, search in searches.items():
        rows.append(
            row(f"{name} of {size:,}, {kind}", lambda s=search: engine.call("SearchVectors", s), quick=quick)  # type: ignore[misc]
        )

    def written() -> None:
        engine.call("PutItem", {"TableName": "notes", "Item": _item(random, 7)})
        engine.call("SearchVectors", whole)

    return [*rows, row(f"a put, then all of {size:,}, {kind}", written, quick=quick)]


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["vectors", *sys.argv[1:]]))
