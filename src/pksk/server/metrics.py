"""The metrics of a server, in the format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from time import monotonic
from typing import Final

_BOUNDS: Final = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
# Name, kind and help text.
_REQUESTS: Final = ("pksk_requests_total", "counter", "Requests answered, by operation and HTTP status.")
_SECONDS: Final = ("pksk_request_seconds", "histogram", "Time from a request's last byte to its answer.")
_RECEIVED: Final = ("pksk_received_bytes_total", "counter", "Bytes of request bodies, as received.")
_SENT: Final = ("pksk_sent_bytes_total", "counter", "Bytes of response bodies, as sent.")
_BATCHES: Final = ("pksk_batches_total", "counter", "Batches of requests that the engine answered together.")
_BATCHED: Final = ("pksk_batched_requests_total", "counter", "Requests in these batches.")
_LARGEST: Final = ("pksk_largest_batch_requests", "gauge", "Requests in the largest batch.")
_CONNECTIONS: Final = ("pksk_connections", "gauge", "Open connections.")
_UPTIME: Final = ("pksk_uptime_seconds", "gauge", "Time since the server started.")


class Metrics:
    """Counts the requests by operation and status, with their times and sizes."""

    def __init__(self) -> None:
        self.time = monotonic
        self._began = monotonic()
        self._requests: defaultdict[tuple[str, int], int] = defaultdict(int)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(_BOUNDS) + 1))
        self._received = 0
        self._sent = 0
        self._batches = 0
        self._batched = 0
        self._largest = 0

    @property
    def uptime(self) -> float:
        """The seconds since the server started."""
        return self.time() - self._began

    def count(
        self, operation: str, status: int, seconds: float, received_bytes: int, sent_bytes: int
    ) -> None:
        """Count an answered request."""
        self._requests[operation, status] += 1
        self._seconds[operation] += seconds
        self._buckets[operation][bisect_left(_BOUNDS, seconds)] += 1
        self._received += received_bytes
        self._sent += sent_bytes

    def count_batch(self, size: int) -> None:
        """Count a batch of requests to the engine."""
        self._batches += 1
        self._batched += size
        self._largest = max(self._largest, size)

    def text(self, *, connections: int) -> str:
        """All metrics in the text format of Prometheus."""
        return "\n".join(self._lines(connections)) + "\n"

    def _lines(self, connections: int) -> Iterator[str]:
        yield from _head(*_REQUESTS)
        for (operation, status), number in sorted(self._requests.items()):
            yield f'pksk_requests_total{{operation="{operation}",status="{status}"}} {number}'
        yield from _head(*_SECONDS)
        for operation, buckets in sorted(self._buckets.items()):
            yield from _histogram(operation, buckets, self._seconds[operation])
        for head, value in (
            (_RECEIVED, self._received),
            (_SENT, self._sent),
            (_BATCHES, self._batches),
            (_BATCHED, self._batched),
            (_LARGEST, self._largest),
            (_CONNECTIONS, connections),
            (_UPTIME, f"{self.uptime:.3f}"),
        ):
            yield from _head(*head)
            yield f"{head[0]} {value}"


def _head(name: str, kind: str, help_text: str) -> Iterator[str]:
    yield f"# HELP {name} {help_text}"
    yield f"# TYPE {name} {kind}"


def _histogram(operation: str, buckets: list[int], seconds: float) -> Iterator[str]:
    total = 0
    for bound, number in zip((*_BOUNDS, "+Inf"), buckets, strict=True):
        total += number
        yield f'pksk_request_seconds_bucket{{operation="{operation}",le="{bound}"}} {total}'
    yield f'pksk_request_seconds_sum{{operation="{operation}"}} {seconds:.6f}'
    yield f'pksk_request_seconds_count{{operation="{operation}"}} {total}'
