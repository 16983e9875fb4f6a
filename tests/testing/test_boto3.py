"""A realistic session of boto3: client, resource, paginators, waiters, batches, transactions, streams."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import boto3
import pytest
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary

from pksk.engine import Engine
from pksk.testing.boto3_session import new_boto3_session

from .orders import ORDERS, order


@pytest.fixture
def client(pksk_boto3: boto3.Session) -> Any:
    client = pksk_boto3.client("dynamodb")
    client.create_table(**ORDERS)
    client.get_waiter("table_exists").wait(TableName="orders")
    return client


@pytest.fixture
def table(client: Any, pksk_boto3: boto3.Session) -> Any:
    return pksk_boto3.resource("dynamodb").Table("orders")


def test_paginators_go_to_the_end(client: Any) -> None:
    for number in range(25):
        client.put_item(TableName="orders", Item=order("7", number))
    pages = client.get_paginator("query").paginate(
        TableName="orders",
        KeyConditionExpression="pk = :p",
        ExpressionAttributeValues={":p": {"S": "7"}},
        PaginationConfig={"PageSize": 10},
    )

    assert [page["Count"] for page in pages] == [10, 10, 5]
    assert len(client.get_paginator("scan").paginate(TableName="orders").build_full_result()["Items"]) == 25


def test_waiters_wait_for_what_the_engine_says(client: Any) -> None:
    client.delete_table(TableName="orders")
    client.get_waiter("table_not_exists").wait(TableName="orders")

    assert client.list_tables()["TableNames"] == []


def test_a_table_of_the_resource_takes_and_gives_values_of_python(table: Any) -> None:
    item = {
        "pk": "7",
        "sk": "1",
        "total": Decimal("12.5"),
        "raw": Binary(b"\x00"),
        "tags": {"a", "b"},
        "none": None,
    }
    table.put_item(Item=item)

    assert table.get_item(Key={"pk": "7", "sk": "1"})["Item"] == item


def test_conditions_updates_and_filters_of_the_resource(table: Any) -> None:
    with table.batch_writer() as batch:
        for number in range(60):
            batch.put_item(Item={"pk": "7", "sk": f"{number:04}", "status": "open", "n": number})
    table.update_item(
        Key={"pk": "7", "sk": "0003"},
        UpdateExpression="SET #s = :s ADD n :by",
        ConditionExpression=Attr("n").eq(3),
        ExpressionAttributeNames={"#s": "status"},
        ExpressionAttributeValues={":s": "sent", ":by": 10},
    )

    found = table.query(
        KeyConditionExpression=Key("pk").eq("7") & Key("sk").between("0000", "0009"),
        FilterExpression=Attr("n").gt(8),
    )
    by_status = table.query(IndexName="by-status", KeyConditionExpression=Key("status").eq("sent"))
    assert [item["n"] for item in found["Items"]] == [13, 9]
    assert [item["sk"] for item in by_status["Items"]] == ["0003"]


def test_batches_and_transactions(client: Any) -> None:
    writes = [{"Put": {"TableName": "orders", "Item": order("7", number)}} for number in range(3)]
    client.transact_write_items(TransactItems=writes)
    writes[1]["Put"]["ConditionExpression"] = "attribute_not_exists(pk)"
    with pytest.raises(client.exceptions.TransactionCanceledException) as refusal:
        client.transact_write_items(TransactItems=writes)
    keys = [{"pk": {"S": "7"}, "sk": {"S": f"{number:04}"}} for number in range(3)]

    assert [each["Code"] for each in refusal.value.response["CancellationReasons"]][
        1
    ] == "ConditionalCheckFailed"
    assert len(client.batch_get_item(RequestItems={"orders": {"Keys": keys}})["Responses"]["orders"]) == 3


def test_streams_have_their_own_client(client: Any, pksk_boto3: boto3.Session) -> None:
    client.put_item(TableName="orders", Item=order("7", 1))
    streams = pksk_boto3.client("dynamodbstreams")
    arn = streams.list_streams(TableName="orders")["Streams"][0]["StreamArn"]
    shards = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    records = []
    for shard in shards:
        iterator = streams.get_shard_iterator(
            StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
        )
        records += streams.get_records(ShardIterator=iterator["ShardIterator"])["Records"]

    assert [record["dynamodb"]["NewImage"]["sk"]["S"] for record in records] == ["0001"]


def test_other_sessions_speak_to_the_same_engine(client: Any, pksk_engine: Engine) -> None:
    assert boto3.client("dynamodb").list_tables()["TableNames"] == ["orders"]
    assert pksk_engine.call("ListTables", {}) == {"TableNames": ["orders"]}


def test_sessions_share_models_and_nothing_else(pksk_boto3: boto3.Session) -> None:
    heard: list[str] = []
    pksk_boto3.events.register("before-call.dynamodb.*", lambda **_: heard.append("one"))
    other = new_boto3_session("eu-west-1")
    other.client("dynamodb").list_tables()
    paths = other._session.get_component("data_loader").search_paths

    assert heard == []
    assert (pksk_boto3.region_name, other.region_name) == ("us-east-1", "eu-west-1")
    assert len(paths) == len(set(paths))
    pksk_boto3.client("dynamodb").list_tables()
    assert heard == ["one"]


def test_an_endpoint_of_the_environment_is_not_for_the_fixtures_session(
    pksk_boto3: boto3.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1")

    assert pksk_boto3.client("dynamodb").list_tables()["TableNames"] == []


def test_a_session_does_what_one_of_boto3_does(pksk_boto3: boto3.Session) -> None:
    ours, usual = pksk_boto3.client("dynamodb"), boto3.client("dynamodb")

    assert ours.meta.method_to_api_mapping == usual.meta.method_to_api_mapping
