"""The rule about queries that filter by a range of times which a sort key could serve."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.bill.field_shares import is_time
from pksk.model.declaration import Declaration
from pksk.model.markers import TTL
from pksk.model.storing.attributes import Field
from pksk.review.rule import Design, Finding, Missing, Result, rule
from pksk.review.rules.loads import units_text
from pksk.review.rules.queries import KeyRead, is_range, key_reads
from pksk.review.source_lines import pattern_subject

# What a call may read without a remark, and what all calls may read a second.
_FEW_UNITS = 4
_LITTLE = 1


@rule("range-filter", "how many items a call reads (items=), and its rate (rate=)")
def range_filter(design: Design) -> Iterator[Result]:
    """A query that filters by a range of times which a sort key could serve.

    ## What it does

    Finds queries that read more than 4 units a call, and whose filter accepts a range of a date or a time. If the sort
    key began with that field, the query would read those items only. Filters on a TTL field are not reported.

    ## Why is this bad?

    A filter is applied after reading: every item of the collection is read and paid for, also those that the filter
    drops. It gets slower and more expensive with each item that is added.

    A random id in the sort key does not force a scan, as is sometimes said: the item can be read by its key, and the
    collection by a query. But nothing narrows that query.

    ## Example

        primary = Key("{customer}", "{order_id}")

        return cls.primary(customer=customer).filter(F.at.between(first, last))

    ## Use instead

        primary = Key("{customer}", "{at}#{order_id}")

        return cls.primary(customer=customer, at=between(first, last))

    If items must be found by their id as well, keep the primary key, and put the time into the sort key of an index.
    """
    for read in key_reads(design):
        is_narrowed = any(is_range(read.values.get(name)) for name in read.key.fields)
        if len(read.query.key_queries) == 1 and not is_narrowed:
            fields = [each for each in read.range_filters if _is_time(read.declaration, each)]
            if fields and fields[0] not in read.key.fields:
                yield from _check(read, fields[0])


def _is_time(declaration: Declaration, name: str) -> bool:
    field: Field | None = declaration.fields.get(name)
    if field is None or any(isinstance(each, TTL) for each in field.markers):
        return False
    return is_time(field)


def _check(read: KeyRead, name: str) -> Iterator[Result]:
    use = read.use
    if use.rate is None or use.estimate.cost is None:
        yield from (Missing(use.pattern.name, figure) for figure in use.lacks)
        return
    units = use.estimate.cost.read
    if units > _FEW_UNITS and units * use.rate >= _LITTLE:
        leading = "".join(
            f"{{{each}}}#" for part in read.key.sort for each in part.fields if each in read.values
        )
        yield Finding(
            range_filter.code,
            "warning",
            pattern_subject(use.pattern),
            f"it reads all items of a partition and filters them by {name}, though a sort key that begins with {name} "
            "would find them.",
            (
                f"{units_text(units)} read units a call, {units_text(use.rate)} times a second",
                *use.estimate.assumptions,
            ),
            f'begin the sort key with the time, such as "{leading}{{{name}}}#...", here or in an index.',
        )
