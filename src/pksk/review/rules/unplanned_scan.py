"""The rule about scans in a trace that no access pattern declares."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.requests.scan import Scan
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import table_subject
from pksk.schema import Table

_FEWEST_PAGES = 10
_LEAST_SHARE = 0.1


@rule("unplanned-scan", "a trace (--traffic)")
def unplanned_scan(design: Design) -> Iterator[Finding]:
    """Scans in a trace of a table or index that no access pattern scans.

    ## What it does

    Reports a table or index if the trace has ten scanned pages of it or more, with a tenth of its read units, and no
    declared access pattern scans it.

    ## Why is this bad?

    A scan reads and pays for every item. Small tables hide it: a scan of a hundred items in a test is one request, and
    the same code reads gigabytes in production. What is not declared is missing from all costs and loads.

    ## Example

        open_orders = [order for order in table.scan()["Items"] if order["status"] == "open"]

    ## Use instead

    Add a key that finds these items, and query it. If the scan is meant, declare it:

        @access(rate="1/day")
        @classmethod
        def export(cls) -> Scan["Order"]:
            return cls.scan()
    """
    traffic = design.traffic
    for table in design.tables if traffic is not None else ():
        for index in (None, *(each.name for each in table.indexes)):
            assert traffic is not None
            part = traffic.of(table, index)
            scans, reads = part.scans, part.reads.units
            if scans.calls < _FEWEST_PAGES or scans.units < _LEAST_SHARE * reads:
                continue
            if not _is_declared(design, table, index):
                yield Finding(
                    unplanned_scan.code,
                    "warning",
                    table_subject(table, index),
                    f"the trace scans {part.name}, and no access pattern does.",
                    (
                        f"{traffic.file}: {scans.calls:,} scanned pages with {scans.units:,g} read units, "
                        f"{scans.units / reads:.0%} of all",
                    ),
                    "add a key that finds what the scan looks for, or declare the scan as an access pattern.",
                )


def _is_declared(design: Design, table: Table, index: str | None) -> bool:
    """Whether a pattern scans the table or index, or may do so."""
    return any(
        (use.problem and use.pattern in table.patterns)
        or (
            isinstance(each, Scan)
            and each.plan.index == index
            and each.entity.__pksk__.table.name == table.name
        )
        for use in design.uses
        for each in (use.requests or (None,))
    )
