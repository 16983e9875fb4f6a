"""What a server has done so far, for programs that watch it."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

__all__ = ["Metrics"]

_BOUNDS: Final = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


class Metrics:
    """Counts of requests by operation and status, and how long they took.

    Example:
        >>> metrics = Metrics()
        >>> metrics.count("GetItem", 200, 0.0004)
        >>> print(metrics.text(connections=1).splitlines()[2])
        pksk_requests_total{operation="GetItem",status="200"} 1
    """

    def __init__(self) -> None:
        self._requests: defaultdict[tuple[str, int], int] = defaultdict(int)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(_BOUNDS) + 1))

    def count(self, operation: str, status: int, seconds: float) -> None:
        """Note a request that was answered."""
        self._requests[operation, status] += 1
        self._seconds[operation] += seconds
        self._buckets[operation][bisect_left(_BOUNDS, seconds)] += 1

    def text(self, *, connections: int) -> str:
        """All of it in the text format that Prometheus reads."""
        return "\n".join(self._lines(connections)) + "\n"

    def _lines(self, connections: int) -> Iterator[str]:
        yield "# HELP pksk_requests_total Requests answered, by operation and HTTP status."
        yield "# TYPE pksk_requests_total counter"
        for (operation, status), number in sorted(self._requests.items()):
            yield f'pksk_requests_total{{operation="{operation}",status="{status}"}} {number}'
        yield "# HELP pksk_request_seconds Time from a request's last byte to its answer."
        yield "# TYPE pksk_request_seconds histogram"
        for operation, buckets in sorted(self._buckets.items()):
            yield from _histogram(operation, buckets, self._seconds[operation])
        yield "# HELP pksk_connections Connections that are open."
        yield "# TYPE pksk_connections gauge"
        yield f"pksk_connections {connections}"


def _histogram(operation: str, buckets: list[int], seconds: float) -> Iterator[str]:
    total = 0
    for bound, number in zip((*_BOUNDS, "+Inf"), buckets, strict=True):
        total += number
        yield f'pksk_request_seconds_bucket{{operation="{operation}",le="{bound}"}} {total}'
    yield f'pksk_request_seconds_sum{{operation="{operation}"}} {seconds:.6f}'
    yield f'pksk_request_seconds_count{{operation="{operation}"}} {total}'
