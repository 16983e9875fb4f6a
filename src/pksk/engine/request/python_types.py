"""Converts requests of Python callers that contain more than JSON's own types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pksk.engine.service_errors import serialization

_SCALARS: Final = frozenset({str, int, float, bool, bytes, type(None)})
# More than a request can have; only a mapping with generated members exceeds it.
_MOST: Final = 2**22


def to_plain_types(source: Any) -> Any:
    """A copy with only dicts, lists, strings, numbers and bytes; None if the original has no other types.

    Subclasses become their base type, mappings dicts, and byte containers bytes. Other objects stay as they
    are, and the reader rejects them.

    Example:
        >>> from collections import OrderedDict
        >>> to_plain_types({"Item": OrderedDict(data={"B": bytearray(b"x")})})
        {'Item': {'data': {'B': b'x'}}}
        >>> to_plain_types({"Item": {"data": {"B": b"x"}}}) is None
        True
    """
    try:
        copying = _Copier()
        copy = copying.copy(source)
        copying.fill()
    except Exception:
        # An unknown object can raise anything when it is read.
        raise serialization() from None
    return copy if copying.foreign else None


class _Copier:
    """Makes one copy. An object that occurs several times is copied once, so that cycles end."""

    def __init__(self) -> None:
        self.foreign = False
        self._unfilled: list[tuple[Any, Any]] = []
        self._copies: dict[int, tuple[Any, Any]] = {}

    def copy(self, source: Any) -> Any:
        if type(source) in _SCALARS:
            return source
        if id(source) in self._copies:
            return self._copies[id(source)][1]
        copy = _to_plain_type(source)
        self.foreign = self.foreign or type(copy) is not type(source)
        if type(copy) in (dict, list):
            self._copies[id(source)] = source, copy  # the source is kept, so that no other object gets its id
            self._unfilled.append((source, copy))
        return copy

    def fill(self) -> None:
        while self._unfilled:
            if len(self._copies) > _MOST:
                raise serialization()
            source, copy = self._unfilled.pop()
            if type(copy) is list:
                copy.extend(self.copy(inner) for inner in list.__iter__(source))
            else:
                copy.update((name, self.copy(inner)) for name, inner in self._named(source))

    def _named(self, source: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
        for name in source:
            if not isinstance(name, str):
                raise serialization()
            if type(name) is not str:
                self.foreign = True
            yield str.__str__(name), source[name]


def _to_plain_type(source: Any) -> Any:
    """The value with a JSON type; dicts and lists still without their contents."""
    if isinstance(source, Mapping):
        return {}
    if isinstance(source, list):
        return []
    if isinstance(source, str):
        return str.__str__(source)
    if isinstance(source, int):
        return int.__int__(source)
    if isinstance(source, float):
        return float.__float__(source)
    # boto3 wraps binary values in a class of its own.
    held = source.value if type(source).__module__ == "boto3.dynamodb.types" else source
    return bytes(held) if isinstance(held, bytes | bytearray | memoryview) else source
