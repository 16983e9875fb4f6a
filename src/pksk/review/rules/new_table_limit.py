"""The rule about loads that a new table cannot serve at once."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.bill.key_loads import units_text
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.too_little_capacity import TABLE_QUOTA
from pksk.review.source_lines import table_subject
from pksk.schema import GSI, OnDemand

# What a new table or global index on demand serves before it has grown.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html
_FIRST_UNITS = {"read": 12_000, "write": 4_000}


@rule("new-table-limit", "the rates of calls (rate=)")
def new_table_limit(design: Design) -> Iterator[Finding]:
    """A load that a new table on demand cannot serve at once.

    ## What it does

    Adds up the units per second of all access patterns for each table and global index on demand, and compares them
    with what a new one serves: 4,000 write and 12,000 read units.

    ## Why is this bad?

    On demand, DynamoDB serves twice the highest load that a table has seen, and a new one begins with four partitions.
    A launch, or the import of a large file into a new table, is throttled until it has grown, which takes minutes for
    each doubling. A table that has served the load before is not affected.

    ## Example

        events = Table("events")  # 10,000 writes a second from the first minute on

    ## Use instead

    Set warm throughput before the launch (`aws dynamodb update-table --warm-throughput ...`), which costs once, or let
    the load grow over half an hour. A new index needs it as well.
    """
    tables = {table.name: table for table in design.tables}
    for row in design.bill.indexes:
        table = tables[row.table]
        index = table.index(row.index)
        billing = table.billing_of(index) if isinstance(index, GSI) else table.billing
        if row.used is None or not isinstance(billing, OnDemand):
            continue
        used = {side: getattr(row.used, side) for side in _FIRST_UNITS}
        # Above the quota, too-little-capacity says so.
        exceeded = [side for side, first in _FIRST_UNITS.items() if first < used[side] <= TABLE_QUOTA]
        if exceeded:
            units = " and ".join(f"{units_text(used[side])} {side} units" for side in exceeded)
            yield Finding(
                new_table_limit.code,
                "info",
                table_subject(table, row.index),
                f"its access patterns use {units} a second, and a new one serves "
                f"{' and '.join(f'{_FIRST_UNITS[side]:,}' for side in exceeded)}.",
                (),
                f"set warm throughput of {units} before the launch.",
                certain=False,
            )
