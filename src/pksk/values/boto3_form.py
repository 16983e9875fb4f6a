"""Converts values between DynamoDB's JSON, with binary content as base64 text, and boto3's form, with bytes.

boto3 encodes the content of B as base64, even text, so its requests must contain bytes. Inside pksk, values are
in DynamoDB's JSON.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Mapping
from typing import Any, Final

from pksk.values.wire import Wire, WireItem

_MAY_BE_BINARY: Final = {"B", "BS", "L", "M"}


def to_boto3(wire: Mapping[str, Any]) -> Wire:
    """A value for boto3's client; always a copy, so that it shares nothing with the request.

    Example:
        >>> to_boto3({"L": [{"B": "eA=="}, {"S": "y"}]})
        {'L': [{'B': b'x'}, {'S': 'y'}]}
    """
    return _convert(wire, _to_bytes)


def from_boto3(wire: Mapping[str, Any]) -> Wire:
    """A value in DynamoDB's JSON, from that or from boto3's form.

    Example:
        >>> from_boto3({"B": b"x"}), from_boto3({"B": "eA=="})
        ({'B': 'eA=='}, {'B': 'eA=='})
    """
    return _convert(wire, _to_base64)


def normalize_wire(wire: Any) -> Any:
    """A value of a request in DynamoDB's JSON, from either form; a malformed value is returned unchanged.

    Example:
        >>> normalize_wire({"B": b"x"}), normalize_wire({"B": 5})
        ({'B': 'eA=='}, {'B': 5})
    """
    try:
        return from_boto3(wire) if wire.keys() & _MAY_BE_BINARY else wire
    except (AttributeError, TypeError, ValueError):
        return wire


def item_to_boto3(item: Mapping[str, Wire]) -> WireItem:
    """All attributes of an item for boto3's client.

    Example:
        >>> item_to_boto3({"pk": {"S": "a"}, "data": {"BS": ["eA=="]}})
        {'pk': {'S': 'a'}, 'data': {'BS': [b'x']}}
    """
    # Text, numbers and booleans, by far the most common, contain nothing to convert.
    return {
        name: wire.copy() if "S" in wire or "N" in wire or "BOOL" in wire else to_boto3(wire)
        for name, wire in item.items()
    }


def _convert(wire: Mapping[str, Any], change: Callable[[Any], Any]) -> Wire:
    ((kind, inner),) = wire.items()
    if kind == "B":
        return {kind: change(inner)}
    if kind == "L":
        return {kind: [_convert(member, change) for member in inner]}
    if kind == "M":
        return {kind: {name: _convert(member, change) for name, member in inner.items()}}
    if kind == "BS":
        return {kind: [change(member) for member in inner]}
    return {kind: list(inner) if isinstance(inner, list) else inner}


def _to_bytes(content: Any) -> Any:
    return a2b_base64(content) if isinstance(content, str) else content


def _to_base64(content: Any) -> Any:
    binary = isinstance(content, bytes | bytearray | memoryview)
    return b2a_base64(content, newline=False).decode() if binary else content
