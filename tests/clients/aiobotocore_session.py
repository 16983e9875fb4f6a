"""A session of aiobotocore with the orders of a shop."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiobotocore.session import get_session
from botocore.exceptions import ClientError

from .boto3_session import CREATE, SOON, order


async def run(url: str | None = None) -> None:
    """Concurrent writes and reads, a failed condition, a paginator, a waiter and the stream."""
    session = get_session()
    async with session.create_client("dynamodb", endpoint_url=url) as client:
        await client.create_table(**CREATE)
        await client.get_waiter("table_exists").wait(TableName="shop", WaiterConfig=SOON)
        await asyncio.gather(*(client.put_item(TableName="shop", Item=order(number)) for number in range(30)))
        await _fail(client)
        await _read(client)
    async with session.create_client("dynamodbstreams", endpoint_url=url) as streams:
        found = await streams.list_streams(TableName="shop")
        shown = await streams.describe_stream(StreamArn=found["Streams"][0]["StreamArn"])
        assert shown["StreamDescription"]["StreamStatus"] == "ENABLED"


async def _fail(client: Any) -> None:
    condition = "attribute_not_exists(pk)"
    with pytest.raises(ClientError) as raised:
        await client.put_item(TableName="shop", Item=order(7), ConditionExpression=condition)
    assert raised.value.response["Error"]["Code"] == "ConditionalCheckFailedException"
    puts = [
        {"TableName": "shop", "Item": order(number), "ConditionExpression": condition} for number in (90, 7)
    ]
    with pytest.raises(client.exceptions.TransactionCanceledException):
        await client.transact_write_items(TransactItems=[{"Put": put} for put in puts])


async def _read(client: Any) -> None:
    pages = client.get_paginator("query").paginate(
        TableName="shop",
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": "CUST#7"}},
        PaginationConfig={"PageSize": 8},
    )
    assert [page["Count"] async for page in pages] == [8, 8, 8, 6]
    answers = await asyncio.gather(
        *(
            client.get_item(TableName="shop", Key={"pk": {"S": "CUST#7"}, "sk": {"S": f"ORDER#{number:03}"}})
            for number in range(30)
        )
    )
    assert [answer["Item"]["total"]["N"] for answer in answers] == [str(number) for number in range(30)]
