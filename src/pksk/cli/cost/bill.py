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
            ("A month", _bounded(str(bill.total), bool(bill.missing))),
            ("Prices", f"{bill.region}, as of {bill.prices.as_of}, 730 hours a month, without free tier"),
            *_recovery(bill),
            *_capacity(bill),
        ]
    )
    _list("Missing, and not counted:", bill.missing)
    _list("Note:", bill.notes)
    _list("Stored items are assumed to be:", bill.assumptions)


def _pattern(row: PatternMonth) -> list[str]:
    rate = _UNKNOWN if row.calls_per_second is None else number(row.calls_per_second)
    units = str(row.estimate) if row.estimate.cost is not None else _UNKNOWN
    return [row.name, rate, units, _pattern_month(row)]


def _pattern_month(row: PatternMonth) -> str:
    parts = [str(row.money)] if row.money is not None else []
    parts += ["provisioned"] if row.provisioned else []
    return _bounded(" and ".join(parts), bool(row.missing)) if parts else _UNKNOWN


def _arm(row: ArmMonth) -> list[str]:
    requests = "with the table" if row.shared else str(row.requests) if row.requests else None
    return [
        row.name,
        _figure(row, "read_per_second", None if row.read_per_second is None else number(row.read_per_second)),
        _written(row),
        _figure(row, "requests", requests),
        _figure(row, "stored_bytes", None if row.stored.size is None else _size(row.stored.size)),
        _figure(row, "storage", str(row.storage) if row.storage else None),
    ]


def _written(row: ArmMonth) -> str:
    """Units of writes, or bytes where a vector index has no units."""
    if row.written_per_second is not None:
        size = _size(row.written_per_second)
        unknown = not row.written_per_second and "written_per_second" in row.at_least
        return _figure(row, "written_per_second", None if unknown else size)
    units = row.write_per_second
    return _figure(row, "write_per_second", None if units is None else number(units))


def _figure(row: ArmMonth, name: str, shown: str | None) -> str:
    return _UNKNOWN if shown is None else _bounded(shown, name in row.at_least)


def _bounded(shown: str, at_least: bool) -> str:
    return f"at least {shown}" if at_least else shown


def _size(size: float) -> str:
    """Bytes in the largest unit that leaves a number above one.

    Example:
        >>> _size(1536), _size(0)
        ('1.5 KB', '0 B')
    """
    amount, unit = float(size), "B"
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if amount < 1024 or unit == "TB":
            break
        amount /= 1024
    return f"{number(round(amount, 1))} {unit}"


def _recovery(bill: Month) -> list[tuple[str, str]]:
    """What continuous backups would add, where it is known."""
    tables = [each for each in bill.arms if each.index is None and each.stored.size is not None]
    if not tables:
        return []
    known = [each.recovery for each in tables if each.recovery is not None]
    partly = len(known) < len(tables) or any("stored_bytes" in each.at_least for each in tables)
    total = _bounded(str(sum(known[1:], known[0])), partly) if known else _UNKNOWN
    why = "" if known else ", whose price is not known"
    return [("Recovery", f"{total} more with point-in-time recovery turned on{why}")]


def _capacity(bill: Month) -> list[tuple[str, str]]:
    """How much of what is provisioned the patterns use."""
    return [
        (
            "Provisioned",
            f"{arm.name}: {_used(bill, arm, 'read')} of {arm.provisioned.read:,} reads and "
            f"{_used(bill, arm, 'write')} of {arm.provisioned.write:,} writes a second are used",
        )
        for arm in bill.arms
        if arm.provisioned is not None
    ]


def _used(bill: Month, arm: ArmMonth, side: str) -> str:
    used: float = getattr(arm.used, side)
    # A local index uses the capacity of its table.
    users = [
        each for each in bill.arms if each is arm or (each.shared and each.name.startswith(f"{arm.name}/"))
    ]
    unknown = any(f"{side}_per_second" in each.at_least for each in users)
    return _UNKNOWN if unknown and not used else _bounded(number(used), unknown)


def _list(title: str, lines: Sequence[str]) -> None:
    if lines:
        click.echo(f"\n{title}")
        for line in lines:
            click.echo(f"  {line}")
