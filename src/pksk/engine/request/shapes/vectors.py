"""Requests about vector indexes."""

from __future__ import annotations

from typing import Final

__all__ = ["OPERATIONS", "SHAPES"]

OPERATIONS: Final[dict[str, str]] = {
    "SearchVectors": (
        "TableName!:TableArn IndexName! ReturnConsumedCapacity ExpressionAttributeNames:Names "
        "ExpressionAttributeValues:AttributeMap ProjectionExpression:string SearchVector!:SearchVectorList "
        "SearchConditionExpression:string TopK!:TopKInteger"
    ),
}

SHAPES: Final[dict[str, str]] = {
    "SearchVectorList": "list value 1..4096",
    "TopKInteger": "integer 1..",
}
