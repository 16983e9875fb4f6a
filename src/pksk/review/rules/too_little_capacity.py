"""The rule about tables and indexes with less capacity than their access patterns need."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from pksk.model.bill.index_charges import capacity_limit
from pksk.model.bill.month_rows import IndexMonth
from pksk.review.change import Change
from pksk.review.rule import Design, Finding, Severity, rule
from pksk.review.rules.changes import replace_in_table
from pksk.review.rules.loads import units_text
from pksk.review.source_lines import table_subject
from pksk.schema import GSI, Provisioned, Table

# The default quota of a table with its indexes, which AWS raises on request.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
TABLE_QUOTA = 40_000
_ACCOUNT_QUOTA = 80_000
# Peaks need a margin: AWS's own scaling aims at 70 % by default.
_TARGET_USE = 0.7


@rule("too-little-capacity", "the rates of calls (rate=)")
def too_little_capacity(design: Design) -> Iterator[Finding]:
    """A table or an index with less capacity than its access patterns need.

    ## What it does

    Adds up the units per second of all access patterns for each table and index, and compares them with the
    provisioned capacity, with the maximum that the design sets on demand, and with AWS's default quota of 40,000 units
    a second. It compares the provisioned capacity of all tables together with the quota of an account, 80,000 units.

    ## Why is this bad?

    DynamoDB throttles what exceeds the capacity. If the index is short of write capacity, it throttles the writes of
    the table, also those of items that are hardly ever read from the index.

    ## Example

        shop = Table("shop", billing=Provisioned(read=100, write=50))

    with access patterns that write 200 units a second.

    ## Use instead

    Provision the units that `pksk cost` prints, with a margin for peaks, or use on-demand billing. For more than 40,000
    units a second of a table, ask AWS to raise the quota before the launch.
    """
    tables = {table.name: table for table in design.tables}
    for row in design.bill.indexes:
        if row.used is not None:
            for side in ("read", "write"):
                yield from _check(tables[row.table], row, side, getattr(row.used, side))
    yield from _check_account(design)


def _check_account(design: Design) -> Iterator[Finding]:
    rows = [row for row in design.bill.indexes if row.provisioned is not None and not row.shared]
    tables = {table.name: table for table in design.tables}
    for side in ("read", "write"):
        total = sum(getattr(row.provisioned, side) for row in rows)
        if total > _ACCOUNT_QUOTA:
            largest = max(rows, key=lambda row: int(getattr(row.provisioned, side)))
            yield Finding(
                too_little_capacity.code,
                "warning",
                table_subject(tables[largest.table], largest.index),
                f"the tables and indexes together provision {total:,} {side} units, and AWS's default quota of an "
                f"account is {_ACCOUNT_QUOTA:,}.",
                (),
                "ask AWS to raise the quota before the launch, or use on-demand billing.",
            )


def _check(table: Table, row: IndexMonth, side: str, used: float) -> Iterator[Finding]:
    index = table.index(row.index)
    billing = table.billing_of(index) if isinstance(index, GSI) else table.billing
    most = capacity_limit(billing, side)
    used_text = f"its access patterns use {units_text(used)} {side} units a second"
    if most is not None and used > most:
        fix = "provision more, or use on-demand billing."
        option = side if isinstance(billing, Provisioned) else f"max_{side}"
        enough = f"{option}={_round_up(ceil(used / _TARGET_USE))}"
        change = replace_in_table(table, row.index, f"{option}={most}", enough)
        yield _finding(table, row, "error", f"{used_text}, and it has {most:,}.", fix, change)
    elif used > TABLE_QUOTA:
        fix = "ask AWS to raise the quota before the launch."
        yield _finding(
            table, row, "warning", f"{used_text}, and AWS's default quota is {TABLE_QUOTA:,}.", fix
        )


def _round_up(units: int) -> int:
    """A number of two digits and zeros."""
    step: int = 10 ** max(0, len(str(units)) - 2)
    return ceil(units / step) * step


def _finding(
    table: Table, row: IndexMonth, severity: Severity, problem: str, fix: str, change: Change | None = None
) -> Finding:
    subject = table_subject(table, row.index)
    return Finding(too_little_capacity.code, severity, subject, problem, (), fix, change=change)
