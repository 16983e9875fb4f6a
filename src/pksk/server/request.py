"""A request as it came over HTTP."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Headers", "Request"]

# Names in small letters, in the order in which they came.
Headers = list[tuple[bytes, bytes]]


@dataclass(slots=True)
class Request:
    """The parts of a request; `target` is its path and query as they stand in the request line."""

    method: bytes
    target: bytes
    headers: Headers
    by_name: dict[bytes, bytes]  # the same; the last one where a name stands twice
    body: bytes
    began: float  # when its last byte had come
    keeps_alive: bool = True

    @property
    def path(self) -> bytes:
        """What stands before the query."""
        return self.target.partition(b"?")[0]
