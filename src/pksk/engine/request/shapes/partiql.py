"""Requests that carry PartiQL."""

from __future__ import annotations

from typing import Final

__all__ = ["OPERATIONS", "SHAPES"]

_STATEMENT: Final = "Statement!:PartiQLStatement Parameters:PreparedStatementParameters"

OPERATIONS: Final[dict[str, str]] = {
    "ExecuteStatement": (
        f"{_STATEMENT} ConsistentRead:boolean NextToken:PartiQLNextToken ReturnConsumedCapacity "
        "Limit:PositiveInteger ReturnValuesOnConditionCheckFailure"
    ),
    "BatchExecuteStatement": "Statements!:PartiQLBatchRequest ReturnConsumedCapacity",
    "ExecuteTransaction": (
        "TransactStatements!:ParameterizedStatements ClientRequestToken ReturnConsumedCapacity"
    ),
}

SHAPES: Final[dict[str, str]] = {
    "PartiQLStatement": "string 1..8192",
    "PartiQLNextToken": "string 1..32768",
    "PreparedStatementParameters": "list value 1..",
    "PartiQLBatchRequest": "list BatchStatementRequest 1..25",
    "BatchStatementRequest": (
        f"structure {_STATEMENT} ConsistentRead:boolean ReturnValuesOnConditionCheckFailure"
    ),
    "ParameterizedStatements": "list ParameterizedStatement 1..100",
    "ParameterizedStatement": f"structure {_STATEMENT} ReturnValuesOnConditionCheckFailure",
}
