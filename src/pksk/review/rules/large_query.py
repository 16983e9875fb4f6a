"""The rule about queries that read megabytes a call."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from pksk.limits import PAGE_BYTES
from pksk.model.bill.month_rows import PatternUse
from pksk.model.requests.query import Query
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.loads import units_text
from pksk.review.source_lines import pattern_subject


@rule("large-query", "how many items a call reads (items=)")
def large_query(design: Design) -> Iterator[Finding]:
    """A query that reads more than a megabyte, and is called often.

    ## What it does

    Finds queries that read more than one page of 1 MB a call, at least once a second.

    ## Why is this bad?

    A query costs what it reads, and each megabyte is a request of its own, one after the other. As the collection
    grows, every call gets slower and more expensive.

    ## Example

        @access(rate=5, items=20_000, item_size=400)
        @classmethod
        def of_customer(cls, customer: str) -> Query["Order"]:
            return cls.primary(customer=customer)

    ## Use instead

    Read what is shown: a `limit()`, a range of the sort key, pages with a cursor, or an index that projects less. For
    totals, keep a counter up to date instead of adding up items.
    """
    for use in design.uses:
        if use.rate is not None and use.rate >= 1 and use.estimate.cost is not None:
            yield from _check(use)


def _check(use: PatternUse) -> Iterator[Finding]:
    queries = [each for each in use.requests if isinstance(each, Query) and each.max_results is None]
    if len(queries) != 1 or len(use.requests) != 1 or use.estimate.cost is None or use.rate is None:
        return
    query, units = queries[0], use.estimate.cost.read
    consistent = query.consistent
    requests = len(query.plan.requests)
    page = PAGE_BYTES / 4096 / (1 if consistent else 2) * max(1, requests)
    pages = ceil(units / page) * max(1, requests)
    if units > page:
        yield Finding(
            large_query.code,
            "warning",
            pattern_subject(use.pattern),
            f"a call reads {pages} pages of a megabyte, {units_text(use.rate)} times a second.",
            (f"{units_text(units)} read units a call", *use.estimate.assumptions),
            "read a page at a time, a range of the sort key, or an index that projects less.",
        )
