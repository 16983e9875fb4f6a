"""A table of sessions that expire, with a clock that tests move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pksk.engine import Clock, Engine
from tests.engine.state.catalogues import defined, index, table

__all__ = ["CREATED", "NAME", "START", "Sessions"]

NAME = "sessions"
START = 1_790_000_000


class Sessions:
    """An engine with a table that has both kinds of index, a stream, and time to live by `until`."""

    def __init__(self, path: Path | str = ":memory:", *, enabled: bool = True, **settings: Any) -> None:
        self.clock = Clock(START)
        self.path = path
        self.settings = {"clock": self.clock, **settings}
        self.engine = self.opened()
        self.call("CreateTable", CREATED)
        if enabled:
            self.enable()

    def opened(self) -> Engine:
        return Engine.open(self.path, durable=False, **self.settings)

    def reopen(self) -> None:
        self.engine.close()
        self.engine = self.opened()

    def call(self, operation: str, request: dict[str, Any] | None = None) -> dict[str, Any]:
        return self.engine.call(operation, {"TableName": NAME, **(request or {})})

    def enable(self, *, enabled: bool = True, attribute: str = "until") -> None:
        setting = {"Enabled": enabled, "AttributeName": attribute}
        self.call("UpdateTimeToLive", {"TimeToLiveSpecification": setting})

    def put(self, pk: str, until: Any = None, **texts: str) -> None:
        """Put a session that ends a number of seconds from the start, or with a given value of `until`."""
        value = {"N": str(START + until)} if isinstance(until, int) else until
        item = {"pk": {"S": pk}, "sk": {"S": "1"}, **{name: {"S": text} for name, text in texts.items()}}
        self.call("PutItem", {"Item": item if value is None else {**item, "until": value}})

    def items(self, index_name: str | None = None) -> list[dict[str, Any]]:
        request = {} if index_name is None else {"IndexName": index_name}
        found: list[dict[str, Any]] = self.call("Scan", request)["Items"]
        return sorted(found, key=repr)

    def names(self, index_name: str | None = None) -> list[str]:
        return sorted(item["pk"]["S"] for item in self.items(index_name))

    def records(self) -> list[dict[str, Any]]:
        """All records of the stream, from its first on."""
        arn = self.call("DescribeTable")["Table"]["LatestStreamArn"]
        shards = self.engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
        found: list[dict[str, Any]] = []
        for shard in shards:
            position = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
            iterator = self.engine.call("GetShardIterator", position).get("ShardIterator")
            while iterator is not None:
                page = self.engine.call("GetRecords", {"ShardIterator": iterator})
                found += page["Records"]
                iterator = page.get("NextShardIterator") if page["Records"] else None
        return found

    def expiry_rows(self) -> list[bytes]:
        """The rows in the order of expiry."""
        core = self.engine._core
        expiry = core.catalogue.table(NAME).expiry
        if expiry is None:
            return []
        with core.storage.reading() as reader:
            return [row.key for row in reader.rows(expiry.space, b"", None)]


CREATED = table(
    "pk",
    "sk",
    TableName=NAME,
    AttributeDefinitions=defined("pk", "sk", "user", "day"),
    GlobalSecondaryIndexes=[index("by-user", "user")],
    LocalSecondaryIndexes=[index("by-day", "pk", "day")],
    StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
)
