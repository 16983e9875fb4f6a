"""PutItem, UpdateItem and DeleteItem: the units that they consume, of the table and of each index.

The figures are those that DynamoDB was seen to answer.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.operations.items import KEY, Item, Items, indexed
from tests.engine.state.catalogues import NAME

# Keys of 12 bytes; with `G` an entry of the global index has 18 + 4 + the bytes of `proj`.
ID: Item = {"pk": {"S": "abcd"}, "sk": {"S": "efgh"}}
G: Item = {"gsiPk": {"S": "i"}}
H: Item = {"gsiPk": {"S": "j"}}
L: Item = {"lsiSk": {"S": "k"}}
BOTH: Item = {**ID, **G, **L}


def proj(size: int) -> Item:
    return {"proj": {"S": "x" * size}}


def extra(size: int = 1) -> Item:
    return {"extra": {"S": "x" * size}}


def put(item: Item) -> tuple[str, dict[str, Any]]:
    return "PutItem", {"Item": item}


def updated(expression: str, value: Any = None) -> tuple[str, dict[str, Any]]:
    values = {} if value is None else {"ExpressionAttributeValues": {":v": value}}
    return "UpdateItem", {"Key": ID, "UpdateExpression": expression, **values}


DELETE: tuple[str, dict[str, Any]] = ("DeleteItem", {"Key": ID})
X: Item = {"S": "x"}

# The stored item, the write, and the units of the table, the global and the local index.
CASES: list[tuple[Item | None, tuple[str, dict[str, Any]], float, float | None, float | None]] = [
    # Puts.
    (None, put({**ID, **G}), 1, 1, None),
    (None, put(ID), 1, None, None),
    (None, put({**ID, **L}), 1, None, 1),
    (None, put(BOTH), 1, 1, 1),
    ({**BOTH, **proj(5)}, put({**BOTH, **proj(5)}), 1, None, None),
    ({**BOTH, "proj": {"SS": ["a", "b"]}}, put({**BOTH, "proj": {"SS": ["b", "a"]}}), 1, None, None),
    ({**BOTH, "proj": {"SS": ["a", "b"]}}, put({**BOTH, "proj": {"SS": ["a", "c"]}}), 1, 1, 1),
    (BOTH, put(ID), 1, 1, 1),
    (ID, put(BOTH), 1, 1, 1),
    # Updates.
    (BOTH, updated("SET extra = :v", X), 1, None, 1),
    (BOTH, updated("SET proj = :v", X), 1, 1, 1),
    (BOTH, updated("SET gsiPk = :v", X), 1, 2, 1),
    (BOTH, updated("REMOVE gsiPk"), 1, 1, 1),
    (BOTH, updated("SET lsiSk = :v", X), 1, None, 2),
    (BOTH, updated("SET gsiPk = :v, lsiSk = :v", X), 1, 2, 2),
    (BOTH, updated("SET gsiPk = gsiPk"), 1, None, None),
    (BOTH, updated("REMOVE gone"), 1, None, None),
    ({**BOTH, **extra(3000)}, updated("REMOVE gone"), 3, None, None),
    (None, updated("REMOVE gone"), 1, None, None),
    (None, updated("SET gsiPk = :v, lsiSk = :v", X), 1, 1, 1),
    # Deletes.
    (BOTH, DELETE, 1, 1, 1),
    (ID, DELETE, 1, None, None),
    (None, DELETE, 1, None, None),
    # Sizes: 18 bytes of keys, 4 of the name of proj, 5 of the name of extra.
    (None, put({**ID, **G, **extra(3000)}), 3, 1, None),
    ({**ID, **G, **proj(2995)}, put({**ID, **G}), 3, 3, None),
    ({**ID, **G}, put({**ID, **G, **proj(2998)}), 3, 3, None),
    ({**ID, **G, **proj(1495)}, put({**ID, **G, "proj": {"S": "y" * 1495}}), 2, 2, None),
    ({**ID, **G, **proj(1495)}, put({**ID, **H, **proj(1495)}), 2, 4, None),
    ({**ID, **G, **proj(2995)}, put({**ID, **H}), 3, 4, None),
    ({**ID, **G, **proj(2995)}, DELETE, 3, 3, None),
    ({**ID, **extra(2000)}, put({**ID, **extra(100)}), 2, None, None),
    ({**ID, **extra(100)}, put({**ID, **extra(2000)}), 2, None, None),
    ({**ID, **L, **extra(2000)}, updated("REMOVE extra"), 2, None, 2),
]


@pytest.mark.parametrize(("stored", "write", "table", "gsi", "lsi"), CASES)
def test_a_write_costs_what_it_changes(
    stored: Item | None,
    write: tuple[str, dict[str, Any]],
    table: float,
    gsi: float | None,
    lsi: float | None,
) -> None:
    items = indexed()
    if stored is not None:
        items.put(stored)
    operation, request = write
    shown = items.call(operation, **request, ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]

    expected: dict[str, Any] = {
        "TableName": NAME,
        "CapacityUnits": table + (gsi or 0) + (lsi or 0),
        "Table": {"CapacityUnits": table},
    }
    if gsi is not None:
        expected["GlobalSecondaryIndexes"] = {"gsi-inc": {"CapacityUnits": gsi}}
    if lsi is not None:
        expected["LocalSecondaryIndexes"] = {"lsi-all": {"CapacityUnits": lsi}}
    assert shown == expected


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        (None, {}),
        ("NONE", {}),
        ("TOTAL", {"ConsumedCapacity": {"TableName": NAME, "CapacityUnits": 3.0}}),
        (
            "INDEXES",
            {
                "ConsumedCapacity": {
                    "TableName": NAME,
                    "CapacityUnits": 3.0,
                    "Table": {"CapacityUnits": 1.0},
                    "GlobalSecondaryIndexes": {"gsi-inc": {"CapacityUnits": 1.0}},
                    "LocalSecondaryIndexes": {"lsi-all": {"CapacityUnits": 1.0}},
                }
            },
        ),
    ],
)
def test_units_are_returned_at_the_requested_level(wanted: str | None, shown: dict[str, Any]) -> None:
    items = indexed()

    assert items.put(BOTH, ReturnConsumedCapacity=wanted) == shown
    assert items.update("SET proj = :v", ID, v=X, ReturnConsumedCapacity=wanted) == shown
    assert items.delete(ID, ReturnConsumedCapacity=wanted) == shown


@pytest.mark.parametrize(("size", "units"), [(1, 1.0), (1020, 1.0), (1021, 2.0), (409_596, 400.0)])
def test_writes_are_rounded_up_to_a_kilobyte(size: int, units: float) -> None:
    answer = Items().put({**KEY, "a": {"S": "x" * size}}, ReturnConsumedCapacity="TOTAL")

    assert answer == {"ConsumedCapacity": {"TableName": NAME, "CapacityUnits": units}}


def test_a_true_condition_costs_nothing() -> None:
    items = indexed()
    items.put(BOTH)
    answer = items.put(
        {**BOTH, **extra()}, ConditionExpression="attribute_exists(pk)", ReturnConsumedCapacity="TOTAL"
    )

    assert answer == {"ConsumedCapacity": {"TableName": NAME, "CapacityUnits": 2.0}}
