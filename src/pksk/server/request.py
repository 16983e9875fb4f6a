"""A request as it came over HTTP."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

__all__ = ["Headers", "Request"]

# Names in small letters, in the order in which they came.
Headers = list[tuple[bytes, bytes]]


@dataclass
class Request:
    """The parts of a request; `target` is its path and query as they stand in the request line."""

    method: bytes
    target: bytes
    headers: Headers
    body: bytes
    began: float
    keeps_alive: bool = True
    refusal: tuple[int, str] | None = None  # a request that could not be read: status and reason
    request_id: str = field(default="")

    @cached_property
    def by_name(self) -> dict[bytes, bytes]:
        """The headers by name; the last one where a name stands twice."""
        return dict(self.headers)
