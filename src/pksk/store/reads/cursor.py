"""Cursors: the position of an item as signed text, and reading from there in either direction."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import replace
from hashlib import blake2b, shake_256
from hmac import compare_digest
from typing import Final

import orjson

from pksk.dataclass import dataclass
from pksk.errors import DesignError, InvalidCursor, quote
from pksk.model.requests.geo_query import GeoQuery
from pksk.store.reads.request_expressions import narrow_key_condition
from pksk.store.reads.rows import Group, Paginator, Read
from pksk.values import WireItem
from pksk.values.wire import from_boto3

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
    key: WireItem


# The start of the results: before the first item forwards, after the last one backwards.
EDGE: Final = RowPosition(-1, {})


def encode_cursor(secret: bytes, read: Read | GeoQuery, position: RowPosition) -> str:
    """The cursor of a position in a query's results."""
    plain = orjson.dumps(
        [position.paginator, {name: from_boto3(wire) for name, wire in position.key.items()}]
    )
    seal = _seal(secret, plain, _bound_query(read))
    return urlsafe_b64encode(seal + _masked(secret, seal, plain)).decode().rstrip("=")


def decode_cursor(secret: bytes, read: Read | GeoQuery, text: object) -> RowPosition:
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


def _bound_query(read: Read | GeoQuery) -> bytes:
    """What a cursor is valid for: all that decides items and order, but not page sizes."""
    if isinstance(read, GeoQuery):
        return read.identity.encode()
    requests = [{name: each[name] for name in _DECIDING if name in each} for each in read.plan.requests]
    deciding = [
        requests,
        [str(each) for each in read.plan.filters_after_reading],
        [each.__name__ for each in read.plan.entities],
    ]
    return orjson.dumps(deciding, default=_text, option=orjson.OPT_SORT_KEYS)


def _text(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def _key(secret: bytes) -> bytes:
    # Hashes a secret of any length to a key of the right length.
    return blake2b(secret, digest_size=32, person=b"pksk-cursor").digest()


def _seal(secret: bytes, plain: bytes, query: bytes) -> bytes:
    digest = blake2b(key=_key(secret), digest_size=_SEAL_BYTES, person=b"seal")
    digest.update(len(plain).to_bytes(8) + plain + query)
    return digest.digest()


def _masked(secret: bytes, seal: bytes, text: bytes) -> bytes:
    stream = shake_256(_key(secret) + seal).digest(len(text))
    return bytes(one ^ other for one, other in zip(text, stream, strict=True))


def reverse_paginators(read: Read, groups: list[Group]) -> list[Group]:
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


def resume_after(groups: list[Group], position: RowPosition) -> list[Group]:
    """The paginators from a position on: the group of its paginator, and all later ones."""
    for number, group in enumerate(groups):
        own = next((paginator for paginator in group if paginator.number == position.paginator), None)
        if own is not None:
            resumed = [
                replace(paginator, start=position.key)
                if paginator is own
                else _resume_merged(paginator, own, position)
                for paginator in group
            ]
            return [resumed, *groups[number + 1 :]]
    return []


def _resume_merged(paginator: Paginator, own: Paginator, position: RowPosition) -> Paginator:
    """Resume a paginator that is merged with that of the cursor, after the same sort key or paginator number."""
    at = own.sort_position(position.key)
    follows = paginator.number > own.number
    included = follows != paginator.descending
    if paginator.operation == "Scan" or not paginator.index.sort:
        # Without a sort key, the paginators run one after the other.
        return paginator if included else replace(paginator, is_finished=True)
    return replace(_narrow(paginator, position), after_position=(at, included))


def _narrow(paginator: Paginator, position: RowPosition) -> Paginator:
    request = narrow_key_condition(
        paginator.request, paginator.index.sort, position.key, descending=paginator.descending
    )
    return replace(paginator, request=request)
