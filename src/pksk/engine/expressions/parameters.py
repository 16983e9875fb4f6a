"""The parameters of each operation that are expressions or their legacy forms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from pksk.values.wire import MAX_DEPTH

__all__ = [
    "BATCH_GET",
    "DELETE_ITEM",
    "GET_ITEM",
    "NAMES",
    "PUT_ITEM",
    "QUERY",
    "SCAN",
    "SEARCH_VECTORS",
    "TRANSACT_CHECK",
    "TRANSACT_DELETE",
    "TRANSACT_GET",
    "TRANSACT_PUT",
    "TRANSACT_UPDATE",
    "UPDATE_ITEM",
    "VALUES",
    "Parameters",
]

NAMES: Final = "ExpressionAttributeNames"
VALUES: Final = "ExpressionAttributeValues"


@dataclass(frozen=True, eq=False)
class Parameters:
    """What one operation takes, in the order in which it reads and names it."""

    expressions: tuple[str, ...]
    legacy: tuple[str, ...] = ()
    # Values that are refused are told without their placeholders.
    newer: bool = False
    # Placeholders may stand without any expression.
    lenient: bool = False
    # How many levels of maps and lists a value may have.
    levels: int = MAX_DEPTH
    # Those of the expressions that hold values, and all members of a request that are read here.
    valued: tuple[str, ...] = field(init=False)
    members: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        valued = tuple(name for name in self.expressions if name != "ProjectionExpression")
        object.__setattr__(self, "valued", valued)
        object.__setattr__(self, "members", frozenset((*self.expressions, *self.legacy, NAMES, VALUES)))


_CONDITION: Final = ("ConditionExpression",)
_UPDATE: Final = ("UpdateExpression", "ConditionExpression")
_PROJECTION: Final = ("ProjectionExpression",)
_EXPECTED: Final = ("Expected", "ConditionalOperator")
# A transaction compares values that no item can hold.
_COMPARED_LEVELS: Final = MAX_DEPTH + 1

PUT_ITEM: Final = Parameters(_CONDITION, _EXPECTED, newer=True)
DELETE_ITEM: Final = Parameters(_CONDITION, _EXPECTED, newer=True)
UPDATE_ITEM: Final = Parameters(_UPDATE, ("AttributeUpdates", *_EXPECTED), newer=True)
GET_ITEM: Final = Parameters(_PROJECTION, ("AttributesToGet",))
BATCH_GET: Final = Parameters(_PROJECTION, ("AttributesToGet",))
QUERY: Final = Parameters(
    ("ProjectionExpression", "FilterExpression", "KeyConditionExpression"),
    ("AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"),
)
SEARCH_VECTORS: Final = Parameters(("ProjectionExpression", "SearchConditionExpression"))
SCAN: Final = Parameters(
    ("ProjectionExpression", "FilterExpression"), ("AttributesToGet", "ScanFilter", "ConditionalOperator")
)
TRANSACT_CHECK: Final = Parameters(_CONDITION, lenient=True, levels=_COMPARED_LEVELS)
TRANSACT_PUT: Final = Parameters(_CONDITION, lenient=True, levels=_COMPARED_LEVELS)
TRANSACT_DELETE: Final = Parameters(_CONDITION, lenient=True, levels=_COMPARED_LEVELS)
TRANSACT_UPDATE: Final = Parameters(_UPDATE, lenient=True, levels=_COMPARED_LEVELS)
TRANSACT_GET: Final = Parameters(_PROJECTION, lenient=True)
