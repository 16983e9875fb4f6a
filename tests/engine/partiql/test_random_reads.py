"""Random SELECTs return and cost the same as the equivalent queries, scans and gets."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import event, given, settings
from hypothesis import strategies as st

from pksk.engine import Engine

LONG = bool(os.environ.get("PKSK_LONG"))
UNITS = {"ReturnConsumedCapacity": "INDEXES"}
TYPES = {"pk": "S", "sk": "N", "g": "S", "h": "N", "l": "N"}
# What is read, by its keys; the index that keeps only keys comes last.
SOURCES = {
    None: ("pk", "sk"),
    "global": ("g", "h"),
    "hashed": ("g",),
    "local": ("pk", "l"),
    "keys": ("g", "sk"),
}
TEXTS = st.sampled_from(["a", "ab", "b", "c", "é'", "zz"]).map(lambda text: {"S": text})
NUMBERS = st.integers(-2, 4).map(lambda number: {"N": str(number)})
VALUES: dict[str, Any] = {"S": TEXTS, "N": NUMBERS}
OPERATORS = ("=", "<", "<=", ">", ">=", "BETWEEN")


def schema(*names: str) -> list[dict[str, str]]:
    return [{"AttributeName": n, "KeyType": k} for n, k in zip(names, ("HASH", "RANGE"), strict=False)]


def index(name: str, projected: str = "ALL") -> dict[str, Any]:
    return {
        "IndexName": name,
        "KeySchema": schema(*SOURCES[name]),
        "Projection": {"ProjectionType": projected},
    }


def opened(items: list[dict[str, Any]]) -> Engine:
    engine = Engine.open()
    engine.call(
        "CreateTable",
        {
            "TableName": "shelf",
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": schema("pk", "sk"),
            "AttributeDefinitions": [{"AttributeName": n, "AttributeType": t} for n, t in TYPES.items()],
            "GlobalSecondaryIndexes": [index("global"), index("hashed"), index("keys", "KEYS_ONLY")],
            "LocalSecondaryIndexes": [index("local")],
        },
    )
    for item in items:
        engine.call("PutItem", {"TableName": "shelf", "Item": item})
    return engine


ITEMS = st.lists(
    st.fixed_dictionaries(
        {"pk": TEXTS, "sk": NUMBERS},
        optional={"g": TEXTS, "h": NUMBERS, "l": NUMBERS, "x": NUMBERS, "big": st.just({"S": "y" * 3000})},
    ),
    min_size=3,
    max_size=25,
)


class Read(NamedTuple):
    """A SELECT, and the equivalent calls of the ordinary operations."""

    statement: str
    parameters: list[Any]
    calls: list[tuple[str, dict[str, Any]]]


class Maker:
    """Draws one SELECT by keys, and the equivalent calls."""

    def __init__(self, draw: Callable[..., Any]) -> None:
        self._draw = draw
        self._parameters: list[Any] = []
        self.source = draw(st.sampled_from(list(SOURCES)), label="source")
        self._keys = SOURCES[self.source]
        self._base: dict[str, Any] = {"TableName": "shelf", **UNITS}
        if self.source:
            self._base["IndexName"] = self.source

    def _text(self, wire: dict[str, str]) -> str:
        if self._draw(st.booleans()):
            self._parameters.append(wire)
            return "?"
        ((kind, inner),) = wire.items()
        return inner if kind == "N" else "'" + inner.replace("'", "''") + "'"

    def read(self) -> Read:
        partition, *sort = self._keys
        values_of_key = st.lists(VALUES[TYPES[partition]], min_size=1, max_size=4, unique_by=str)
        wanted = self._draw(values_of_key, label="partitions")
        clauses = [self._partitions(partition, wanted)]
        condition = f"{partition} = :p"
        values: dict[str, Any] = {}
        if sort and self._draw(st.booleans()):
            clause, condition, values = self._sort(sort[0], condition)
            clauses.append(clause)
        query: dict[str, Any] = {"KeyConditionExpression": condition}
        if self.source != "keys" and self._draw(st.booleans()):
            value = self._draw(NUMBERS)
            clauses.append(f"x >= {self._text(value)}")
            query["FilterExpression"], values[":x"] = "x >= :x", value
        order, query["ScanIndexForward"] = self._order(partition, sort)
        calls = [
            ("Query", {**self._base, **query, "ExpressionAttributeValues": {":p": one, **values}})
            for one in self._ordered(wanted, order)
        ]
        return Read(f"{self._select()} WHERE {' AND '.join(clauses)}{order}", self._parameters, calls)

    def _select(self) -> str:
        return "SELECT * FROM shelf" + (f'."{self.source}"' if self.source else "")

    def _partitions(self, name: str, wanted: list[Any]) -> str:
        texts = [self._text(one) for one in wanted]
        form = self._draw(st.sampled_from(["in", "or"])) if len(texts) > 1 else "equal"
        if form == "equal":
            turned = self._draw(st.booleans())
            return f"{texts[0]} = {name}" if turned else f"{name} = {texts[0]}"
        if form == "in":
            return f"{name} IN [{', '.join(texts)}]"
        return f"({' OR '.join(f'{name} = {text}' for text in texts)})"

    def _sort(self, name: str, condition: str) -> tuple[str, str, dict[str, Any]]:
        operator = self._draw(st.sampled_from(OPERATORS))
        low, high = sorted((self._draw(NUMBERS), self._draw(NUMBERS)), key=lambda wire: int(wire["N"]))
        if operator == "BETWEEN":
            clause = f"{name} BETWEEN {self._text(low)} AND {self._text(high)}"
            return clause, f"{condition} AND {name} BETWEEN :a AND :b", {":a": low, ":b": high}
        return f"{name} {operator} {self._text(low)}", f"{condition} AND {name} {operator} :a", {":a": low}

    def _order(self, partition: str, sort: list[str]) -> tuple[str, bool]:
        if self._draw(st.booleans()):
            return "", True
        down = self._draw(st.sampled_from(["", " ASC", " DESC"]))
        ends = self._draw(st.sampled_from(["", " DESC"])) if sort else ""
        more = f", {sort[0]}{ends}" if sort else ""
        return f" ORDER BY {partition}{down}{more}", not ends

    def _ordered(self, wanted: list[Any], order: str) -> list[Any]:
        """Partitions as they are named; or by their values, where they are ordered."""
        if not order:
            return wanted
        first = order.split(",", maxsplit=1)[0]
        return sorted(wanted, key=lambda wire: wire["S"].encode(), reverse=first.endswith("DESC"))


def added(units: list[dict[str, Any]]) -> dict[str, Any]:
    """ConsumedCapacity of several calls together."""
    total: dict[str, Any] = {}
    for one in units:
        for name, value in one.items():
            if isinstance(value, dict):
                total[name] = added([total.get(name, {}), value])
            else:
                total[name] = value if isinstance(value, str) else total.get(name, 0) + value
    return total


def execute(engine: Engine, read: Read, **members: Any) -> dict[str, Any]:
    request = {"Statement": read.statement, **UNITS, **members}
    return engine.call(
        "ExecuteStatement", request | ({"Parameters": read.parameters} if read.parameters else {})
    )


@given(ITEMS, st.data())
@settings(max_examples=3000 if LONG else 30)
def test_a_select_by_keys_equals_its_queries_in_items_and_units(
    items: list[Any], data: st.DataObject
) -> None:
    engine = opened(items)
    maker = Maker(data.draw)
    read = maker.read()

    answer = execute(engine, read)
    queried = [engine.call(*call) for call in read.calls]

    event(f"{maker.source}, {len(read.calls)} partitions")
    assert answer["Items"] == [item for one in queried for item in one["Items"]]
    assert answer["ConsumedCapacity"] == added([one["ConsumedCapacity"] for one in queried])
    assert "NextToken" not in answer


@given(ITEMS, st.integers(1, 5), st.data())
@settings(max_examples=2000 if LONG else 25)
def test_pages_of_a_select_hold_each_item_once(items: list[Any], limit: int, data: st.DataObject) -> None:
    engine = opened(items)
    read = Maker(data.draw).read()
    found: list[Any] = []
    token: dict[str, str] = {}
    for _ in range(200):
        page = execute(engine, read, Limit=limit, **token)
        assert len(page["Items"]) <= limit
        found += page["Items"]
        if "NextToken" not in page:
            break
        token = {"NextToken": page["NextToken"]}

    assert "NextToken" not in page
    assert found == execute(engine, read)["Items"]


@given(ITEMS, st.sampled_from(list(SOURCES)), NUMBERS, TEXTS)
@settings(max_examples=1000 if LONG else 30)
def test_a_select_without_a_partition_key_equals_a_scan_in_items_and_units(
    items: list[Any], source: str | None, number: Any, text: Any
) -> None:
    engine = opened(items)
    name = f'shelf."{source}"' if source else "shelf"
    statement = f"SELECT pk, sk FROM {name} WHERE sk > ? OR (pk = ? AND sk <> ?)"
    read = Read(statement, [number, text, number], [])

    answer = execute(engine, read)
    scanned = engine.call(
        "Scan",
        {
            "TableName": "shelf",
            "FilterExpression": "sk > :n OR (pk = :t AND sk <> :n)",
            "ProjectionExpression": "pk, sk",
            "ExpressionAttributeValues": {":n": number, ":t": text},
            **UNITS,
            **({"IndexName": source} if source else {}),
        },
    )

    assert answer == {"Items": scanned["Items"], "ConsumedCapacity": scanned["ConsumedCapacity"]}


@given(ITEMS, TEXTS, NUMBERS, st.booleans())
@settings(max_examples=1000 if LONG else 30)
def test_a_select_by_the_primary_key_equals_a_get_in_item_and_units(
    items: list[Any], text: Any, number: Any, consistent: bool
) -> None:
    engine = opened(items)
    read = Read("SELECT * FROM shelf WHERE sk = ? AND pk = ?", [number, text], [])

    answer = execute(engine, read, ConsistentRead=consistent, Limit=1)
    key = {"TableName": "shelf", "Key": {"pk": text, "sk": number}}
    got = engine.call("GetItem", {**key, "ConsistentRead": consistent, **UNITS})

    assert answer["Items"] == ([got["Item"]] if "Item" in got else [])
    assert answer["ConsumedCapacity"] == got["ConsumedCapacity"]
    assert "NextToken" not in answer
