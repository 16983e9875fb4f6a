"""A table of orders, as tests of this folder make it."""

from __future__ import annotations

from typing import Any

__all__ = ["ORDERS", "order"]

ORDERS: dict[str, Any] = {
    "TableName": "orders",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "status")
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by-status",
            "KeySchema": [{"AttributeName": "status", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
}


def order(customer: str, number: int, **more: Any) -> dict[str, Any]:
    """An order as DynamoDB's JSON has it."""
    texts = {"pk": customer, "sk": f"{number:04}", "status": "open"}
    return {name: {"S": text} for name, text in texts.items()} | more
