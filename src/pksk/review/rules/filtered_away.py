"""The rule about filters that drop most of what a query reads."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.bill.field_shares import declared_spread
from pksk.model.bill.month_rows import PatternUse
from pksk.model.fields.condition_paths import condition_fields
from pksk.model.requests.query import Query
from pksk.model.storing.attributes import value_count
from pksk.review.measuring.measure_design import PatternMeasurement
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.queries import key_reads
from pksk.review.source_lines import pattern_subject, table_subject

# A filter that drops less is often the best choice.
_MOST_DROPPED = 0.5
# What a call may read without a remark, and what all calls may read a second.
_FEW_UNITS = 4
_LITTLE = 1
_FEWEST_MEASURED = 100
_FEWEST_TRACED = 1000
_FIX = "put what the filter compares into the sort key, or into the key of a sparse index."


@rule(
    "filtered-away", "a declared Spread of what is filtered, a measurement (--measure) or a trace (--traffic)"
)
def filtered_away(design: Design) -> Iterator[Finding]:
    """A query whose filter drops most of the items that it reads.

    ## What it does

    Reports access patterns whose queries returned less than half of the items that they read when they were measured,
    and tables and indexes where that is so for all queries of a trace. On generated items it considers only filters on
    fields with few values, such as a status or a flag, since nothing is known about others.

    Without a measurement it remarks on queries of more than 4 read units, with a unit a second or more, that filter by
    one value of a field whose declared `Spread` gives no value half of the calls.

    ## Why is this bad?

    DynamoDB applies a filter after it has read and charged the items. A query that returns 5 of 500 items costs as much
    as one that returns all 500, and may take several requests to find them.

    ## Example

        @access(rate=50, items=200)
        @classmethod
        def open_of(cls, customer: str) -> Query["Order"]:
            return cls.primary(customer=customer).filter(F.status == "open")

    ## Use instead

    A sort key that begins with what is filtered by, or an index that only these items are in:

        open = Key("{customer}", "{day}", index="open-orders", when=F.status == "open")
    """
    for use in design.uses:
        measured = design.measured.of(use.pattern.name) if design.measured else None
        if measured is not None and _drops_most(measured.read, measured.returned, _FEWEST_MEASURED):
            yield from _of_pattern(use, measured)
    if design.measured is None:
        yield from _of_spreads(design)
    yield from _of_traffic(design)


def _of_spreads(design: Design) -> Iterator[Finding]:
    """The queries that filter by a field whose values are all rare, as the design declares."""
    for read in key_reads(design):
        use, cost = read.use, read.use.estimate.cost
        is_small = cost is None or cost.read <= _FEW_UNITS or cost.read * (use.rate or 0.0) < _LITTLE
        if len(use.requests) > 1 or is_small or read.query.max_results is not None:
            continue
        for name in read.equal_filters:
            field = read.declaration.fields.get(name)
            spread = declared_spread(field) if field is not None else None
            if spread is not None and spread.share.highest < 1 - _MOST_DROPPED:
                yield Finding(
                    filtered_away.code,
                    "info",  # in one partition, values may be less mixed than in all
                    pattern_subject(use.pattern),
                    f"it filters by {name}, whose values have at most {spread.share} of all calls each, so that it "
                    "drops most of the items that it reads.",
                    (f"{name}: declared: {spread}", f"{use.estimate} a call"),
                    f"put {name} into the partition key, or at the start of the sort key.",
                    certain=False,
                )


def _drops_most(read: int, returned: int, fewest: int) -> bool:
    return read >= fewest and (read - returned) / read > _MOST_DROPPED


def _of_pattern(use: PatternUse, measured: PatternMeasurement) -> Iterator[Finding]:
    queries = [each for each in use.requests if isinstance(each, Query)]
    if len(queries) < len(use.requests) or not (measured.on_own_items or all(map(_has_few_values, queries))):
        return
    dropped = 1 - measured.returned / measured.read
    yield Finding(
        filtered_away.code,
        "warning",
        pattern_subject(use.pattern),
        f"its filter drops {dropped:.0%} of the items that it reads.",
        (f"{measured.calls} calls read {measured.read:,} items, and returned {measured.returned:,}",),
        _FIX,
        certain=measured.on_own_items,
    )


def _has_few_values(query: Query) -> bool:
    """Whether all fields of a filter have types with few values, which generated items have equally often."""
    names = condition_fields(query.condition) if query.condition is not None else ()
    fields = [each.__pksk__.fields.get(name) for each in query.entities for name in names]
    return bool(fields) and all(each is not None and value_count(each) is not None for each in fields)


def _of_traffic(design: Design) -> Iterator[Finding]:
    traffic = design.traffic
    for table in design.tables if traffic is not None else ():
        for index in (None, *(each.name for each in table.indexes)):
            assert traffic is not None
            queries = traffic.of(table, index).queries
            if _drops_most(queries.read, queries.returned, _FEWEST_TRACED):
                name = f"{table.name}/{index}" if index else table.name
                yield Finding(
                    filtered_away.code,
                    "warning",
                    table_subject(table, index),
                    f"filters drop {1 - queries.returned / queries.read:.0%} of the items that queries of {name} read.",
                    (
                        f"{traffic.file}: {queries.calls:,} pages of queries read {queries.read:,} items, and returned "
                        f"{queries.returned:,}",
                    ),
                    _FIX,
                    certain=False,
                )
