"""What a table's stream shows of each change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.schema.choice import choice

__all__ = ["declared_stream", "stream_from_wire", "stream_to_wire"]

_VIEWS: Final = ("NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY")


def declared_stream(where: str, declared: object) -> str | None:
    """The view of the stream, or None without one; True is the one that shows most.

    Example:
        >>> declared_stream("Table 'orders'", True)
        'NEW_AND_OLD_IMAGES'
    """
    if isinstance(declared, bool):
        return _VIEWS[0] if declared else None
    return choice(where, "stream", declared, _VIEWS, or_else=", or True or False")


def stream_to_wire(view: str | None) -> dict[str, Any]:
    """The member of CreateTable that turns the stream on; empty without one.

    Example:
        >>> stream_to_wire("KEYS_ONLY")
        {'StreamSpecification': {'StreamEnabled': True, 'StreamViewType': 'KEYS_ONLY'}}
    """
    return {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": view}} if view else {}


def stream_from_wire(wire: Mapping[str, Any]) -> str | bool:
    """The stream as people write it, from a request or a description.

    Example:
        >>> stream_from_wire({"StreamSpecification": {"StreamEnabled": False}})
        False
    """
    stream = wire.get("StreamSpecification") or {}
    return str(stream["StreamViewType"]) if stream.get("StreamEnabled") else False
