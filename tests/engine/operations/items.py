"""A table with items, for tests of the operations on one item."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from tests.engine.state.catalogues import NAME, defined, index, table

__all__ = ["ABSENT", "KEY", "PREFIX", "Item", "Items", "indexed", "nested"]

Item = dict[str, Any]

KEY: Item = {"pk": {"S": "a"}}
# A request for a missing table shows what is checked before the table is looked up.
ABSENT = "absent"
PREFIX = "1 validation error detected: "


class Items:
    """An engine with one table, with the partition key `pk` of strings by default."""

    def __init__(self, *names: str, engine: Engine | None = None, **members: Any) -> None:
        self.engine = engine or Engine.open()
        self.engine.call("CreateTable", table(*names, **members))

    def call(self, operation: str, **members: Any) -> dict[str, Any]:
        return self.engine.call(operation, {"TableName": NAME, **members})

    def put(self, item: Item, **members: Any) -> dict[str, Any]:
        return self.call("PutItem", Item=item, **members)

    def get(self, key: Item = KEY, **members: Any) -> Item | None:
        item: Item | None = self.call("GetItem", Key=key, ConsistentRead=True, **members).get("Item")
        return item

    def update(self, expression: str | None, key: Item = KEY, /, **members: Any) -> dict[str, Any]:
        """An update by an expression, whose values are given under their names without the colon."""
        values = {f":{name}": members.pop(name) for name in list(members) if name[0].islower()}
        if expression is not None:
            members["UpdateExpression"] = expression
        if values:
            members["ExpressionAttributeValues"] = values
        return self.call("UpdateItem", Key=key, **members)

    def delete(self, key: Item = KEY, **members: Any) -> dict[str, Any]:
        return self.call("DeleteItem", Key=key, **members)

    def error_of(self, operation: str, **members: Any) -> tuple[str, str | None]:
        """The code and the message of the error."""
        with pytest.raises(ServiceError) as caught:
            self.call(operation, **members)
        return caught.value.code, caught.value.message

    def invalid(self, operation: str, **members: Any) -> str:
        """The message of a ValidationException."""
        code, message = self.error_of(operation, **members)
        assert code == "ValidationException"
        assert message is not None
        return message

    def entries(self, index_name: str) -> list[Item]:
        """All that an index holds."""
        found: list[Item] = self.call("Scan", IndexName=index_name)["Items"]
        return found


def indexed(engine: Engine | None = None) -> Items:
    """A table with `pk` and `sk`, a global index on `gsiPk` that includes `proj`, and a local one on `lsiSk`."""
    projected = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["proj"]}
    return Items(
        "pk",
        "sk",
        engine=engine,
        AttributeDefinitions=defined("pk", "sk", "gsiPk", "lsiSk"),
        GlobalSecondaryIndexes=[index("gsi-inc", "gsiPk", Projection=projected)],
        LocalSecondaryIndexes=[index("lsi-all", "pk", "lsiSk")],
    )


def nested(levels: int, inside: Item | None = None) -> Item:
    """A value of maps within maps: one level is a map."""
    value = inside or {"S": "x"}
    for _ in range(levels):
        value = {"M": {"m": value}}
    return value
