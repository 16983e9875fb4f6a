"""Prints the monthly bill of a design."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from pksk.cli.design.patterns import number
from pksk.cli.output import print_pairs, print_table

if TYPE_CHECKING:
    from pksk.model.cost.month import ArmMonth, Month, PatternMonth

__all__ = ["print_bill"]

_UNKNOWN = "?"


def print_bill(bill: Month) -> None:
    """Print patterns, tables and indexes, the total, and what is missing from it."""
    if bill.patterns:
        headers = ["Access pattern", "Calls a second", "Units a call", "A month, on demand"]
        print_table(headers, [_pattern(each) for each in bill.patterns], right=[1, 3])
        click.echo()
    headers = ["Table or index", "Reads a second", "Writes a second", "Requests", "Stored", "Storage"]
    print_table(headers, [_arm(each) for each in bill.arms], right=[1, 2, 3, 4, 5])
    click.echo()
    print_pairs(
        [
            ("A month", f"{bill.total}{' and what is missing below' if bill.missing else ''}"),
            ("Prices", f"{bill.region}, as of {bill.prices.as_of}, 730 hours a month, without free tier"),
            *_recovery(bill),
            *_capacity(bill),
        ]
    )
    _list("Missing, and not counted:", bill.missing)
    _list("Stored items are assumed to be:", bill.assumptions)


def _pattern(row: PatternMonth) -> list[str]:
    rate = _UNKNOWN if row.calls_per_second is None else number(row.calls_per_second)
    units = str(row.estimate.cost) if row.estimate.cost is not None else _UNKNOWN
    return [row.name, rate, units, str(row.money) if row.money else _UNKNOWN]


def _arm(row: ArmMonth) -> list[str]:
    return [
        f"{row.table}/{row.index}" if row.index else row.table,
        number(row.read_per_second),
        number(row.write_per_second),
        str(row.requests),
        _size(row.stored.size),
        str(row.storage) if row.storage else _UNKNOWN,
    ]


def _size(size: int | None) -> str:
    """Bytes in the largest unit that leaves a number above one.

    Example:
        >>> _size(1536), _size(None)
        ('1.5 KB', '?')
    """
    if size is None:
        return _UNKNOWN
    amount, unit = float(size), "B"
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if amount < 1024 or unit == "TB":
            break
        amount /= 1024
    return f"{number(round(amount, 1))} {unit}"


def _recovery(bill: Month) -> list[tuple[str, str]]:
    """What continuous backups would add, where it is known."""
    known = [each.recovery for each in bill.arms if each.recovery is not None and each.index is None]
    if not known:
        return []
    total = known[0]
    for each in known[1:]:
        total += each
    return [("Recovery", f"{total} more with point-in-time recovery turned on")]


def _capacity(bill: Month) -> list[tuple[str, str]]:
    """How much of what is provisioned the patterns use."""
    return [
        (
            "Provisioned",
            f"{arm.table}{'/' + arm.index if arm.index else ''}: {number(arm.read_per_second)} of "
            f"{arm.provisioned.read} reads and {number(arm.write_per_second)} of {arm.provisioned.write} writes "
            "a second are used",
        )
        for arm in bill.arms
        if arm.provisioned is not None
    ]


def _list(title: str, lines: Sequence[str]) -> None:
    if lines:
        click.echo(f"\n{title}")
        for line in lines:
            click.echo(f"  {line}")
