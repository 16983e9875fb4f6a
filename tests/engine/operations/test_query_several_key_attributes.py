"""Query on an index whose keys have several attributes, by KeyConditionExpression and by legacy KeyConditions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state.catalogues import defined

from .items import Item, Items

pytestmark = pytest.mark.every_transport

KEYS = {"h": "HASH", "i": "HASH", "a": "RANGE", "b": "RANGE", "c": "RANGE"}
TYPES = {"h": "S", "i": "N", "a": "S", "b": "N", "c": "B"}
COMPARATORS = {"=": "EQ", "<": "LT", "<=": "LE", ">": "GT", ">=": "GE"}
FUNCTIONS = {"BETWEEN": "BETWEEN", "begins_with": "BEGINS_WITH"}

# A condition is "attribute operator value [value]"; an expression has all of them, joined by AND.
Conditions = tuple[str, ...]


def value(name: str, text: str) -> Item:
    return {TYPES.get(name, "S"): text}


def as_expression(conditions: Conditions) -> dict[str, Any]:
    clauses: list[str] = []
    values: Item = {}
    for condition in conditions:
        name, operator, *texts = condition.split()
        placeholders = [f":{name}{number}" for number in range(len(texts))]
        values |= {each: value(name, text) for each, text in zip(placeholders, texts, strict=True)}
        if operator == "begins_with":
            clauses.append(f"begins_with({name}, {placeholders[0]})")
        else:
            clauses.append(f"{name} {operator} {' AND '.join(placeholders)}")
    return {"KeyConditionExpression": " AND ".join(clauses), "ExpressionAttributeValues": values}


def as_key_conditions(conditions: Conditions) -> dict[str, Any]:
    entries = {}
    for condition in conditions:
        name, operator, *texts = condition.split()
        entries[name] = {
            "ComparisonOperator": (COMPARATORS | FUNCTIONS)[operator],
            "AttributeValueList": [value(name, text) for text in texts],
        }
    return {"KeyConditions": entries}


@pytest.fixture
def items() -> Items:
    index = {
        "IndexName": "several",
        "KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in KEYS.items()],
        "Projection": {"ProjectionType": "ALL"},
    }
    items = Items(AttributeDefinitions=defined("pk", **TYPES), GlobalSecondaryIndexes=[index])
    for key in ("x1 x y 1 p1", "x1 x y 1 p2", "x1 x y 10 p3", "x1 x z 2 p4", "x2 x y 1 p5"):
        first, second, third, fourth, pk = key.split()
        texts = {"h": second, "i": first[1:], "a": third, "b": fourth, "c": "AAA=" if pk < "p2" else "AQA="}
        items.put({"pk": {"S": pk}} | {name: value(name, text) for name, text in texts.items()})
    items.put({"pk": {"S": "without c"}, "h": {"S": "x"}, "i": {"N": "1"}, "a": {"S": "y"}})
    return items


@pytest.mark.parametrize("written", [as_expression, as_key_conditions])
@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        (("h = x", "i = 1"), "p1 p2 p3 p4"),
        (("i = 2", "h = x"), "p5"),
        (("h = x", "i = 1", "a = y"), "p1 p2 p3"),
        (("a > y", "i = 1", "h = x"), "p4"),
        (("h = x", "i = 1", "a BETWEEN a y"), "p1 p2 p3"),
        (("h = x", "i = 1", "a begins_with z"), "p4"),
        (("h = x", "i = 1", "a = y", "b = 1"), "p1 p2"),
        (("b >= 2", "h = x", "a = y", "i = 1"), "p3"),
        (("h = x", "i = 1", "a = y", "b = 1", "c = AQA="), "p2"),
        (("h = x", "i = 1", "a = y", "b = 1", "c begins_with AA=="), "p1"),
    ],
)
def test_all_partition_attributes_and_sort_attributes_from_the_left(
    items: Items, written: Any, conditions: Conditions, found: str
) -> None:
    answer = items.call("Query", IndexName="several", **written(conditions))

    assert [item["pk"]["S"] for item in answer["Items"]] == found.split()


RANGE = "RANGE key attributes {} must have equality conditions specified in the query because a condition is "
HASH = RANGE.replace("RANGE", "HASH")
AT = "present on key attribute {}"


@pytest.mark.parametrize("written", [as_expression, as_key_conditions])
@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        (("h = x", "i = 1", "a = y", "c = AAA="), (RANGE + AT).format("b", "c")),
        (("h = x", "i = 1", "a = y", "b > 1", "c = AAA="), (RANGE + AT).format("b", "c")),
        (("h = x", "i = 1", "b = 1"), (RANGE + AT).format("a", "b")),
        (("h = x", "i = 1", "c > AAA="), (RANGE + AT).format("a, b", "c")),
        (("h = x",), (HASH + AT).format("i", "h")),
        (("i = 1",), (HASH + AT).format("h", "i")),
        (("h > x", "i = 1"), (HASH + AT).format("h", "i")),
        (("a = y",), (HASH + AT).format("h, i", "a")),
        (("h = x", "a = y", "c = AAA="), (HASH + AT).format("i", "c")),
        (("h = x", "i > 1"), "Query key condition not supported"),
        (("h = x", "i = 1", "d = 1"), "Query condition missed key schema element: a"),
        (("d = 1",), "Query condition missed key schema element: h"),
        (
            ("h = x", "i = 1", "a = y", "b = 1", "c = AAA=", "d = 1"),
            "The number of query conditions (6) exceeds the number of key attributes defined in the schema (5)",
        ),
        (
            ("h = x", "i = 1", "a = y", "b = 1", "c begins_with AAA=", "pk = p"),
            "The number of query conditions (6) exceeds the number of key attributes defined in the schema (5)",
        ),
    ],
)
def test_a_gap_or_a_range_before_another_condition_is_rejected(
    items: Items, written: Any, conditions: Conditions, words: str
) -> None:
    assert items.invalid("Query", IndexName="several", **written(conditions)) == words


def test_a_legacy_query_pages_through_the_index(items: Items) -> None:
    request = {"IndexName": "several", **as_key_conditions(("h = x", "i = 1", "a = y")), "Limit": 2}
    first = items.call("Query", **request)
    second = items.call("Query", **request, ExclusiveStartKey=first["LastEvaluatedKey"])

    assert first["LastEvaluatedKey"].keys() == {"pk", *KEYS}
    assert [item["pk"]["S"] for page in (first, second) for item in page["Items"]] == ["p1", "p2", "p3"]


def test_a_legacy_query_of_one_partition_attribute_takes_a_filter_expression_and_a_limit(
    items: Items,
) -> None:
    answer = items.call(
        "Query",
        IndexName="several",
        **as_key_conditions(("h = x", "i = 1", "a = y", "b > 1")),
        FilterExpression="pk <> :p",
        ExpressionAttributeValues={":p": {"S": "p3"}},
    )

    assert (answer["Count"], answer["ScannedCount"]) == (0, 1)


def test_keys_of_one_attribute_take_two_legacy_conditions_at_most() -> None:
    items = Items("pk", "sk")

    assert items.invalid("Query", **as_key_conditions(("pk = a", "sk = b", "d = c"))) == (
        "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)"
    )
    assert items.invalid("Query", KeyConditions={}) == "Conditions can be of length 1 or 2 only"
