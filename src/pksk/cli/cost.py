"""The command `pksk cost`: what a design costs in a month."""

from __future__ import annotations

from collections.abc import Sequence

import click

from pksk.capacity import Prices
from pksk.cli.commands import command, complete_file
from pksk.cli.output import format_count, format_number, json_option, print_json, print_pairs, print_table
from pksk.cli.target import load
from pksk.model.bill.key_loads import MUCH_HEADROOM, cannot_be_served, load_text
from pksk.model.bill.month import Month, month
from pksk.model.bill.month_rows import IndexMonth, PatternMonth


@command(
    "pksk cost shop/shop.py",
    "pksk cost shop/shop.py --region ap-northeast-2",
    "pksk cost shop/shop.py --json",
)
@click.argument("target", shell_complete=complete_file)
@click.option("--region", default="us-east-1", show_default=True, help="The region whose prices apply.")
@click.option(
    "--prices",
    metavar="FILE",
    shell_complete=complete_file,
    help="A price file, for other regions than the built-in one has.",
)
@json_option
def cost(target: str, region: str, prices: str | None, wants_json: bool) -> None:
    """Print what a design costs in a month.

    There is a line for each access pattern, for each table and index, and for the total. The figures are estimates
    from the rates, counts and sizes that the design declares; what it does not declare is listed as missing, and not
    counted. TARGET is a module, a file or a package folder.
    """
    price_list = Prices.load(prices)
    design_target = load(target)
    with design_target.importable():
        bill = month(design_target.tables, price_list, region)
    if wants_json:
        print_json(bill.data())
    else:
        print_bill(bill)


_UNKNOWN = "?"


def print_bill(bill: Month) -> None:
    """Print patterns, tables and indexes, the total, and what is missing from it."""
    if bill.patterns:
        headers = ["Access pattern", "Rate", "Units a call", "A month, on demand"]
        print_table(headers, [_pattern_row(each) for each in bill.patterns], right=[1, 3])
        click.echo()
    headers = ["Table or index", "Reads a second", "Writes a second", "Requests", "Stored", "Storage"]
    print_table(headers, [_index_row(each) for each in bill.indexes], right=[1, 2, 3, 4, 5])
    click.echo()
    print_pairs(
        [
            ("A month", _at_least(str(bill.total), bool(bill.missing))),
            ("Prices", f"{bill.region}, as of {bill.as_of}, 730 hours a month, without free tier"),
            *_recovery(bill),
            *_capacity(bill),
        ]
    )
    _print_loads(bill)
    _print_list("Missing, and not counted:", bill.missing)
    _print_list("Note:", bill.notes)
    _print_list("Stored items are assumed to be:", bill.assumptions)


def _pattern_row(row: PatternMonth) -> list[str]:
    units = str(row.estimate) if row.estimate.cost is not None else _UNKNOWN
    return [row.name, row.rate or _UNKNOWN, units, _pattern_month(row)]


def _pattern_month(row: PatternMonth) -> str:
    parts = [str(row.money)] if row.money is not None else []
    parts += ["provisioned"] if row.provisioned else []
    return _at_least(" and ".join(parts), bool(row.missing)) if parts else _UNKNOWN


def _index_row(row: IndexMonth) -> list[str]:
    requests = "with the table" if row.shared else str(row.requests) if row.requests else None
    return [
        row.name,
        _figure(
            row,
            "read_per_second",
            None if row.read_per_second is None else format_number(row.read_per_second),
        ),
        _write_rate(row),
        _figure(row, "requests", requests),
        _figure(row, "stored_bytes", None if row.stored.size is None else _format_size(row.stored.size)),
        _figure(row, "storage", str(row.storage) if row.storage else None),
    ]


def _write_rate(row: IndexMonth) -> str:
    """Write units, or the bytes of a vector index, which has no units."""
    if row.written_per_second is not None:
        size = _format_size(row.written_per_second)
        unknown = not row.written_per_second and "written_per_second" in row.at_least
        return _figure(row, "written_per_second", None if unknown else size)
    units = row.write_per_second
    return _figure(row, "write_per_second", None if units is None else format_number(units))


def _figure(row: IndexMonth, name: str, text: str | None) -> str:
    return _UNKNOWN if text is None else _at_least(text, name in row.at_least)


def _at_least(text: str, at_least: bool) -> str:
    return f"at least {text}" if at_least else text


def _format_size(size: float) -> str:
    """Bytes in the largest unit that gives a number above one."""
    amount, unit = float(size), "B"
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if amount < 1024 or unit == "TB":
            break
        amount /= 1024
    return f"{format_number(round(amount, 1))} {unit}"


def _recovery(bill: Month) -> list[tuple[str, str]]:
    """What point-in-time recovery would add."""
    tables = [each for each in bill.indexes if each.index is None and each.stored.size is not None]
    if not tables:
        return []
    recoveries = [each.recovery for each in tables if each.recovery is not None]
    is_partial = len(recoveries) < len(tables) or any("stored_bytes" in each.at_least for each in tables)
    total = _at_least(str(sum(recoveries[1:], recoveries[0])), is_partial) if recoveries else _UNKNOWN
    why = "" if recoveries else ", whose price is not known"
    return [("Recovery", f"{total} more with point-in-time recovery turned on{why}")]


def _capacity(bill: Month) -> list[tuple[str, str]]:
    """How much of the provisioned capacity the patterns use."""
    return [
        (
            "Provisioned",
            f"{arm.name}: {_used_units(bill, arm, 'read')} of {arm.provisioned.read:,} reads and "
            f"{_used_units(bill, arm, 'write')} of {arm.provisioned.write:,} writes a second are used",
        )
        for arm in bill.indexes
        if arm.provisioned is not None
    ]


def _used_units(bill: Month, arm: IndexMonth, side: str) -> str:
    used: float = getattr(arm.used, side)
    # A local index uses the capacity of its table.
    users = [
        each for each in bill.indexes if each is arm or (each.shared and each.name.startswith(f"{arm.name}/"))
    ]
    unknown = any(f"{side}_per_second" in each.at_least for each in users)
    return _UNKNOWN if unknown and not used else _at_least(format_number(used), unknown)


def _print_loads(bill: Month) -> None:
    """Print what the busiest key of each access pattern receives and serves, the fullest first."""
    known = sorted((each for each in bill.loads if each.is_known), key=lambda each: each.load.least_headroom)
    busy = [each for each in known if each.load.least_headroom < MUCH_HEADROOM]
    _print_list("Busiest keys:", [f"{each.pattern.name}: {load_text(each)}" for each in busy])
    if len(busy) < len(known):
        loads = format_count(len(known) - len(busy), "load")
        click.echo(f"\n{loads} of a busiest key can grow {MUCH_HEADROOM} times or more.")
    _print_list("Cannot be served:", list(cannot_be_served(bill.loads)))


def _print_list(title: str, lines: Sequence[str]) -> None:
    if lines:
        click.echo(f"\n{title}")
        for line in lines:
            click.echo(f"  {line}")
