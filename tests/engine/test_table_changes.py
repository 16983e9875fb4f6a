"""Tables and indexes that are recreated, reopened in every state, and changed under load."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pksk.client import ServiceError
from pksk.engine import Delays, Engine
from tests.conftest import LONG

from .agreement import check_agreement, scanned
from .state.catalogues import ARN, NAME, Clock, Opened, defined, index, key, searched, table, units, vector

Request = dict[str, Any]

INDEXED: Request = {
    "KeySchema": key("pk", "sk"),
    "AttributeDefinitions": defined("pk", "sk", "g"),
    "LocalSecondaryIndexes": [index("local", "pk", "g")],
    "GlobalSecondaryIndexes": [index("global", "g")],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
}


def test_a_recreated_table_has_nothing_of_the_deleted_one() -> None:
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


def test_a_recreated_index_has_no_insights_of_the_deleted_one() -> None:
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
def test_a_page_of_insights_below_one_has_the_default_length(most: int) -> None:
    opened = Opened()
    opened.create()
    opened.call("UpdateContributorInsights", {"TableName": NAME, "ContributorInsightsAction": "ENABLE"})

    assert (
        len(opened.call("ListContributorInsights", {"MaxResults": most})["ContributorInsightsSummaries"]) == 1
    )


# Clocks and files


def test_a_table_created_without_delay_is_active_even_if_the_clock_goes_back() -> None:
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


@settings(max_examples=500 if LONG else 20)
@given(
    delays=st.builds(
        Delays, create_table=seconds, update_table=seconds, delete_table=seconds, backfill=seconds
    ),
    steps=st.lists(
        st.tuples(st.sampled_from(STEPS), st.sampled_from([0.0, 0.0, 1.0, 4.0, 1e5])), max_size=25
    ),
)
def test_a_reopened_file_shows_every_state_as_before(
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
def test_tables_and_indexes_can_be_created_and_deleted_while_threads_use_them(
    kind: str, tmp_path: Path
) -> None:
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
