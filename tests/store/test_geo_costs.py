"""With counted density, a query by region consumes no more than any other way to read the same cells."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from typing import Annotated, Any, Final

import pytest

from pksk import Attribute, Entity, Key, Store, Table, connect
from pksk.cells import (
    ALPHABET,
    Box,
    CellLevel,
    CellStatistics,
    Cover,
    ReadCost,
    cover,
    decode,
    view_of_screen,
)
from pksk.cells.read_cost import touched_blocks
from tests.conftest import LONG

LEVEL: Final = 7
ITEM_BYTES: Final = 100
SUFFIXES: Final = ["".join(each) for each in product(ALPHABET, repeat=3)]
COST: Final = ReadCost()
_VIEWS: Final = 100 if LONG else 12
# The share of cells that exist, and where: in the partitions around a border of two, or in one.
DENSITIES: Final = (0.001, 0.01, 0.05, 0.3, 1.0) if LONG else (0.001, 0.02)


class Cell(Entity, table=Table("cells", discriminator=None)):
    """A cell of about 100 bytes."""

    cell: Annotated[str, CellLevel(LEVEL), Attribute("c")]
    note: str = "x" * 66

    primary = Key("ShCe#{cell[:-3]}", "{cell[-3:]}")


def filled(share: float) -> tuple[Store, list[str]]:
    """A store with this share of the cells of some partitions, and these cells."""
    random = Random(31)
    prefixes = cover(view_of_screen(49.28, -123.12, 14), LEVEL).partitions()
    cells = [
        prefix + suffix
        for prefix in prefixes[: 1 if share > 0.1 else None]
        for suffix in SUFFIXES
        if random.random() < share
    ]
    db = connect("memory:")
    db.create_tables(Cell.__pksk__.table)
    db.batch_put([Cell(cell=each) for each in cells])
    return db, cells


def views(prefixes: Sequence[str], random: Random) -> Iterator[Box]:
    """Views of screens, from a street to a city, that are in counted partitions."""
    while True:
        box = decode(random.choice(prefixes))
        place = random.uniform(box.south, box.north), random.uniform(box.west, box.east)
        view = view_of_screen(*place, random.choice([14, 15, 16, 17]))
        if set(cover(view, LEVEL).partitions()) <= set(prefixes):
            yield view


def other_ways(found: Cover) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """The requests of other ways to read a cover."""
    parts = [ranges for _, ranges in found.by_partition()]
    keys = [{"pk": {"S": f"ShCe#{cell[:-3]}"}, "sk": {"S": cell[-3:]}} for cell in found.cells()]
    batches = [keys[start : start + 100] for start in range(0, len(keys), 100)]
    return {
        "exact ranges": [query(found, each) for ranges in parts for each in ranges],
        "min-max": [query(found, range(ranges[0].start, ranges[-1].stop)) for ranges in parts],
        "blocks": [query(found, each) for ranges in parts for each in touched_blocks(ranges, 1 << 10)],
        "partitions": [query(found, each) for ranges in parts for each in touched_blocks(ranges, 1 << 15)],
        "BatchGetItem": [("BatchGetItem", {"RequestItems": {"cells": {"Keys": each}}}) for each in batches],
    }


def query(found: Cover, numbers: range) -> tuple[str, dict[str, Any]]:
    prefix, first, last = found.key_range(numbers)
    values = {":pk": {"S": f"ShCe#{prefix}"}, ":first": {"S": first}, ":last": {"S": last}}
    return "Query", {
        "TableName": "cells",
        "Select": "COUNT",
        "KeyConditionExpression": "pk = :pk AND sk BETWEEN :first AND :last",
        "ExpressionAttributeValues": values,
    }


def consumed(db: Store, requests: Sequence[tuple[str, dict[str, Any]]]) -> tuple[float, int]:
    """The read units and the number of requests, with those of further pages."""
    units, calls = 0.0, 0
    for operation, first in requests:
        request: dict[str, Any] = {**first, "ReturnConsumedCapacity": "TOTAL"}
        while request:
            answer = db.client.call(operation, request)
            capacity = answer["ConsumedCapacity"]
            units += (capacity[0] if operation == "BatchGetItem" else capacity)["CapacityUnits"]
            calls += 1
            more = answer.get("LastEvaluatedKey")
            request = {**request, "ExclusiveStartKey": more} if more else {}
    return units, calls


@pytest.mark.parametrize("share", DENSITIES)
def test_the_chosen_plan_costs_no_more_than_the_cheapest_other_way(share: float) -> None:
    db, cells = filled(share)
    prefixes = sorted({cell[:-3] for cell in cells})
    counts = {each: bisect_left(cells, each + "~") - bisect_left(cells, each) for each in prefixes}
    counted = CellStatistics(item_bytes=ITEM_BYTES, partition_items=counts, source="counted")
    mine, totals = 0.0, dict.fromkeys(other_ways(Cover(LEVEL, ())), 0.0)
    for _, view in zip(range(_VIEWS), views(prefixes, Random(32)), strict=False):
        with db.meter(everywhere=True) as meter:
            found = db.run(Cell.primary.inside(view).using(counted))
        others = {way: consumed(db, each) for way, each in other_ways(cover(view, LEVEL)).items()}
        costs = {way: units + COST.request_units * calls for way, (units, calls) in others.items()}
        cost = meter.consumed.read + COST.request_units * meter.calls

        wanted = cover(view, LEVEL)
        assert [each.cell for each in found] == [cell for cell in cells if cell in wanted]
        # Where a range has few items more or less than the average, another way may save one step of rounding.
        assert cost <= min(costs.values()) + COST.step, (view, cost, costs)
        mine += cost
        totals = {way: totals[way] + each for way, each in costs.items()}

    db.close()
    assert mine <= min(totals.values()), (mine, totals)
