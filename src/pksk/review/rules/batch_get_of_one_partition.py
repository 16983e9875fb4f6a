"""The rule about batches that read many small items of one partition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pksk.capacity.units import query_units, read_units
from pksk.model.bill.month_rows import PatternUse, declared_sizes
from pksk.model.cost.item_sizes import ItemSizes
from pksk.model.requests.batch import Batch
from pksk.model.requests.get import Get
from pksk.review.money import on_demand_text
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.loads import units_text
from pksk.review.source_lines import pattern_subject

_FACTOR = 4
_LEAST_SAVED_PER_SECOND = 10


@rule("batch-get-of-one-partition", "the rate of the batch (rate=), and an example with several items")
def batch_get_of_one_partition(design: Design) -> Iterator[Finding]:
    """A batch that reads many small items of one partition, where a query would cost a fraction.

    ## What it does

    Finds access patterns whose example call gets several items of one partition. If a query of as many items would cost
    less than a quarter, and save 10 read units a second or more, it says so.

    ## Why is this bad?

    DynamoDB rounds each item of a batch up to 4 KB, and the items of a query together: a hundred items of 200 bytes
    cost 50 read units in a batch, and 2.5 in a query.

    ## Example

        @access(rate=100, example={"day": date(2025, 1, 1), "hours": list(range(24))})
        @classmethod
        def some(cls, day: date, hours: list[int]) -> Batch["Count"]:
            return batch(*(cls.primary.get(day=day, hour=hour) for hour in hours))

    ## Use instead

    A query of the range that holds them, from which the program takes the items that it needs:

        return cls.primary(day=day, hour=between(min(hours), max(hours)))

    If few of the items in that range are needed, the batch is right: compare how many the query would read.
    """
    for use in design.uses:
        for request in use.requests:
            if isinstance(request, Batch):
                gets = [each for each in request.members if isinstance(each, Get)]
                if len(gets) > 1 and len(gets) == len(request.members) and _in_one_partition(gets):
                    yield from _check(design, use, gets)


def _in_one_partition(gets: Sequence[Get]) -> bool:
    table = gets[0].declaration.table
    keys = {repr([each.item_key[name] for name in table.primary.partition]) for each in gets}
    return len(keys) == 1 and len({each.table_name for each in gets}) == 1 and bool(table.primary.sort)


def _check(design: Design, use: PatternUse, gets: Sequence[Get]) -> Iterator[Finding]:
    declaration = gets[0].declaration
    declared = (
        use.pattern.options.item_size or declared_sizes(design.uses).get(declaration.entity, (None, ""))[0]
    )
    size = ItemSizes(declaration, declared).item
    if use.rate is None or size is None:
        return
    consistent, count = gets[0].consistent, use.pattern.options.items or len(gets)
    batch, query = (
        count * read_units(size, consistent=consistent),
        query_units(count * size, consistent=consistent),
    )
    if query * _FACTOR > batch or (batch - query) * use.rate < _LEAST_SAVED_PER_SECOND:
        return
    saved = on_demand_text(declaration.table, read=(batch - query) * use.rate)
    yield Finding(
        batch_get_of_one_partition.code,
        "info",
        pattern_subject(use.pattern),
        f"{count} items of one partition cost {batch:g} read units in a batch, and {query:g} in a query that reads no "
        "others.",
        (
            f"{size:,} bytes an item, {units_text(use.rate)} times a second",
            *([f"the difference is {saved}"] if saved else []),
        ),
        "query the range of the sort key that holds them, if most of the items in it are needed.",
        certain=False,
    )
