"""The rule about indexes that a trace writes and never reads."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.review.money import month_of
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.traced_keys import FEWEST_CALLS
from pksk.review.source_lines import table_subject


@rule("index-never-read", "a trace (--traffic)")
def index_never_read(design: Design) -> Iterator[Finding]:
    """An index that a trace writes and never reads, although access patterns read it.

    ## What it does

    Reports an index with 200 writes or more in the trace and without any read, if the trace reads its table or another
    of its indexes as often. Indexes without an access pattern that reads them are left to `unused-index`.

    ## Why is this bad?

    The access pattern that the index is for may be gone from the program, or may not be tested. The index still takes
    part in every write, and its storage is paid for.

    ## Example

    A trace with 5,000 writes of `by-email`, and no query of it.

    ## Use instead

    Remove the access pattern and its index, or call it in what the trace is recorded from.
    """
    traffic = design.traffic
    if traffic is None:
        return
    declared = {use[:2] for each in design.uses for use in each.estimate.touched if use[2] == "read"}
    for table in design.tables:
        reads = [
            traffic.of(table, name).reads.calls for name in (None, *(each.name for each in table.indexes))
        ]
        for index in table.indexes:
            part = traffic.of(table, index.name)
            writes = part.writes.calls
            if index.kind == "vector" or part.reads.calls or min(writes, sum(reads)) < FEWEST_CALLS:
                continue
            if (table.name, index.name) in declared:
                cost = month_of(design, table, index.name)
                yield Finding(
                    index_never_read.code,
                    "info",
                    table_subject(table, index.name),
                    f"the trace writes {part.name} {writes:,} times, and never reads it.",
                    (
                        f"{traffic.file}: {sum(reads):,} reads of {table.name} and its other indexes",
                        *([f"its writes and storage cost {cost} a month"] if cost else []),
                    ),
                    "remove the access pattern and its index, or record a trace that uses it.",
                    certain=False,
                )
