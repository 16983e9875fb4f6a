"""The commands `pksk counts ...`: cells whose counts are compared with what is in them."""

from __future__ import annotations

from typing import Any

import click

from pksk.cli.commands import Group, complete_file
from pksk.cli.output import json_option, print_json
from pksk.cli.stores import connect_existing, on_option
from pksk.cli.target import load
from pksk.errors import FileError, quote
from pksk.geo import CellCounts, CountReport, Difference


@click.group(cls=Group, examples=("pksk counts verify cells.py", "pksk counts verify cells.py --repair"))
def counts() -> None:
    """Compare counts in cells of a map with what is in them."""


@counts.command(
    examples=(
        "pksk counts verify cells.py",
        "pksk counts verify cells.py --on heat.db --json",
        "pksk counts verify cells.py --on heat.db --repair",
    )
)
@click.argument("design", metavar="TARGET", shell_complete=complete_file)
@on_option
@click.option("--repair", is_flag=True, help="Compute the cells that differ, and those around them.")
@json_option
@click.pass_context
def verify(ctx: click.Context, design: str, target: str | None, *, repair: bool, wants_json: bool) -> None:
    """Compare every computed cell with its children or the items in it.

    TARGET is a module or file with counts at its top, such as counts = CellCounts(Cell, add="reports"). Their tables
    are scanned. The exit code is 1 if cells differ; with --repair, they are computed, and it is 0.
    """
    declared = _declared(design)
    with connect_existing(target) as db:
        reports = [(each, each.repair(db) if repair else each.verify(db)) for each in declared]
    if wants_json:
        print_json({"counts": [_data(each, report) for each, report in reports]})
    else:
        for each, report in reports:
            _print(each, report)
    if not repair and not all(report.is_correct for _, report in reports):
        ctx.exit(1)


def _declared(design: str) -> list[CellCounts]:
    found = [each for each in vars(load(design).module).values() if isinstance(each, CellCounts)]
    if not found:
        raise FileError(
            "counts-target",
            f"there are no counts in {quote(design)}.",
            expected='Counts are declared at the top of a module: counts = CellCounts(Cell, add="reports").',
            fix="name the module that has them.",
        )
    return list({id(each): each for each in found}.values())


def _print(counts: CellCounts, report: CountReport) -> None:
    click.echo(f"{counts.entity.__name__}: {report}")
    for each in report.differences:
        click.echo(f"  {each}")
    more = report.missing + report.wrong + report.extra - len(report.differences)
    if more:
        click.echo(f"  and {more:,} more")


def _data(counts: CellCounts, report: CountReport) -> dict[str, Any]:
    return {
        "entity": counts.entity.__name__,
        "cells": report.cells,
        "missing": report.missing,
        "wrong": report.wrong,
        "extra": report.extra,
        "written": report.written,
        "differences": [_difference(each) for each in report.differences],
    }


def _difference(each: Difference) -> dict[str, Any]:
    stored = None if each.stored is None else _texts(each.stored)
    return {
        "kind": each.kind,
        "cell": each.cell,
        "scope": _texts(each.scope),
        "stored": stored,
        "expected": _texts(each.expected),
    }


def _texts(values: Any) -> dict[str, Any]:
    """Values as JSON has them; text of what it has not."""
    plain = (int, float, str, type(None))
    return {name: value if isinstance(value, plain) else str(value) for name, value in values.items()}
