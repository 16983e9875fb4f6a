"""Lanes that begin in the middle of a question: behind the row of a cursor, in either direction."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pksk.errors import DesignError
from pksk.expressions import (
    And,
    Between,
    Call,
    Compare,
    Condition,
    Path,
    Placeholders,
    Value,
    parse_condition,
    parse_key_condition,
    parse_projection,
    render,
)
from pksk.keys.bounds import raised
from pksk.store.reads.cursor import Cursor
from pksk.store.reads.lanes import Group, Lane
from pksk.values.boto3_form import from_boto3

__all__ = ["resumed", "turned"]


def turned(read: Any, groups: list[Group]) -> list[Group]:
    """The same lanes in the opposite order, each read backwards."""
    if read.kind == "scan":
        raise DesignError(
            "store-page-scan",
            "page: before= on a scan; DynamoDB reads a table in one direction only.",
            fix="keep the cursors of the pages before, or ask a query.",
        )
    return [[_turned(lane) for lane in group] for group in reversed(groups)]


def _turned(lane: Lane) -> Lane:
    request = dict(lane.request)
    if request.pop("ScanIndexForward", True):
        request["ScanIndexForward"] = False
    return replace(lane, request=request)


def resumed(groups: list[Group], place: Cursor) -> list[Group]:
    """The lanes from a place on: the group of its lane, and all that follow."""
    for number, group in enumerate(groups):
        own = next((lane for lane in group if lane.number == place.lane), None)
        if own is not None:
            begun = [
                replace(lane, start=place.key) if lane is own else _beside(lane, own, place) for lane in group
            ]
            return [begun, *groups[number + 1 :]]
    return []


def _beside(lane: Lane, own: Lane, place: Cursor) -> Lane:
    """A lane that is merged with that of the cursor: behind the same sort key. Equal ones come lane by lane."""
    at = own.place(place.key)  # type: ignore[arg-type]
    follows = lane.number > own.number
    included = follows != lane.descending
    if lane.operation == "Scan" or not lane.index.sort:
        # Without an order, lanes follow each other.
        return lane if included else replace(lane, done=True)
    return replace(_narrowed(lane, place), after=(at, included))


def _narrowed(lane: Lane, place: Cursor) -> Lane:
    """The lane with a key condition that begins at the place, so that nothing before it is paid for."""
    request = lane.request
    names, values = request.get("ExpressionAttributeNames", {}), request["ExpressionAttributeValues"]
    tree = parse_key_condition(request["KeyConditionExpression"], names, values)
    leaves = {_attribute(leaf): leaf for leaf in (tree.conditions if isinstance(tree, And) else (tree,))}
    # The first attribute that is not fixed; what it lets through of the others is left out one by one.
    name = next((each for each in lane.index.sort if not _is_fixed(leaves.get(each))), None)
    if name is None:
        return lane
    leaves[name] = _cut(leaves.get(name), name, Value(from_boto3(place.key[name])), lane.descending)
    return replace(lane, request=_rendered(request, And(tuple(leaves.values()))))


def _attribute(leaf: Any) -> str:
    first = leaf.operands[0] if isinstance(leaf, Call) else getattr(leaf, "left", None)
    path = leaf.operand if isinstance(leaf, Between) else first
    return str(path.elements[0])  # type: ignore[union-attr]


def _is_fixed(leaf: Any) -> bool:
    return isinstance(leaf, Compare) and leaf.operator == "="


def _cut(leaf: Any, name: str, at: Value, descending: bool) -> Condition:
    """The part of a condition on a sort key from a value on, it included."""
    path = Path((name,))
    low, high = _ends(leaf)
    low, high = (low, at) if descending else (at, high)
    if low is None or high is None:
        return Compare("<=", path, at) if low is None else Compare(">=", path, at)
    return Between(path, low, high)


def _ends(leaf: Any) -> tuple[Any, Any]:
    """The ends of a condition, both taken as included: what lies on an end is looked at again."""
    if isinstance(leaf, Between):
        return leaf.low, leaf.high
    if isinstance(leaf, Compare):
        return (leaf.right, None) if leaf.operator.startswith(">") else (None, leaf.right)
    if isinstance(leaf, Call):
        start = leaf.operands[1]
        top = raised(start.wire["S"]) if isinstance(start, Value) and "S" in start.wire else None
        return start, None if top is None else Value({"S": top})
    return None, None


def _rendered(request: dict[str, Any], key: Condition) -> dict[str, Any]:
    """The request with another key condition: all expressions are written anew, with the names and values in use."""
    names, values = request.get("ExpressionAttributeNames", {}), request["ExpressionAttributeValues"]
    placeholders = Placeholders()
    made = {name: value for name, value in request.items() if not name.startswith("ExpressionAttribute")}
    made["KeyConditionExpression"] = render(key, placeholders).text
    if "FilterExpression" in request:
        tree = parse_condition(request["FilterExpression"], names, values)
        made["FilterExpression"] = render(tree, placeholders).text
    if "ProjectionExpression" in request:
        projection = parse_projection(request["ProjectionExpression"], names)
        made["ProjectionExpression"] = render(projection, placeholders).text
    return made | placeholders.request()
