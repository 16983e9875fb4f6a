"""A table with a stream, a clock that tests move, and readers of the stream."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.engine.settings import Delays, Partitioning
from tests.engine.state.catalogues import NAME, Clock, key

__all__ = ["DAY", "Item", "StreamTable", "item"]

Item = dict[str, Any]
DAY = 24 * 3600.0


class StreamTable:
    """An engine with a table of a partition key `pk` and a sort key `sk`, and a stream of it."""

    def __init__(
        self,
        path: str | PathLike[str] = ":memory:",
        view: str | None = "NEW_AND_OLD_IMAGES",
        partitions: int = 1,
        *,
        shard_seconds: float = 4 * 3600,
        delays: Delays | None = None,
    ) -> None:
        self.clock = Clock()
        self.path, self._delays = path, delays
        self._partitioning = Partitioning(partitions=partitions, shard_seconds=shard_seconds)
        self.engine = self._opened()
        if view is not None:
            self.create(view)

    def _opened(self) -> Engine:
        return Engine.open(
            self.path,
            durable=False,
            clock=self.clock,
            delays=self._delays,
            partitioning=self._partitioning,
        )

    def reopen(self) -> None:
        self.engine.close()
        self.engine = self._opened()

    def create(self, view: str | None, name: str = NAME) -> str | None:
        specification = {"StreamEnabled": True, "StreamViewType": view} if view else {"StreamEnabled": False}
        created = self.call(
            "CreateTable",
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            KeySchema=key("pk", "sk"),
            AttributeDefinitions=[
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "sk", "AttributeType": "N"},
            ],
            StreamSpecification=specification,
        )
        arn: str | None = created["TableDescription"].get("LatestStreamArn")
        return arn

    def call(self, operation: str, **request: Any) -> dict[str, Any]:
        return self.engine.call(operation, request)

    def error_of(self, operation: str, **request: Any) -> tuple[str, str | None]:
        with pytest.raises(ServiceError) as caught:
            self.call(operation, **request)
        return caught.value.code, caught.value.message

    @property
    def arn(self) -> str:
        shown = self.call("DescribeTable", TableName=NAME)["Table"]
        return str(shown["LatestStreamArn"])

    def switch(self, view: str | None) -> None:
        """Switch the stream on, or off with None."""
        specification = {"StreamEnabled": True, "StreamViewType": view} if view else {"StreamEnabled": False}
        self.call("UpdateTable", TableName=NAME, StreamSpecification=specification)

    def put(self, pk: str = "a", sk: int = 1, **attributes: Any) -> None:
        self.call("PutItem", TableName=NAME, Item=item(pk, sk, **attributes))

    def delete(self, pk: str = "a", sk: int = 1) -> None:
        self.call("DeleteItem", TableName=NAME, Key=item(pk, sk))

    def described(self, arn: str | None = None, **members: Any) -> dict[str, Any]:
        answer = self.call("DescribeStream", StreamArn=arn or self.arn, **members)
        shown: dict[str, Any] = answer["StreamDescription"]
        return shown

    def shards(self, arn: str | None = None) -> list[dict[str, Any]]:
        """All shards, over as many pages as there are."""
        shown = self.described(arn)
        found: list[dict[str, Any]] = shown["Shards"]
        while "LastEvaluatedShardId" in shown:
            shown = self.described(arn, ExclusiveStartShardId=shown["LastEvaluatedShardId"])
            found += shown["Shards"]
        return found

    def shard(self, number: int = 0) -> str:
        return str(self.shards()[number]["ShardId"])

    def iterator(
        self, kind: str = "TRIM_HORIZON", shard: str | None = None, *, arn: str | None = None, **members: Any
    ) -> str:
        answer = self.call(
            "GetShardIterator",
            StreamArn=arn or self.arn,
            ShardId=shard or self.shard(),
            ShardIteratorType=kind,
            **members,
        )
        return str(answer["ShardIterator"])

    def page(self, iterator: str, **members: Any) -> dict[str, Any]:
        return self.call("GetRecords", ShardIterator=iterator, **members)

    def records(self, iterator: str | None = None, **members: Any) -> list[dict[str, Any]]:
        """The records that one page has from an iterator on, or from the beginning of the first shard."""
        records: list[dict[str, Any]] = self.page(iterator or self.iterator(), **members)["Records"]
        return records

    def everything(self, arn: str | None = None) -> Iterator[dict[str, Any]]:
        """All records of a stream, parents before their children."""
        arn = arn or self.arn
        for shard in self.shards(arn):
            iterator: str | None = self.iterator(shard=shard["ShardId"], arn=arn)
            while iterator is not None:
                page = self.page(iterator)
                yield from page["Records"]
                iterator = page.get("NextShardIterator") if page["Records"] else None


def item(pk: str, sk: int, **attributes: Any) -> Item:
    """An item of texts and numbers."""
    return {
        "pk": {"S": pk},
        "sk": {"N": str(sk)},
        **{
            name: {"S": value} if isinstance(value, str) else {"N": str(value)}
            for name, value in attributes.items()
        },
    }
