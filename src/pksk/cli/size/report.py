"""Prints what items come to: a table and its totals, or one JSON document."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import click

from pksk.capacity import read_units, write_units
from pksk.cli.output import as_json, print_pairs, print_table
from pksk.cli.size.summary import MOST_SHOWN, SizedItem, Summary

__all__ = ["print_document", "print_report"]

_UNITS = ("read", "eventual", "tx read", "write", "tx write")
_NUMBERS = range(1, 2 + len(_UNITS))


def print_report(summary: Summary) -> None:
    """Print a row for each item that is shown, and then what they all come to."""
    if not summary.shows_all:
        click.echo(f"The largest {MOST_SHOWN} of {summary.count:,} items (--all shows each):\n")
    _print_rows(summary)
    click.echo()
    print_pairs(_totals(summary))


def _print_rows(summary: Summary) -> None:
    headers = ["item", "bytes", *_UNITS, ""]
    several = len(summary.sources) > 1
    rows = (_row(item, several=several) for item in summary.shown())
    if summary.count <= 1000 or not summary.shows_all:
        print_table(headers, list(rows), right=_NUMBERS)
        return
    # Too many to hold: the largest item gives every number its width, and the last column needs none.
    widths = [
        max(map(len, pair)) for pair in zip(headers, _row(summary.largest, several=several), strict=True)
    ]
    widths[0] = 0
    for row in chain([headers], rows):
        name, *cells = row
        numbers = "  ".join(cell.rjust(width) for cell, width in zip(cells[:-1], widths[1:], strict=False))
        click.echo("  ".join(filter(None, (numbers, name, cells[-1]))))


def _row(item: SizedItem, *, several: bool) -> list[str]:
    note = f"{item.form}; above 400 KB, DynamoDB refuses it" if item.too_large else item.form
    mark = "! " if item.too_large else ""
    units = [_short(each) for each in (*_reads(item.size_bytes), *_writes(item.size_bytes))]
    return [_name(item, several=several), f"{item.size_bytes:,}", *units, f"{mark}{note}"]


def _name(item: SizedItem, *, several: bool) -> str:
    place = f"line {item.line}" if item.line == item.number else f"line {item.line}, item {item.number}"
    return f"{item.source}, {place}" if several else place


def _reads(size_bytes: int) -> tuple[float, float, float]:
    eventual = read_units(size_bytes, consistent=False)
    return read_units(size_bytes), eventual, read_units(size_bytes, transactional=True)


def _writes(size_bytes: int) -> tuple[float, float]:
    return write_units(size_bytes), write_units(size_bytes, transactional=True)


def _short(number: float) -> str:
    return f"{number:,.1f}".removesuffix(".0")


def _totals(summary: Summary) -> Iterator[tuple[str, str]]:
    forms = ", ".join(f"{count:,} {form}" for form, count in summary.forms.items())
    largest = summary.largest
    where = _name(largest, several=len(summary.sources) > 1)
    yield "items", f"{summary.count:,} ({forms})"
    yield "bytes", f"{summary.total_bytes:,} in all, {_short(summary.average_bytes)} on average"
    yield "largest", f"{largest.size_bytes:,} bytes ({where})"
    reads, writes = summary.reads, summary.writes
    strong, eventual, transactional = map(_short, (reads, reads / 2, reads * 2))
    yield "read units", f"{strong} strong, {eventual} eventual, {transactional} transactional, item by item"
    yield "write units", f"{_short(writes)} standard, {_short(writes * 2)} transactional, item by item"
    if summary.too_large:
        yield "too large", f"{summary.too_large:,} above 400 KB (409,600 bytes), which DynamoDB refuses"


def print_document(summary: Summary) -> None:
    """Print one JSON document; items are written one by one, however many there are."""
    click.echo('{\n  "items": [')
    for index, item in enumerate(summary.shown()):
        click.echo(("    " if not index else ",\n    ") + as_json(_item(item), indent=None), nl=False)
    inner = as_json(_total(summary)).replace("\n", "\n  ")
    click.echo(f'\n  ],\n  "shows_all": {as_json(summary.shows_all)},\n  "total": {inner}\n}}')


def _item(item: SizedItem) -> dict[str, Any]:
    strong, eventual, transactional = _reads(item.size_bytes)
    standard, transactional_write = _writes(item.size_bytes)
    return {
        "source": item.source,
        "line": item.line,
        "item": item.number,
        "form": item.form,
        "bytes": item.size_bytes,
        "read_units": {"strong": strong, "eventual": eventual, "transactional": transactional},
        "write_units": {"standard": standard, "transactional": transactional_write},
        "too_large": item.too_large,
    }


def _total(summary: Summary) -> dict[str, Any]:
    reads, writes = summary.reads, summary.writes
    return {
        "items": summary.count,
        "forms": dict(summary.forms),
        "bytes": summary.total_bytes,
        "average_bytes": summary.average_bytes,
        "largest_bytes": summary.largest.size_bytes,
        "read_units": {"strong": reads, "eventual": reads / 2, "transactional": reads * 2},
        "write_units": {"standard": writes, "transactional": writes * 2},
        "too_large": summary.too_large,
    }
