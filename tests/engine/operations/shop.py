"""Two tables with items, for tests of batches and transactions."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from tests.engine.state.catalogues import defined, index, table

__all__ = [
    "ABSENT",
    "ORDERS_ARN",
    "Item",
    "Shop",
    "check",
    "delete",
    "get",
    "order",
    "person",
    "put",
    "update",
]

Item = dict[str, Any]

# A request for a missing table shows what is checked before the table is looked up.
ABSENT = "absent"
ORDERS_ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/orders"
_CANCELLED = "Transaction cancelled, please refer cancellation reasons for specific reasons"


class Shop:
    """An engine with the tables `orders`, which has a global and a local index, and `people`."""

    def __init__(self, engine: Engine | None = None) -> None:
        self.engine = engine or Engine.open()
        included = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["proj"]}
        orders = table(
            "pk",
            "sk",
            TableName="orders",
            AttributeDefinitions=defined("pk", "sk", "gsiPk", "lsiSk"),
            GlobalSecondaryIndexes=[index("gsi-inc", "gsiPk", Projection=included)],
            LocalSecondaryIndexes=[index("lsi-all", "pk", "lsiSk")],
        )
        self.engine.call("CreateTable", orders)
        self.engine.call("CreateTable", table("id", TableName="people", AttributeDefinitions=defined(id="N")))

    def call(self, operation: str, **request: Any) -> dict[str, Any]:
        return self.engine.call(operation, request)

    def error(self, operation: str, **request: Any) -> ServiceError:
        with pytest.raises(ServiceError) as caught:
            self.engine.call(operation, request)
        return caught.value

    def invalid(self, operation: str, **request: Any) -> str:
        """The message of a ValidationException."""
        error = self.error(operation, **request)
        assert error.code == "ValidationException", error
        assert error.message is not None
        return error.message

    def transact(self, *actions: Item, **request: Any) -> dict[str, Any]:
        return self.call("TransactWriteItems", TransactItems=list(actions), **request)

    def reasons(self, *actions: Item, **request: Any) -> list[Item]:
        """The cancellation reasons of a transaction, which the message sums up."""
        error = self.error("TransactWriteItems", TransactItems=list(actions), **request)
        assert error.code == "TransactionCanceledException", error
        reasons: list[Item] = error.fields["CancellationReasons"]
        assert error.message == f"{_CANCELLED} [{', '.join(reason['Code'] for reason in reasons)}]"
        return reasons

    def codes(self, *actions: Item, **request: Any) -> list[str]:
        return [reason["Code"] for reason in self.reasons(*actions, **request)]

    def put(self, *items: Item, table: str = "orders") -> None:
        for item in items:
            self.call("PutItem", TableName=table, Item=item)

    def orders(self) -> list[Item]:
        return self._all("orders")

    def people(self) -> list[Item]:
        return self._all("people")

    def _all(self, name: str) -> list[Item]:
        found: list[Item] = self.call("Scan", TableName=name, ConsistentRead=True)["Items"]
        return sorted(found, key=str)


def order(pk: str = "a", sk: str = "1", /, size: int = 0, **texts: str) -> Item:
    """An order with attributes of texts, filled up to a size in bytes."""
    item = {name: {"S": text} for name, text in {"pk": pk, "sk": sk, **texts}.items()}
    if size:
        used = sum(len(name) + len(value["S"]) for name, value in item.items())
        item["filling"] = {"S": "x" * (size - used - len("filling"))}
    return item


def person(number: int, **texts: str) -> Item:
    return {"id": {"N": str(number)}, **{name: {"S": text} for name, text in texts.items()}}


def get(key: Item | None = None, table: str = "orders", **members: Any) -> Item:
    return {"Get": {"TableName": table, "Key": key or order(), **members}}


def put(item: Item | None = None, table: str = "orders", **members: Any) -> Item:
    return {"Put": {"TableName": table, "Item": item or order(), **members}}


def update(expression: str, key: Item | None = None, table: str = "orders", **members: Any) -> Item:
    """An update whose values are given under their names without the colon."""
    return {"Update": _expressed(expression, "UpdateExpression", key, table, members)}


def check(condition: str, key: Item | None = None, table: str = "orders", **members: Any) -> Item:
    """A condition check whose values are given under their names without the colon."""
    return {"ConditionCheck": _expressed(condition, "ConditionExpression", key, table, members)}


def delete(key: Item | None = None, table: str = "orders", **members: Any) -> Item:
    return {"Delete": {"TableName": table, "Key": key or order(), **members}}


def _expressed(text: str, parameter: str, key: Item | None, table: str, members: Item) -> Item:
    values = {f":{name}": members.pop(name) for name in list(members) if name[0].islower()}
    action = {"TableName": table, "Key": key or order(), parameter: text, **members}
    return {**action, "ExpressionAttributeValues": values} if values else action
