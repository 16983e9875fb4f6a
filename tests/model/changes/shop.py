"""A design with every kind of entity that streams tell of, and its streams in each shape."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from typing import Annotated, Any

import boto3
from pydantic import Field

from pksk import TTL, Attribute, Clock, Engine, Entity, Key, Partitioning, Put, Table, sequence
from pksk.testing import intercept

NOW = 1_790_000_000
VIEWS = ("NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY")

shop = Table("shop", stream=True, ttl="expires")


class Order(Entity, table=shop):
    customer: str
    number: int
    total: Annotated[Decimal, Attribute("t")] = Decimal(0)
    tags: set[str] = Field(default_factory=set)
    raw: bytes = b""
    pieces: set[bytes] = Field(default_factory=set)
    deep: dict[str, list[bytes]] = Field(default_factory=dict)
    note: str | None = None

    primary = Key("CUST#{customer}", "ORDER#{number:06d}")


class Month(Entity, table=shop):
    name: str
    day: date

    primary = Key("MONTH#{day:%Y-%m}", "{name}", identity="name")


class Session(Entity, table=shop):
    id: str
    expires: Annotated[datetime, TTL()] = datetime(2099, 1, 1, tzinfo=UTC)

    primary = Key("SESSION#{id}", "META")


class Animal(Entity, table=shop):
    name: str

    primary = Key("ANIMAL#{name}", "META")


class Cat(Animal, table=shop):
    lives: int = 9


class Dog(Animal, table=shop, discriminator="hound"):
    tricks: list[str] = Field(default_factory=list)


class Vehicle(Entity):
    plate: str

    primary = Key("VEHICLE#{plate}", "META")


class Car(Vehicle, table=shop):
    doors: int = 5


class Boat(Vehicle, table=shop):
    masts: int = 1


invoices = sequence("invoice::{year}", table=shop, year=int)


class Streams:
    """An engine with tables, and what their streams hold."""

    def __init__(self, *tables: Table, view: str = "NEW_AND_OLD_IMAGES") -> None:
        self.clock = Clock(NOW)
        self.engine = Engine.open(clock=self.clock, partitioning=Partitioning(partitions=1))
        for table in tables or (shop,):
            specification = {"StreamEnabled": True, "StreamViewType": view}
            self.engine.call("CreateTable", table.create_request() | {"StreamSpecification": specification})
            if table.ttl is not None:
                self.engine.call("UpdateTimeToLive", table.ttl_request() or {})

    def put(self, *entities: Entity) -> None:
        for entity in entities:
            self.engine.call("PutItem", Put(entity).request)

    def put_item(self, item: dict[str, Any], table: Table = shop) -> None:
        self.engine.call("PutItem", {"TableName": table.name, "Item": item})

    def delete(self, entity: Entity) -> None:
        item, table = Put(entity).item, type(entity).__pksk__.table
        key = {name: item[name] for name in table.key_attributes}
        self.engine.call("DeleteItem", {"TableName": table.name, "Key": key})

    def arn(self, table: Table = shop) -> str:
        described = self.engine.call("DescribeTable", {"TableName": table.name})
        return str(described["Table"]["LatestStreamArn"])

    def answer(self, table: Table = shop) -> dict[str, Any]:
        """What GetRecords answers, in DynamoDB's JSON."""
        arn = self.arn(table)
        described = self.engine.call("DescribeStream", {"StreamArn": arn})
        shard = {"StreamArn": arn, "ShardId": described["StreamDescription"]["Shards"][0]["ShardId"]}
        begin = self.engine.call("GetShardIterator", shard | {"ShardIteratorType": "TRIM_HORIZON"})
        return self.engine.call("GetRecords", {"ShardIterator": begin["ShardIterator"]})

    def records(self, table: Table = shop) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.answer(table)["Records"]
        return found

    def boto3_answer(self, table: Table = shop) -> dict[str, Any]:
        """The same as boto3 gives it: bytes, datetimes."""
        client, arn = _boto3_client(), self.arn(table)
        with intercept(self.engine):
            shards = client.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
            begin = client.get_shard_iterator(
                StreamArn=arn, ShardId=shards[0]["ShardId"], ShardIteratorType="TRIM_HORIZON"
            )
            answer: dict[str, Any] = client.get_records(ShardIterator=begin["ShardIterator"])
        return answer

    def event(self, *tables: Table) -> dict[str, Any]:
        """The event of an AWS Lambda with the records of these tables, through JSON as it is handed over there."""
        made = [
            as_lambda_record(record, self.arn(table))
            for table in tables or (shop,)
            for record in self.records(table)
        ]
        event: dict[str, Any] = json.loads(json.dumps({"Records": made}))
        return event


@cache
def _boto3_client() -> Any:
    keys = {"aws_access_key_id": "x", "aws_secret_access_key": "x", "region_name": "us-east-1"}
    return boto3.client("dynamodbstreams", **keys)


def as_lambda_record(record: dict[str, Any], arn: str) -> dict[str, Any]:
    """A record of GetRecords as a Lambda gets it.

    https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html and, for who has deleted an expired item,
    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-streams.html
    """
    made = {**record, "eventSourceARN": arn}
    made["dynamodb"] = dict(record["dynamodb"])
    made["dynamodb"]["ApproximateCreationDateTime"] = int(record["dynamodb"]["ApproximateCreationDateTime"])
    if "userIdentity" in record:
        who = record["userIdentity"]
        made["userIdentity"] = {"type": who["Type"], "principalId": who["PrincipalId"]}
    return made


def every_shape(streams: Streams) -> Iterator[Any]:
    """The records of the shop in each shape in which they come."""
    yield streams.answer()
    yield streams.records()
    yield streams.boto3_answer()
    yield streams.event()
    yield iter(streams.event()["Records"])
