"""What a server takes from its clients, and how long it waits for them."""

from __future__ import annotations

from pksk.dataclass import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds in bytes, seconds and numbers; what goes beyond is refused, and its connection closed.

    Example:
        >>> Limits(connections=100).body_bytes
        16777216
    """

    body_bytes: int = 16 * 1024 * 1024  # as on AWS; also of a compressed body once it is unpacked
    head_bytes: int = 64 * 1024  # the request line and all headers
    connections: int = 1000
    request_seconds: float = 30.0  # from the first byte of a request to its last
    idle_seconds: float = 300.0  # between two requests
    write_seconds: float = 30.0  # for a client to take some of its answer
    stop_seconds: float = 10.0  # for requests under way when the server stops
