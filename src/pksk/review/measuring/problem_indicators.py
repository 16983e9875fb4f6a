"""Problem indicators: slow and throttled requests, scans, and filters that drop most items, by access pattern."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any, Final

from pksk.client import ServiceError
from pksk.dataclass import dataclass
from pksk.sending.hooks import RequestFinished, RequestStarted

_THROTTLED: Final = frozenset(
    {"ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded"}
)


@dataclass
class ProblemIndicators:
    """A hook for `connect(hooks=[...])` that counts problem indicators by access pattern, on any store.

    | indicator | a request that |
    |---|---|
    | slow | took more than `slow_seconds` |
    | throttled | DynamoDB throttled; the store sends it again, so that the program may not notice |
    | scan | scans a table or an index |
    | filtered away | returned less than half of the items that it read and paid for, or what `dropped` says |

    Example:
        >>> from pksk import Entity, F, Key, Table, connect
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     total: int
        ...     primary = Key("ORDER#{id}", "META")
        >>> indicators = ProblemIndicators()
        >>> with connect("memory:", hooks=[indicators]) as db:
        ...     db.create_tables(Order.__pksk__.table)
        ...     order = db.put(Order(id="7", total=20))
        ...     large = db.run(Order.scan().filter(F.total > 1000))
        >>> [row for row in indicators.rows if row[1] != "slow"]
        [('Scan orders', 'filtered away', 1), ('Scan orders', 'scan', 1)]
    """

    slow_seconds: float = 0.1
    dropped: float = 0.5
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __call__(self, started: RequestStarted) -> Callable[[RequestFinished], None]:
        """Called for each request."""
        name = started.pattern or " ".join([started.operation, *started.tables])

        def finish(finished: RequestFinished) -> None:
            for indicator in self._indicators(started, finished):
                self.counts[name, indicator] += 1

        return finish

    def _indicators(self, started: RequestStarted, finished: RequestFinished) -> Iterator[str]:
        answer = finished.answer or {}
        read, returned = answer.get("ScannedCount", 0), answer.get("Count", 0)
        if finished.seconds > self.slow_seconds:
            yield "slow"
        if isinstance(finished.error, ServiceError) and finished.error.code in _THROTTLED:
            yield "throttled"
        if started.operation == "Scan":
            yield "scan"
        if read and (read - returned) / read > self.dropped:
            yield "filtered away"

    @property
    def rows(self) -> list[tuple[str, str, int]]:
        """Each access pattern (or operation and table) with an indicator, and in how many requests it was seen."""
        return [(name, indicator, count) for (name, indicator), count in sorted(self.counts.items())]

    def data(self) -> list[dict[str, Any]]:
        """The rows in JSON types."""
        return [
            {"name": name, "indicator": indicator, "requests": count} for name, indicator, count in self.rows
        ]

    def __str__(self) -> str:
        return "\n".join(f"{name}: {indicator} {count:,} times" for name, indicator, count in self.rows)
