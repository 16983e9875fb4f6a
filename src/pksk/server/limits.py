"""The sizes that a server accepts, and how long it waits for its clients."""

from __future__ import annotations

from pksk.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in bytes, seconds and numbers; the server rejects what exceeds them, and closes the connection.

    Example:
        >>> Limits(connections=100).body_bytes
        16777216
    """

    body_bytes: int = 16 * 1024 * 1024  # as on AWS; also of a decompressed body
    head_bytes: int = 64 * 1024  # the request line and all headers
    connections: int = 1000
    request_seconds: float = 30.0  # from the first byte of a request to its last
    idle_seconds: float = 300.0  # between two requests
    write_seconds: float = 30.0  # until the client reads part of its answer
    stop_seconds: float = 10.0  # for the requests that have arrived when the server stops
