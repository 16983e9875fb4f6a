"""The parameters of each operation that hold expressions, and the expressions of one request."""

from __future__ import annotations

from dataclasses import field
from typing import Final

from pksk.dataclass import dataclass
from pksk.expressions import Condition, KeyPart, Projection, Update, compile_condition
from pksk.expressions.leaf_tests import Test
from pksk.values.wire import MAX_DEPTH


class CompiledCondition:
    """A condition as a compiled test, and its tree, which may lack the values."""

    __slots__ = ("test", "tree")

    def __init__(self, tree: Condition, test: Test) -> None:
        self.tree = tree
        self.test = test


def compiled_condition(tree: Condition) -> CompiledCondition:
    """The compiled form of a condition that contains its values."""
    return CompiledCondition(tree, compile_condition(tree).test({}))


@dataclass(slots=True)
class Expressions:
    """The expressions of a request; None for those it does not have. Shared, so do not change them."""

    condition: CompiledCondition | None = None
    filter: CompiledCondition | None = None
    key_parts: tuple[KeyPart, ...] | None = None
    update: Update | None = None
    projection: Projection | None = None


NO_EXPRESSIONS: Final = Expressions()


class AttributeUpdates(Update):
    """An update from AttributeUpdates, which can append to lists and has its own error messages."""

    __slots__ = ()


NAMES: Final = "ExpressionAttributeNames"
VALUES: Final = "ExpressionAttributeValues"


@dataclass(frozen=True, eq=False)
class Parameters:
    """The expression parameters of one operation, in the order of the service's checks and messages."""

    expressions: tuple[str, ...]
    legacy: tuple[str, ...] = ()
    # Errors about values do not name the placeholder, those about long expressions not their size.
    newer_wording: bool = False
    # In transactions placeholders are valid without an expression.
    transactional: bool = False
    # The maximum nesting of values.
    levels: int = MAX_DEPTH
    # The expressions that can hold values, and all members of a request that are read here.
    with_values: tuple[str, ...] = field(init=False)
    members: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        valued = tuple(name for name in self.expressions if name != "ProjectionExpression")
        object.__setattr__(self, "with_values", valued)
        object.__setattr__(self, "members", frozenset((*self.expressions, *self.legacy, NAMES, VALUES)))


_CONDITION: Final = ("ConditionExpression",)
_UPDATE: Final = ("UpdateExpression", "ConditionExpression")
_PROJECTION: Final = ("ProjectionExpression",)
_EXPECTED: Final = ("Expected", "ConditionalOperator")
# A transaction can compare with values that are too deep for an item.
_COMPARED_LEVELS: Final = MAX_DEPTH + 1

PUT_ITEM: Final = Parameters(_CONDITION, _EXPECTED, newer_wording=True)
DELETE_ITEM: Final = Parameters(_CONDITION, _EXPECTED, newer_wording=True)
UPDATE_ITEM: Final = Parameters(_UPDATE, ("AttributeUpdates", *_EXPECTED), newer_wording=True)
GET_ITEM: Final = Parameters(_PROJECTION, ("AttributesToGet",), newer_wording=True)
QUERY: Final = Parameters(
    ("ProjectionExpression", "FilterExpression", "KeyConditionExpression"),
    ("AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"),
    newer_wording=True,
)
SEARCH_VECTORS: Final = Parameters(("ProjectionExpression", "SearchConditionExpression"))
_SCANNED: Final = ("ProjectionExpression", "FilterExpression")
_SCAN_LEGACY: Final = ("AttributesToGet", "ScanFilter", "ConditionalOperator")
# By region.
SCAN: Final = Parameters(_SCANNED, _SCAN_LEGACY, newer_wording=True)
OLDER_SCAN: Final = Parameters(_SCANNED, _SCAN_LEGACY)
# Puts, deletes and condition checks.
TRANSACT_CONDITION: Final = Parameters(_CONDITION, transactional=True, levels=_COMPARED_LEVELS)
TRANSACT_UPDATE: Final = Parameters(_UPDATE, transactional=True, levels=_COMPARED_LEVELS)
TRANSACT_GET: Final = Parameters(_PROJECTION, transactional=True)
