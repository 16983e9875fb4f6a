"""Index entries: sparse, projected, and with keys of several attributes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.operations.items import KEY, Item, Items, indexed
from tests.engine.state.catalogues import defined, index

ID: Item = {**KEY, "sk": {"S": "1"}}
G: Item = {"gsiPk": {"S": "g"}}
L: Item = {"lsiSk": {"S": "l"}}
PROJ: Item = {"proj": {"S": "p"}}
MORE: Item = {"more": {"S": "m"}}


def test_an_item_is_in_the_indexes_whose_keys_it_has() -> None:
    items = indexed()

    for item, in_global, in_local in (
        (ID, False, False),
        ({**ID, **G}, True, False),
        ({**ID, **L}, False, True),
        ({**ID, **G, **L}, True, True),
        (ID, False, False),
    ):
        items.put(item)
        assert items.entries("gsi-inc") == ([{**ID, **G}] if in_global else [])
        assert items.entries("lsi-all") == ([item] if in_local else [])


def test_an_index_stores_what_it_projects() -> None:
    items = indexed()
    items.put({**ID, **G, **L, **PROJ, **MORE})

    assert items.entries("gsi-inc") == [{**ID, **G, **PROJ}]
    assert items.entries("lsi-all") == [{**ID, **G, **L, **PROJ, **MORE}]


def test_a_keys_only_index_stores_only_the_keys() -> None:
    keys_only = index("gsi", "gsiPk", Projection={"ProjectionType": "KEYS_ONLY"})
    items = Items(
        "pk", "sk", AttributeDefinitions=defined("pk", "sk", "gsiPk"), GlobalSecondaryIndexes=[keys_only]
    )
    items.put({**ID, **G, **PROJ})

    assert items.entries("gsi") == [{**ID, **G}]


@pytest.mark.parametrize(
    ("expression", "value", "in_global", "in_local"),
    [
        ("SET gsiPk = :v", {"S": "h"}, {"gsiPk": {"S": "h"}}, {**G, **L, "gsiPk": {"S": "h"}}),
        ("SET lsiSk = :v", {"S": "k"}, G, {**G, "lsiSk": {"S": "k"}}),
        ("SET proj = :v", {"S": "q"}, {**G, "proj": {"S": "q"}}, {**G, **L, "proj": {"S": "q"}}),
        ("SET more = :v", {"S": "n"}, G, {**G, **L, "more": {"S": "n"}}),
        ("REMOVE gsiPk", None, None, L),
        ("REMOVE lsiSk", None, G, None),
        ("REMOVE gsiPk, lsiSk", None, None, None),
    ],
)
def test_indexes_follow_an_update(
    expression: str, value: Item | None, in_global: Item | None, in_local: Item | None
) -> None:
    items = indexed()
    items.put({**ID, **G, **L})
    items.update(expression, ID, **({} if value is None else {"v": value}))

    assert items.entries("gsi-inc") == ([] if in_global is None else [{**ID, **in_global}])
    assert items.entries("lsi-all") == ([] if in_local is None else [{**ID, **in_local}])


def test_indexes_follow_a_delete() -> None:
    items = indexed()
    neighbour = {**ID, "sk": {"S": "2"}, **G, **L}
    items.put({**ID, **G, **L})
    items.put(neighbour)
    items.delete(ID)

    assert items.entries("gsi-inc") == [{**ID, "sk": {"S": "2"}, **G}]
    assert items.entries("lsi-all") == [neighbour]


def test_a_rejected_write_does_not_change_indexes() -> None:
    items = indexed()
    items.put({**ID, **G, **L})
    items.error_of("PutItem", Item={**ID, **G}, ConditionExpression="attribute_not_exists(pk)")
    items.error_of("PutItem", Item={**ID, "gsiPk": {"N": "1"}})

    assert items.entries("lsi-all") == [{**ID, **G, **L}]


def test_several_items_can_have_the_same_index_key() -> None:
    items = indexed()
    keys = [{**KEY, "sk": {"S": str(number)}} for number in range(3)]
    for key in keys:
        items.put({**key, **G})
    items.delete(keys[1])

    assert [entry["sk"] for entry in items.entries("gsi-inc")] == [{"S": "0"}, {"S": "2"}]


# An index with two attributes in its partition key and two in its sort key.


def several() -> Items:
    names = {"a": "S", "b": "N", "c": "S", "d": "B"}
    schema = [{"AttributeName": name, "KeyType": "HASH" if name in "ab" else "RANGE"} for name in names]
    return Items(
        AttributeDefinitions=defined("pk", **names), GlobalSecondaryIndexes=[index("many", KeySchema=schema)]
    )


WHOLE: Item = {**KEY, "a": {"S": "a"}, "b": {"N": "1"}, "c": {"S": "c"}, "d": {"B": "ZA=="}}


@pytest.mark.parametrize("left_out", ["a", "b", "c", "d"])
def test_an_item_without_part_of_a_composite_key_is_not_in_the_index(left_out: str) -> None:
    items = several()
    items.put({name: value for name, value in WHOLE.items() if name != left_out})
    assert items.entries("many") == []

    items.update(f"SET {left_out} = :v", v=WHOLE[left_out])
    assert items.entries("many") == [WHOLE]

    items.update(f"REMOVE {left_out}")
    assert items.entries("many") == []


@pytest.mark.parametrize(
    ("name", "value"), [("a", {"N": "1"}), ("b", {"S": "1"}), ("c", {"L": []}), ("d", {"S": "d"})]
)
def test_every_attribute_of_a_composite_key_must_have_its_type(name: str, value: Item) -> None:
    (expected,) = WHOLE[name]
    (actual,) = value

    assert several().invalid("PutItem", Item={**KEY, name: value}) == (
        "One or more parameter values were invalid: "
        f"Type mismatch for Index Key {name} Expected: {expected} Actual: {actual} IndexName: many"
    )


def test_moving_one_attribute_of_a_key_of_several_costs_both_entries() -> None:
    items = several()
    items.put(WHOLE)
    answer: dict[str, Any] = items.update("SET b = :v", v={"N": "2"}, ReturnConsumedCapacity="INDEXES")

    assert answer["ConsumedCapacity"]["GlobalSecondaryIndexes"] == {"many": {"CapacityUnits": 2.0}}
    assert items.entries("many") == [{**WHOLE, "b": {"N": "2"}}]
