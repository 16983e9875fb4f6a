"""Reads and rewrites the expressions of a plan's requests: their conditions, projections and key conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from pksk.expressions import (
    And,
    Between,
    Call,
    Compare,
    Condition,
    Operand,
    Path,
    Placeholders,
    Projection,
    Value,
    parse_condition,
    parse_key_condition,
    parse_projection,
    render,
)
from pksk.keys.bounds import prefix_upper_bound
from pksk.values.wire import from_boto3


def without_projection(request: dict[str, Any]) -> dict[str, Any]:
    """The request without its projection and the names that only the projection used: DynamoDB rejects unused names."""
    remaining = {name: value for name, value in request.items() if name != "ProjectionExpression"}
    names: Mapping[str, str] = remaining.pop("ExpressionAttributeNames", {})
    texts = [remaining[each] for each in ("KeyConditionExpression", "FilterExpression") if each in remaining]
    used = {
        name: attribute
        for name, attribute in names.items()
        if any(_names_placeholder(text, name) for text in texts)
    }
    return remaining | ({"ExpressionAttributeNames": used} if used else {})


def _names_placeholder(text: str, name: str) -> bool:
    return re.search(rf"{re.escape(name)}(?!\w)", text) is not None


def with_attributes(request: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The request with further attributes in its projection, if it has one."""
    text = request.get("ProjectionExpression")
    if text is None:
        return request
    placeholder_names: Mapping[str, str] = request.get("ExpressionAttributeNames", {})
    paths: Sequence[Path] = parse_projection(text, placeholder_names).paths
    known = {path.elements[0] for path in paths if len(path.elements) == 1}
    more = [Path((name,)) for name in names if name not in known]
    if not more:
        return request
    placeholders = Placeholders(placeholder_names, request.get("ExpressionAttributeValues", {}))
    rendered = render(Projection((*paths, *more)), placeholders).text
    return {**request, "ProjectionExpression": rendered, **placeholders.request()}


_PARSERS: Final[dict[str, Callable[..., Condition]]] = {
    "KeyConditionExpression": parse_key_condition,
    "FilterExpression": parse_condition,
    "SearchConditionExpression": parse_condition,
}


def request_conditions(request: Mapping[str, Any]) -> tuple[Condition, ...]:
    """The conditions of a read, on the key and on other attributes.

    Example:
        >>> len(request_conditions({"FilterExpression": "a = :v", "ExpressionAttributeValues": {":v": {"S": "x"}}}))
        1
    """
    names = request.get("ExpressionAttributeNames", {})
    values = request.get("ExpressionAttributeValues", {})
    values = {name: from_boto3(value) for name, value in values.items()}
    return tuple(parse(request[name], names, values) for name, parse in _PARSERS.items() if name in request)


def narrow_key_condition(
    request: dict[str, Any], sort: Sequence[str], key: Mapping[str, Any], *, descending: bool
) -> dict[str, Any]:
    """The request with a key condition that begins at a key, so that earlier items cost nothing."""
    names, values = request.get("ExpressionAttributeNames", {}), request["ExpressionAttributeValues"]
    tree = parse_key_condition(request["KeyConditionExpression"], names, values)
    leaves = {_attribute(leaf): leaf for leaf in (tree.conditions if isinstance(tree, And) else (tree,))}
    # The first attribute that is not fixed; items before the position are then skipped one by one.
    name = next((each for each in sort if not _is_fixed(leaves.get(each))), None)
    if name is None:
        return request
    leaves[name] = _part_after(leaves.get(name), name, Value(from_boto3(key[name])), descending)
    return _render_request(request, And(tuple(leaves.values())))


def _attribute(leaf: Condition) -> str:
    first = leaf.operands[0] if isinstance(leaf, Call) else getattr(leaf, "left", None)
    path = leaf.operand if isinstance(leaf, Between) else first
    return str(path.elements[0])  # type: ignore[union-attr]


def _is_fixed(leaf: Condition | None) -> bool:
    return isinstance(leaf, Compare) and leaf.operator == "="


def _part_after(leaf: Condition | None, name: str, at: Value, descending: bool) -> Condition:
    """The part of a sort key condition from a value on, inclusive."""
    path = Path((name,))
    low, high = _range_ends(leaf)
    low, high = (low, at) if descending else (at, high)
    if low is None or high is None:
        return Compare("<=", path, at) if low is None else Compare(">=", path, at)
    return Between(path, low, high)


def _range_ends(leaf: Condition | None) -> tuple[Operand | None, Operand | None]:
    """The ends of a condition, both inclusive: items at an end are compared again."""
    if isinstance(leaf, Between):
        return leaf.low, leaf.high
    if isinstance(leaf, Compare):
        return (leaf.right, None) if leaf.operator.startswith(">") else (None, leaf.right)
    if isinstance(leaf, Call):
        start = leaf.operands[1]
        top = prefix_upper_bound(start.wire["S"]) if isinstance(start, Value) and "S" in start.wire else None
        return start, None if top is None else Value({"S": top})
    return None, None


def _render_request(request: dict[str, Any], key: Condition) -> dict[str, Any]:
    """The request with another key condition: renders all expressions again, with only the names and values in use."""
    names, values = request.get("ExpressionAttributeNames", {}), request["ExpressionAttributeValues"]
    placeholders = Placeholders()
    rewritten = {name: value for name, value in request.items() if not name.startswith("ExpressionAttribute")}
    rewritten["KeyConditionExpression"] = render(key, placeholders).text
    if "FilterExpression" in request:
        tree = parse_condition(request["FilterExpression"], names, values)
        rewritten["FilterExpression"] = render(tree, placeholders).text
    if "ProjectionExpression" in request:
        projection = parse_projection(request["ProjectionExpression"], names)
        rewritten["ProjectionExpression"] = render(projection, placeholders).text
    return rewritten | placeholders.request()
