"""A session of boto3 with the orders of a shop, for any version: `python boto3_session.py URL` runs it alone."""

from __future__ import annotations

import sys
from decimal import Decimal
from typing import Any

import boto3
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary

CREATE: dict[str, Any] = {
    "TableName": "shop",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in (("pk", "S"), ("sk", "S"), ("status", "S"), ("total", "N"))
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by-status",
            "KeySchema": [
                {"AttributeName": "status", "KeyType": "HASH"},
                {"AttributeName": "total", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}
SOON = {"Delay": 0.05, "MaxAttempts": 200}


def order(number: int, **more: Any) -> dict[str, Any]:
    """An order in DynamoDB's JSON."""
    item = {"pk": {"S": "CUST#7"}, "sk": {"S": f"ORDER#{number:03}"}, "status": {"S": "open"}}
    return item | {"total": {"N": str(number)}} | more


def run(url: str | None = None, *, session: Any = boto3, **settings: Any) -> None:
    """The whole session: a client, a resource, paginators, waiters and the stream."""
    settings["endpoint_url"] = url
    client = session.client("dynamodb", **settings)
    created = client.create_table(**CREATE)["TableDescription"]
    assert created["TableStatus"] in {"CREATING", "ACTIVE"}
    client.get_waiter("table_exists").wait(TableName="shop", WaiterConfig=SOON)
    write_with(client)
    read_with(client)
    use_as_resource(session.resource("dynamodb", **settings))
    changes = follow(session.client("dynamodbstreams", **settings))
    assert changes.count("INSERT") == 43, changes
    assert changes.count("MODIFY") == 3, changes
    assert changes.count("REMOVE") == 2, changes
    client.delete_table(TableName="shop")
    client.get_waiter("table_not_exists").wait(TableName="shop", WaiterConfig=SOON)
    client.close()


def write_with(client: Any) -> None:
    """Forty orders in batches, one customer, an update, and a transaction that fails and one that does not."""
    for start in (0, 20):
        requests = [{"PutRequest": {"Item": order(number)}} for number in range(start, start + 20)]
        assert client.batch_write_item(RequestItems={"shop": requests})["UnprocessedItems"] == {}
    customer = {
        "pk": {"S": "CUST#7"},
        "sk": {"S": "PROFILE"},
        "raw": {"B": b"\x00\xff"},
        "tags": {"SS": ["a", "b"]},
    }
    client.put_item(TableName="shop", Item=customer, ConditionExpression="attribute_not_exists(pk)")
    try:
        client.put_item(TableName="shop", Item=customer, ConditionExpression="attribute_not_exists(pk)")
    except client.exceptions.ConditionalCheckFailedException:
        pass
    else:
        raise AssertionError("the condition was true")
    updated = client.update_item(
        TableName="shop",
        Key={"pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#003"}},
        UpdateExpression="SET #s = :paid ADD #t :more",
        ExpressionAttributeNames={"#s": "status", "#t": "total"},
        ExpressionAttributeValues={":paid": {"S": "paid"}, ":more": {"N": "0.5"}},
        ReturnValues="UPDATED_NEW",
    )
    assert updated["Attributes"] == {"status": {"S": "paid"}, "total": {"N": "3.5"}}
    transact(client)


def transact(client: Any) -> None:
    """One transaction that is cancelled, with its reasons, and one that is not."""
    new = {"Put": {"TableName": "shop", "Item": order(100)}}
    key = {"pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#004"}}
    delete = {"Delete": {"TableName": "shop", "Key": key, "ConditionExpression": "attribute_not_exists(pk)"}}
    reasons = []
    try:
        client.transact_write_items(TransactItems=[new, delete])
    except client.exceptions.TransactionCanceledException as error:
        reasons = [reason["Code"] for reason in error.response["CancellationReasons"]]
    assert reasons == ["None", "ConditionalCheckFailed"]
    client.transact_write_items(TransactItems=[new, {"Delete": {"TableName": "shop", "Key": key}}])


def read_with(client: Any) -> None:
    """Pages of a query and of a scan, a batch, and the item as it was written."""
    query = {
        "TableName": "shop",
        "KeyConditionExpression": "pk = :pk AND begins_with(sk, :prefix)",
        "ExpressionAttributeValues": {":pk": {"S": "CUST#7"}, ":prefix": {"S": "ORDER#"}},
    }
    pages = list(client.get_paginator("query").paginate(**query, PaginationConfig={"PageSize": 15}))
    assert [page["Count"] for page in pages] == [15, 15, 10]
    scanned = client.get_paginator("scan").paginate(TableName="shop", PaginationConfig={"MaxItems": 17})
    assert len(scanned.build_full_result()["Items"]) == 17
    found = client.get_item(TableName="shop", Key={"pk": {"S": "CUST#7"}, "sk": {"S": "PROFILE"}})["Item"]
    assert found["raw"] == {"B": b"\x00\xff"}
    keys = [{"pk": {"S": "CUST#7"}, "sk": {"S": f"ORDER#{number:03}"}} for number in (1, 2, 4)]
    batch = client.batch_get_item(RequestItems={"shop": {"Keys": keys, "ConsistentRead": True}})
    assert len(batch["Responses"]["shop"]) == 2
    index = query | {
        "IndexName": "by-status",
        "KeyConditionExpression": "#s = :open",
        "ExpressionAttributeNames": {"#s": "status"},
        "ExpressionAttributeValues": {":open": {"S": "open"}},
        "ScanIndexForward": False,
        "Limit": 1,
        "ReturnConsumedCapacity": "TOTAL",
    }
    first = client.query(**index)
    assert first["Items"] == [order(100)]
    assert first["ConsumedCapacity"]["CapacityUnits"] == 0.5
    assert client.list_tables()["TableNames"] == ["shop"]
    try:
        client.describe_table(TableName="other")
    except client.exceptions.ResourceNotFoundException:
        return
    raise AssertionError("there is no such table")


def use_as_resource(resource: Any) -> None:
    """The same table through the resource: Python values, a batch writer, conditions as objects."""
    table = resource.Table("shop")
    assert table.table_status == "ACTIVE"
    with table.batch_writer() as batch:
        batch.put_item(
            Item={
                "pk": "CUST#8",
                "sk": "PROFILE",
                "visits": 0,
                "score": Decimal("1.5"),
                "on": True,
                "raw": Binary(b"\x00"),
                "tags": {"a", "b"},
                "none": None,
            }
        )
        batch.delete_item(Key={"pk": "CUST#7", "sk": "ORDER#005"})
    table.update_item(
        Key={"pk": "CUST#8", "sk": "PROFILE"},
        UpdateExpression="SET visits = visits + :one, seen = list_append(if_not_exists(seen, :none), :day)",
        ExpressionAttributeValues={":one": 1, ":none": [], ":day": ["2026-03-01"]},
        ConditionExpression=Attr("score").gt(Decimal("1.2")) & Attr("gone").not_exists(),
    )
    table.update_item(Key={"pk": "CUST#8", "sk": "PROFILE"}, UpdateExpression="REMOVE score")
    assert table.get_item(Key={"pk": "CUST#8", "sk": "PROFILE"})["Item"] == {
        "pk": "CUST#8", "sk": "PROFILE", "visits": 1, "on": True, "seen": ["2026-03-01"],
        "raw": Binary(b"\x00"), "tags": {"a", "b"}, "none": None,
    }  # fmt: skip
    expensive = table.query(
        KeyConditionExpression=Key("pk").eq("CUST#7") & Key("sk").begins_with("ORDER#"),
        FilterExpression=Attr("total").gte(38),
    )
    assert [item["total"] for item in expensive["Items"]] == [38, 39, 100]
    resource.meta.client.close()


def follow(streams: Any) -> list[str]:
    """The names of all changes in the stream of the table."""
    arn = streams.list_streams(TableName="shop")["Streams"][0]["StreamArn"]
    names: list[str] = []
    for shard in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
        iterator = streams.get_shard_iterator(
            StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
        )["ShardIterator"]
        while iterator:
            got = streams.get_records(ShardIterator=iterator, Limit=10)
            names += [record["eventName"] for record in got["Records"]]
            iterator = got.get("NextShardIterator") if got["Records"] else None
    streams.close()
    return names


if __name__ == "__main__":
    run(sys.argv[1])
    print(f"boto3 {boto3.__version__}: the session succeeded")
