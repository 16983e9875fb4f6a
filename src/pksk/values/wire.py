"""The types of DynamoDB's JSON (the wire format), and its conversion to and from boto3's form, with bytes.

boto3 encodes the content of B as base64, even text, so its requests must contain bytes. Inside pksk, values are
in DynamoDB's JSON, with binary content as base64 text.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from pksk.limits import NESTING_LEVELS

Wire: TypeAlias = dict[str, Any]
WireItem: TypeAlias = dict[str, Wire]

KINDS: Final = ("S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS")

# The item itself is the first level, so an attribute can nest 31 lists and maps.
MAX_DEPTH: Final = NESTING_LEVELS - 1


def plain_name(name: str) -> str:
    """The name as a plain str, from a subclass too; raises TypeError or UnicodeError if it is not valid text."""
    plain = str.__str__(name)
    plain.encode()
    return plain


_MAY_BE_BINARY: Final = {"B", "BS", "L", "M"}


def to_boto3(wire: Mapping[str, Any]) -> Wire:
    """A value for boto3's client; always a copy, so that it shares nothing with the request."""
    return _convert(wire, _to_bytes)


def from_boto3(wire: Mapping[str, Any]) -> Wire:
    """A value in DynamoDB's JSON, from that or from boto3's form."""
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
    """All attributes of an item for boto3's client."""
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
