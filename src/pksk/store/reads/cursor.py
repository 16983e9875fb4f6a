"""Cursors: the position of an item as signed text, and reading from there in either direction."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b, shake_256
from hmac import compare_digest
from typing import Any, Final

import orjson

from pksk.dataclass import dataclass
from pksk.errors import DesignError, InvalidCursor, quote
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
from pksk.keys.bounds import prefix_upper_bound
from pksk.store.reads.paginator import Group, Paginator
from pksk.values.boto3_form import from_boto3

_SEAL_BYTES: Final = 16
# The members of a request that decide which items it finds, in which order.
_DECIDING: Final = (
    "TableName",
    "IndexName",
    "KeyConditionExpression",
    "FilterExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "ScanIndexForward",
    "Segment",
    "TotalSegments",
)


@dataclass(frozen=True, slots=True)
class RowPosition:
    """The position of an item: the paginator that it came from, and its key in table and index."""

    paginator: int
    key: Mapping[str, Any]


# The start of the results: before the first item forwards, after the last one backwards.
EDGE: Final = RowPosition(-1, {})


def encode_cursor(secret: bytes, read: Any, place: RowPosition) -> str:
    """The cursor of a position in a query's results."""
    plain = orjson.dumps([place.paginator, {name: from_boto3(wire) for name, wire in place.key.items()}])
    seal = _seal(secret, plain, _bound_query(read))
    return urlsafe_b64encode(seal + _masked(secret, seal, plain)).decode().rstrip("=")


def decode_cursor(secret: bytes, read: Any, text: object) -> RowPosition:
    """The position in a cursor; raises unless it is a cursor of this query."""
    if not isinstance(text, str):
        raise _cursor_error(text)
    try:
        sealed = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except ValueError:
        raise _cursor_error(text) from None
    # base64 ignores some characters, so several texts would be the same cursor.
    if urlsafe_b64encode(sealed).decode().rstrip("=") != text:
        raise _cursor_error(text)
    seal, masked = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
    plain = _masked(secret, seal, masked)
    if not compare_digest(_seal(secret, plain, _bound_query(read)), seal):
        raise _cursor_error(text)
    paginator, key = orjson.loads(plain)
    return RowPosition(paginator, key)


def _cursor_error(text: object) -> InvalidCursor:
    return InvalidCursor(
        "store-cursor",
        f"{quote(text)} is not a cursor of this query.",
        expected="A cursor is valid only for the query that returned it, and for the secret that signed it.",
        fix="use it with the same query, and one secret for all processes: cursor_secret= or PKSK_CURSOR_SECRET.",
    )


def _bound_query(read: Any) -> bytes:
    """What a cursor is valid for: all that decides items and order, but not page sizes."""
    requests = [{name: each[name] for name in _DECIDING if name in each} for each in read.plan.requests]
    told = [
        requests,
        [str(left) for left in read.plan.filters_after_reading],
        [each.__name__ for each in read.plan.entities],
    ]
    return orjson.dumps(told, default=_text, option=orjson.OPT_SORT_KEYS)


def _text(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def _key(secret: bytes) -> bytes:
    # Hashes a secret of any length to a key of the right length.
    return blake2b(secret, digest_size=32, person=b"pksk-cursor").digest()


def _seal(secret: bytes, plain: bytes, question: bytes) -> bytes:
    digest = blake2b(key=_key(secret), digest_size=_SEAL_BYTES, person=b"seal")
    digest.update(len(plain).to_bytes(8) + plain + question)
    return digest.digest()


def _masked(secret: bytes, seal: bytes, text: bytes) -> bytes:
    stream = shake_256(_key(secret) + seal).digest(len(text))
    return bytes(one ^ other for one, other in zip(text, stream, strict=True))


def reverse_paginators(read: Any, groups: list[Group]) -> list[Group]:
    """The same paginators in the opposite order, each read backwards."""
    if read.kind == "scan":
        raise DesignError(
            "store-page-scan",
            "page: before= on a scan; DynamoDB scans a table in one direction only.",
            fix="keep the cursors of earlier pages, or use a query.",
        )
    return [[_reverse(paginator) for paginator in group] for group in reversed(groups)]


def _reverse(paginator: Paginator) -> Paginator:
    request = dict(paginator.request)
    if request.pop("ScanIndexForward", True):
        request["ScanIndexForward"] = False
    return replace(paginator, request=request)


def resume_after(groups: list[Group], place: RowPosition) -> list[Group]:
    """The paginators from a position on: the group of its paginator, and all later ones."""
    for number, group in enumerate(groups):
        own = next((paginator for paginator in group if paginator.number == place.paginator), None)
        if own is not None:
            begun = [
                replace(paginator, start=place.key)
                if paginator is own
                else _resume_merged(paginator, own, place)
                for paginator in group
            ]
            return [begun, *groups[number + 1 :]]
    return []


def _resume_merged(paginator: Paginator, own: Paginator, place: RowPosition) -> Paginator:
    """Resume a paginator that is merged with that of the cursor, after the same sort key or paginator number."""
    at = own.sort_position(place.key)  # type: ignore[arg-type]
    follows = paginator.number > own.number
    included = follows != paginator.descending
    if paginator.operation == "Scan" or not paginator.index.sort:
        # Without a sort key, the paginators run one after the other.
        return paginator if included else replace(paginator, is_finished=True)
    return replace(_narrow_key_condition(paginator, place), after_position=(at, included))


def _narrow_key_condition(paginator: Paginator, place: RowPosition) -> Paginator:
    """The paginator with a key condition that begins at the position, so that earlier items cost nothing."""
    request = paginator.request
    names, values = request.get("ExpressionAttributeNames", {}), request["ExpressionAttributeValues"]
    tree = parse_key_condition(request["KeyConditionExpression"], names, values)
    leaves = {_attribute(leaf): leaf for leaf in (tree.conditions if isinstance(tree, And) else (tree,))}
    # The first attribute that is not fixed; items before the position are then skipped one by one.
    name = next((each for each in paginator.index.sort if not _is_fixed(leaves.get(each))), None)
    if name is None:
        return paginator
    leaves[name] = _part_after(
        leaves.get(name), name, Value(from_boto3(place.key[name])), paginator.descending
    )
    return replace(paginator, request=_render_request(request, And(tuple(leaves.values()))))


def _attribute(leaf: Any) -> str:
    first = leaf.operands[0] if isinstance(leaf, Call) else getattr(leaf, "left", None)
    path = leaf.operand if isinstance(leaf, Between) else first
    return str(path.elements[0])  # type: ignore[union-attr]


def _is_fixed(leaf: Any) -> bool:
    return isinstance(leaf, Compare) and leaf.operator == "="


def _part_after(leaf: Any, name: str, at: Value, descending: bool) -> Condition:
    """The part of a sort key condition from a value on, inclusive."""
    path = Path((name,))
    low, high = _range_ends(leaf)
    low, high = (low, at) if descending else (at, high)
    if low is None or high is None:
        return Compare("<=", path, at) if low is None else Compare(">=", path, at)
    return Between(path, low, high)


def _range_ends(leaf: Any) -> tuple[Any, Any]:
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
    made = {name: value for name, value in request.items() if not name.startswith("ExpressionAttribute")}
    made["KeyConditionExpression"] = render(key, placeholders).text
    if "FilterExpression" in request:
        tree = parse_condition(request["FilterExpression"], names, values)
        made["FilterExpression"] = render(tree, placeholders).text
    if "ProjectionExpression" in request:
        projection = parse_projection(request["ProjectionExpression"], names)
        made["ProjectionExpression"] = render(projection, placeholders).text
    return made | placeholders.request()
