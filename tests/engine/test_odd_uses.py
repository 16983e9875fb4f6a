"""Odd uses that are allowed all the same: strange names, tables that come and go, files that move between clocks."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from botocore.model import ListShape, MapShape, Shape, StringShape, StructureShape
from hypothesis import given, settings
from hypothesis import strategies as st

from pksk.client import ServiceError
from pksk.engine import Delays, Engine
from tests.conftest import LONG

from .agreement import check_agreement, scanned
from .botocore_model import NOT_IN_THE_MODEL, operation_model
from .contents import contents
from .state.catalogues import ARN, NAME, Clock, Opened, defined, index, key, searched, table, units, vector
from .valid_requests import VALID, set_up

Request = dict[str, Any]

# Names of attributes


ODD_NAMES = [
    "a.b", "a[0]", "#x", ":y", " ", "\x00", "\n", "\U0001f600", "é", "SELECT", "size", "'", '"', "\\", "0", "\u2028",
    "x" * 65_535,
]  # fmt: skip


@pytest.mark.parametrize("name", ODD_NAMES, ids=lambda name: ascii(name)[:12])
def test_any_name_of_an_attribute_can_be_written_read_and_changed(name: str) -> None:
    opened = Opened()
    opened.create()
    item = {"pk": {"S": "1"}, name: {"M": {name: {"L": [{"N": "1"}]}}}}
    placeholder = {"ExpressionAttributeNames": {"#n": name}}
    opened.put_item(item)
    changed = opened.call("UpdateItem", {
        "TableName": NAME, "Key": {"pk": {"S": "1"}}, "UpdateExpression": "SET #n.#n[0] = #n.#n[0] + :one",
        "ConditionExpression": "size(#n.#n) = :one", "ExpressionAttributeValues": {":one": {"N": "1"}},
        "ReturnValues": "UPDATED_NEW", **placeholder,
    })  # fmt: skip
    got = opened.call("GetItem", {
        "TableName": NAME, "Key": {"pk": {"S": "1"}}, "ProjectionExpression": "#n.#n[0]", **placeholder,
    })  # fmt: skip
    found = opened.call("Scan", {"TableName": NAME, "AttributesToGet": [name]})

    expected = {name: {"M": {name: {"L": [{"N": "2"}]}}}}
    assert changed["Attributes"] == got["Item"] == found["Items"][0] == expected


@pytest.mark.parametrize("name", ODD_NAMES[:-1], ids=ascii)
def test_any_name_can_be_that_of_a_key(name: str) -> None:
    opened = Opened()
    opened.create(
        KeySchema=key(name, "sk"),
        AttributeDefinitions=defined(name, "sk"),
        GlobalSecondaryIndexes=[index("turned", "sk", name)],
    )
    item = {name: {"S": "1"}, "sk": {"S": "2"}}
    opened.put_item(item)
    found = opened.call("Query", {
        "TableName": NAME, "IndexName": "turned", "KeyConditionExpression": "sk = :s AND #n = :n", "Limit": 1,
        "ExpressionAttributeNames": {"#n": name},
        "ExpressionAttributeValues": {":s": {"S": "2"}, ":n": {"S": "1"}},
    })  # fmt: skip

    assert found["Items"] == [found["LastEvaluatedKey"]] == [item]


# Tables and indexes that come and go


INDEXED: Request = {
    "KeySchema": key("pk", "sk"),
    "AttributeDefinitions": defined("pk", "sk", "g"),
    "LocalSecondaryIndexes": [index("local", "pk", "g")],
    "GlobalSecondaryIndexes": [index("global", "g")],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
}


def test_a_table_created_again_has_nothing_of_the_deleted_one() -> None:
    opened = Opened()
    described = []
    for _ in range(3):
        opened.create(**INDEXED)
        described.append(opened.describe())
        assert scanned(opened._engine, NAME) == scanned(opened._engine, NAME, IndexName="global") == []
        assert opened.call("DescribeTimeToLive", {"TableName": NAME}) == {
            "TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}
        }
        assert opened.call("ListTagsOfResource", {"ResourceArn": ARN}) == {"Tags": []}
        opened.put(pk="a", sk="b", g="c")
        expires = {"Enabled": True, "AttributeName": "until"}
        opened.call("UpdateTimeToLive", {"TableName": NAME, "TimeToLiveSpecification": expires})
        opened.call("TagResource", {"ResourceArn": ARN, "Tags": [{"Key": "a", "Value": "b"}]})
        check_agreement(opened._engine)
        opened.call("DeleteTable", {"TableName": NAME})

    assert [shown["ItemCount"] for shown in described] == [0, 0, 0]
    assert len({shown["TableId"] for shown in described}) == 3


UNFIT = {
    "number": {"N": "1"},
    "empty": {"S": ""},
    "too long": {"S": "x" * 2049},
    "null": {"NULL": True},
    "map": {"M": {}},
    "set": {"SS": ["a"]},
}


@pytest.mark.parametrize("value", UNFIT.values(), ids=UNFIT)
def test_an_item_with_an_invalid_index_key_is_not_in_a_new_index_until_it_fits(value: Any) -> None:
    opened = Opened()
    opened.create()
    opened.put_item({"pk": {"S": "1"}, "g": value})
    opened.update(
        AttributeDefinitions=defined("g"), GlobalSecondaryIndexUpdates=[{"Create": index("by-g", "g")}]
    )
    other = _update(opened, "SET a = :a", {":a": {"S": "b"}})
    check_agreement_but_for_size(opened, [])
    fitting = _update(opened, "SET g = :g", {":g": {"S": "fits"}})

    assert "GlobalSecondaryIndexes" not in other
    assert "GlobalSecondaryIndexes" in fitting
    check_agreement(opened._engine)
    assert len(scanned(opened._engine, NAME, IndexName="by-g")) == 1


def _update(opened: Opened, expression: str, values: Request) -> Request:
    request = {
        "TableName": NAME, "Key": {"pk": {"S": "1"}}, "UpdateExpression": expression,
        "ExpressionAttributeValues": values, "ReturnConsumedCapacity": "INDEXES",
    }  # fmt: skip
    consumed: Request = opened.call("UpdateItem", request)["ConsumedCapacity"]
    return consumed


def check_agreement_but_for_size(opened: Opened, entries: list[Any]) -> None:
    assert scanned(opened._engine, NAME, IndexName="by-g") == entries
    assert opened.describe()["GlobalSecondaryIndexes"][0]["ItemCount"] == len(entries)


def test_a_sort_key_that_is_too_long_keeps_an_item_out_of_that_index_only() -> None:
    opened = Opened()
    opened.create()
    opened.put(pk="1", g="x" * 2048, s="x" * 1025)
    for made in (index("by-g", "g"), index("by-s", "g", "s")):
        opened.update(AttributeDefinitions=defined("g", "s"), GlobalSecondaryIndexUpdates=[{"Create": made}])
    _update(opened, "SET a = :a", {":a": {"S": "b"}})

    assert len(scanned(opened._engine, NAME, IndexName="by-g")) == 1
    assert scanned(opened._engine, NAME, IndexName="by-s") == []


def test_an_index_has_no_insights_of_a_former_one_of_its_name() -> None:
    opened = Opened()
    opened.create(AttributeDefinitions=defined("pk", "g"), GlobalSecondaryIndexes=[index("by-g", "g")])
    insights = {"TableName": NAME, "IndexName": "by-g"}
    opened.call("UpdateContributorInsights", {**insights, "ContributorInsightsAction": "ENABLE"})
    opened.update(GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-g"}}])
    listed = opened.call("ListContributorInsights")
    opened.update(
        AttributeDefinitions=defined("g"), GlobalSecondaryIndexUpdates=[{"Create": index("by-g", "g")}]
    )

    assert listed == {"ContributorInsightsSummaries": []}
    assert opened.call("DescribeContributorInsights", insights) == {
        **insights,
        "ContributorInsightsStatus": "DISABLED",
    }


@pytest.mark.parametrize("most", [0, -1, -5])
def test_a_page_of_insights_without_a_length_has_the_default_one(most: int) -> None:
    opened = Opened()
    opened.create()
    opened.call("UpdateContributorInsights", {"TableName": NAME, "ContributorInsightsAction": "ENABLE"})

    assert (
        len(opened.call("ListContributorInsights", {"MaxResults": most})["ContributorInsightsSummaries"]) == 1
    )


# Clocks and files


def test_a_table_that_took_no_time_to_make_is_there_also_by_a_clock_that_is_behind() -> None:
    opened = Opened()
    opened.create(AttributeDefinitions=defined("pk", "g"), GlobalSecondaryIndexes=[index("by-g", "g")])
    opened.update(
        AttributeDefinitions=defined("h"), GlobalSecondaryIndexUpdates=[{"Create": index("by-h", "h")}]
    )
    opened.call("DeleteTable", {"TableName": opened.create(TableName="gone")["TableName"]})
    opened.clock.now -= 1e9
    for engine in (opened, opened.again()):
        engine.put(pk="1", g="a", h="b")

        assert engine.describe()["TableStatus"] == "ACTIVE"
        assert engine.call("ListTables") == {"TableNames": [NAME]}
        check_agreement(engine._engine)


ON_DEMAND: Request = {"BillingMode": "PAY_PER_REQUEST"}
PROVISIONED: Request = {
    "BillingMode": "PROVISIONED",
    "ProvisionedThroughput": units(),
    "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "global", "ProvisionedThroughput": units()}}],
}
UPDATES: list[Request] = [
    ON_DEMAND,
    PROVISIONED,
    {"AttributeDefinitions": defined("h"), "GlobalSecondaryIndexUpdates": [{"Create": index("added", "h")}]},
    {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "added"}}]},
    {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "global"}}]},
    {"StreamSpecification": {"StreamEnabled": False}},
    {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}},
    {"TableClass": "STANDARD_INFREQUENT_ACCESS"},
    {"DeletionProtectionEnabled": True},
    {"DeletionProtectionEnabled": False},
    {"VectorIndexUpdates": [{"Create": vector(SearchSchema=searched(pk="HASH"))}]},
    {"VectorIndexUpdates": [{"Delete": {"IndexName": "near"}}]},
]
STEPS: list[tuple[str, Request]] = [
    ("CreateTable", table(**INDEXED)),
    ("DeleteTable", {}),
    ("UpdateTimeToLive", {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "t"}}),
    ("UpdateTimeToLive", {"TimeToLiveSpecification": {"Enabled": False, "AttributeName": "t"}}),
    ("UpdateContributorInsights", {"IndexName": "added", "ContributorInsightsAction": "ENABLE"}),
    (
        "EnableKinesisStreamingDestination",
        {"StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/orders"},
    ),
    ("PutItem", {"Item": {"pk": {"S": "a"}, "sk": {"S": "b"}, "g": {"S": "c"}, "h": {"S": "d"}}}),
    ("PutItem", {"Item": {"pk": {"S": "a"}, "sk": {"S": "c"}, "h": {"N": "1"}}}),
    *(("UpdateTable", update) for update in UPDATES),
]
SHOWN = (
    "DescribeTable", "DescribeTimeToLive", "ListContributorInsights", "DescribeKinesisStreamingDestination", "Scan",
)  # fmt: skip
seconds = st.sampled_from([0.0, 3.0])


@settings(max_examples=500 if LONG else 40)
@given(
    delays=st.builds(
        Delays, create_table=seconds, update_table=seconds, delete_table=seconds, backfill=seconds
    ),
    steps=st.lists(
        st.tuples(st.sampled_from(STEPS), st.sampled_from([0.0, 0.0, 1.0, 4.0, 1e5])), max_size=25
    ),
)
def test_a_file_that_is_opened_again_shows_what_it_showed_in_every_state(
    tmp_path_factory: pytest.TempPathFactory, delays: Delays, steps: list[tuple[tuple[str, Request], float]]
) -> None:
    path, clock = tmp_path_factory.mktemp("states") / "tables.db", Clock()
    engine = Engine.open(path, durable=False, delays=delays, clock=clock)
    for (operation, request), passed in [(STEPS[0], 0.0), *steps]:
        outcome(engine, operation, {"TableName": NAME, **request})
        clock.now += passed
        before = shown(engine)
        engine.close()
        engine = Engine.open(path, durable=False, delays=delays, clock=clock)

        assert shown(engine) == before
    engine.close()


def outcome(engine: Engine, operation: str, request: Request) -> Any:
    try:
        return engine.call(operation, request)
    except ServiceError as error:
        if error.status != 400:
            raise
        return error.code, error.message


def shown(engine: Engine) -> list[Any]:
    """All that can be seen of the one table."""
    indexes = [outcome(engine, "Scan", {"TableName": NAME, "IndexName": name}) for name in ("local", "added")]
    tables = outcome(engine, "ListTables", {})
    return [tables, *indexes, *(outcome(engine, operation, {"TableName": NAME}) for operation in SHOWN)]


# All at once


@pytest.mark.parametrize("kind", [":memory:", "tables.db"])
def test_tables_and_indexes_may_come_and_go_under_threads_that_use_them(kind: str, tmp_path: Path) -> None:
    engine = Engine.open(kind if kind == ":memory:" else tmp_path / kind, durable=False)
    until = time.monotonic() + (20 if LONG else 1)
    failures: list[ServiceError] = []
    threads = [
        Thread(target=_use, args=(engine, number, until, failures), daemon=True) for number in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert not any(thread.is_alive() for thread in threads)
    assert failures == []
    check_agreement(engine)
    engine.close()


def _use(engine: Engine, number: int, until: float, failures: list[ServiceError]) -> None:
    draw = random.Random(number)
    while time.monotonic() < until:
        operation, request = draw.choice(USES)
        try:
            engine.call(
                operation, {**request, "TableName": NAME} if "TransactItems" not in request else request
            )
        except ServiceError as error:
            if error.status != 400:
                failures.append(error)


def _uses() -> Iterator[tuple[str, Request]]:
    yield from (("CreateTable", table(**INDEXED)), ("DeleteTable", {}), ("DescribeTable", {}), *STEPS[6:8])
    yield from (("UpdateTable", update) for update in UPDATES[2:4] * 3)
    for name in ("local", "global", "added"):
        yield "Scan", {"IndexName": name, "ReturnConsumedCapacity": "INDEXES"}
    for text in "abc":
        item = {"pk": {"S": text}, "sk": {"S": text}, "g": {"S": text}, "h": {"S": text}}
        keys = {"pk": {"S": text}, "sk": {"S": text}}
        remove = {"TableName": NAME, "Key": keys, "UpdateExpression": "REMOVE h"}
        yield "PutItem", {"Item": item, "ReturnConsumedCapacity": "INDEXES"}
        yield "UpdateItem", {**remove, "ReturnConsumedCapacity": "INDEXES"}
        yield "DeleteItem", {"Key": keys, "ReturnConsumedCapacity": "INDEXES"}
        yield (
            "TransactWriteItems",
            {"TransactItems": [{"Update": remove}], "ReturnConsumedCapacity": "INDEXES"},
        )


USES = list(_uses())


# Requests and answers


@pytest.mark.parametrize("operation", sorted({operation for operation, _ in VALID}))
def test_requests_and_answers_belong_to_the_caller(operation: str) -> None:
    for request in [deepcopy(request) for name, request in VALID if name == operation]:
        engine = set_up(Engine.open())
        given = deepcopy(request)
        answer = engine.call(operation, given)
        after = contents(engine)

        assert given == request
        _clear(given)
        _clear(answer)
        assert contents(engine) == after
        check_agreement(engine)


def _clear(value: Any) -> None:
    """Empty whatever is in it, at every depth."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            _clear(inner)
        value.clear()


def test_answers_agree_with_the_model() -> None:
    for operation, request in VALID:
        engine = set_up(Engine.open())
        answer = engine.call(operation, request)
        output = operation_model(operation).output_shape

        assert list(_differences(output, answer, operation) if output else answer) == []


def _differences(shape: Shape, value: Any, path: str) -> Iterator[str]:
    if isinstance(shape, StructureShape):
        for name in value.keys() - NOT_IN_THE_MODEL:
            if name in shape.members:
                yield from _differences(shape.members[name], value[name], f"{path}.{name}")
            else:
                yield f"{path}.{name} is unknown"
    elif isinstance(shape, MapShape | ListShape):
        inner = shape.value if isinstance(shape, MapShape) else shape.member
        assert isinstance(value, dict if isinstance(shape, MapShape) else list), path
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _differences(inner, one, path)
    elif not isinstance(value, TYPES[shape.type_name]):
        yield f"{path} is {value!r}"
    elif isinstance(shape, StringShape) and shape.enum and value not in shape.enum:
        yield f"{path} is {value!r}, none of {shape.enum}"


TYPES = {
    "string": str, "boolean": bool, "integer": int, "long": int, "double": float, "timestamp": float, "blob": str,
}  # fmt: skip
