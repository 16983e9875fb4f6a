"""The rule about writes that arrive grouped by partition key."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.partitions import Share
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import table_subject
from pksk.review.traffic import WINDOW_CALLS, IndexTraffic
from pksk.schema import Table

_FEWEST_WINDOWS = 5
# Most of a window for one key, and little of the whole trace.
_OF_WINDOW = 0.7
_OF_TRACE = 0.2


@rule("rolling-hot-key", "a trace (--traffic)")
def rolling_hot_key(design: Design) -> Iterator[Finding]:
    """Writes that arrive grouped by partition key, so that one key at a time receives nearly all of them.

    ## What it does

    Divides the writes of a trace into groups of 1,000 in a row. If the busiest key of a group has most of its writes
    in nearly all groups, and no key has many of the whole trace, the writes are sorted by partition key.

    ## Why is this bad?

    Over the whole trace the writes spread evenly, but at each moment one partition does all the work: a file that is
    loaded in the order of its keys is limited to 1,000 write units a second, whatever the table could take. AWS
    measured 1,250 writes a second for such a load, and 3,600 for the same lines shuffled.

    ## Example

        for customer in customers:
            db.batch_put(orders_of(customer))

    ## Use instead

    Shuffle the lines before loading them, or load several customers at a time. If the key is a current time, see
    `time-partition-key`.
    """
    traffic = design.traffic
    for table in design.tables if traffic is not None else ():
        for index in (None, *(each.name for each in table.indexes if each.kind == "gsi")):
            assert traffic is not None
            part = traffic.of(table, index)
            if _is_rolling(part):
                yield _finding(table, part, traffic.file)


def _is_rolling(part: IndexTraffic) -> bool:
    share, windows = _of_all(part), part.writes.windows
    is_grouped = len(windows) >= _FEWEST_WINDOWS and sorted(windows)[len(windows) // 10] >= _OF_WINDOW
    return is_grouped and share.highest < _OF_TRACE


def _of_all(part: IndexTraffic) -> Share:
    """The share of the busiest key; if there are too many keys to count one, none is busy."""
    busiest = part.writes.busiest
    return busiest[1] if busiest is not None else Share(0.0, 0.0)


def _finding(table: Table, part: IndexTraffic, file: str) -> Finding:
    windows = part.writes.windows
    middle = sorted(windows)[len(windows) // 2]
    return Finding(
        rolling_hot_key.code,
        "info",
        table_subject(table, part.index),
        f"of {WINDOW_CALLS:,} writes of {part.name} in a row, {middle:.0%} are of one partition key, and of all writes "
        f"{_of_all(part)}.",
        (f"{file}: {part.writes.calls:,} writes of {part.name}",),
        "write in another order, for example shuffled, so that all partitions take part.",
        certain=False,
    )
