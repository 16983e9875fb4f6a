"""Metrics of consumers in the format of Prometheus, as the server prints its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pksk.changes.rounds import Consumption
    from pksk.changes.status import ConsumerStatus

# Name: kind and help text.
_HEADS: Final = {
    "pksk_consumer_lag_seconds": ("gauge", "Age of the oldest change of a shard that was not processed."),
    "pksk_consumer_dead_letters": (
        "gauge",
        "Changes that could not be processed, and were not retried or dropped.",
    ),
    "pksk_consumer_workers": ("gauge", "Workers that run."),
    "pksk_consumer_condition": ("gauge", "1 for the condition that the consumer is in."),
    "pksk_consumer_delivered_total": ("counter", "Changes that the handler has processed."),
    "pksk_consumer_failed_calls_total": ("counter", "Calls of the handler that raised an error."),
    "pksk_consumer_dead_letters_total": ("counter", "Changes that became dead letters."),
    "pksk_consumer_buffered_changes": (
        "gauge",
        "Records that were read from the stream and wait for the handler.",
    ),
    "pksk_consumer_batch_size": ("gauge", "Changes that the handler gets at once at the moment."),
}
_CONDITIONS: Final = ("reading", "stale", "rebuilding")
_Sample = tuple[str, dict[str, str], float]


def worker_metrics(running: Consumption, now: float) -> str:
    """The metrics of a worker, without a request."""
    return _text(list(_worker_samples(running, now)))


def _worker_samples(running: Consumption, now: float) -> Iterator[_Sample]:
    worker, deliverer = running.rounds.worker, running.deliverer
    labels = {"consumer": worker.settings.consumer, "table": worker.table.name}
    counts = deliverer.counts
    yield "pksk_consumer_delivered_total", labels, counts.delivered
    yield "pksk_consumer_failed_calls_total", labels, counts.failed_calls
    yield "pksk_consumer_dead_letters_total", labels, counts.dead_letters
    yield "pksk_consumer_buffered_changes", labels, counts.buffered
    yield "pksk_consumer_batch_size", labels, deliverer.size.current
    for held in list(worker.held.values()):
        behind = 0.0 if held.is_empty or held.lease.at is None else max(0.0, now - held.lease.at)
        yield "pksk_consumer_lag_seconds", {**labels, "shard": held.lease.shard}, behind


def consumer_metrics(statuses: Sequence[ConsumerStatus]) -> str:
    """The metrics of consumers in the format of Prometheus, from what `consumers` gives.

    Example:
        >>> from pksk import Table, connect
        >>> from pksk.changes import consumers
        >>> shop = Table("shop", stream=True)
        >>> with connect("memory:") as db:
        ...     db.create_tables(shop)
        ...     _ = list(db.changes(shop, consumer="audit"))
        ...     print(consumer_metrics(consumers(db.client)).splitlines()[-1])
        pksk_consumer_condition{consumer="audit",table="shop",condition="rebuilding"} 0
    """
    return _text([sample for status in statuses for sample in _status_samples(status)])


def _status_samples(status: ConsumerStatus) -> Iterator[_Sample]:
    labels = {"consumer": status.consumer, "table": status.table}
    yield "pksk_consumer_workers", labels, status.workers
    yield "pksk_consumer_dead_letters", labels, status.dead_letters
    for condition in _CONDITIONS:
        yield (
            "pksk_consumer_condition",
            {**labels, "condition": condition},
            int(condition == status.condition),
        )
    for shard in status.shards:
        if shard.behind_seconds is not None:
            yield "pksk_consumer_lag_seconds", {**labels, "shard": shard.shard}, shard.behind_seconds


def _text(samples: Sequence[_Sample]) -> str:
    """Samples by name, each name with its kind and help once."""
    lines: list[str] = []
    for name, (kind, help_text) in _HEADS.items():
        mine = [each for each in samples if each[0] == name]
        if mine:
            lines += [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"]
            lines += [f"{name}{{{_labels(labels)}}} {value:g}" for _, labels, value in mine]
    return "".join(f"{line}\n" for line in lines)


def _labels(labels: dict[str, str]) -> str:
    # Names of consumers, tables and shards have no character that needs escaping.
    return ",".join(f'{name}="{value}"' for name, value in labels.items())
