"""The command `pksk size`: the sizes and capacity units of items."""

from __future__ import annotations

import heapq
import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import IO, Any, NamedTuple, Self

import click

from pksk.capacity import read_units, write_units
from pksk.cli.commands import command
from pksk.cli.item_source import Form, ItemSource, item_sources, items_in
from pksk.cli.json_stream import JsonStream
from pksk.cli.output import as_json, json_option, print_pairs, print_table, reading_progress
from pksk.errors import FileError
from pksk.limits import ITEM_BYTES
from pksk.values import item_size


@command(
    "pksk size orders.jsonl",
    "pksk size export-1.json.gz export-2.json.gz --json",
    "pksk size --all - < orders.jsonl",
    """pksk size '{"pk": "CUST#1", "total": 12.50}'""",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True))
@click.option("--all", "keeps_all", is_flag=True, help="Show every item, instead of the 20 largest ones.")
@json_option
def size(files: tuple[str, ...], keeps_all: bool, wants_json: bool) -> None:
    """Size items and count their capacity units.

    FILE has one item, an array of items, or one item a line, in plain JSON or in the DynamoDB JSON of exports and the
    AWS command line, plain or with gzip. - is standard input, and {...} an item itself. Units are per item: strong,
    eventually consistent and transactional reads, then standard and transactional writes.
    """
    with Summary(keeps_all=keeps_all) as summary:
        _read_sources(item_sources(files), summary)
        (print_document if wants_json else print_report)(summary)


def _read_sources(sources: list[ItemSource], summary: Summary) -> None:
    for source in sources:
        source.check()
    sizes = [source.size_bytes for source in sources]
    total = None if None in sizes else sum(each or 0 for each in sizes)
    with reading_progress(total) as advance:
        read_bytes = 0
        for source, length in zip(sources, sizes, strict=True):
            _add_all(summary, source, partial(_advance, advance, read_bytes))
            read_bytes += length or 0


def _advance(advance: Callable[[int], None], before: int, read: int) -> None:
    advance(before + read)


def _add_all(summary: Summary, source: ItemSource, advance: Callable[[int], None]) -> None:
    number = 0
    for line, value in JsonStream(source.label, source.chunks(advance)):
        for form, item in items_in(value, f"{source.label}, line {line}"):
            number += 1
            summary.add(SizedItem(item_size(item), source.label, line, number, form))
    if not number:
        raise FileError(
            "file-empty",
            f"{source.label}: there is no item in it.",
            fix="check that the file is complete, and that it is the right one.",
        )


MAX_SHOWN = 20

_IN_MEMORY_BYTES = 1 << 23


class SizedItem(NamedTuple):
    """The size of one item, and its position in its file."""

    size_bytes: int
    source: str
    line: int
    number: int
    form: Form

    @property
    def too_large(self) -> bool:
        """Whether it is too large for DynamoDB."""
        return self.size_bytes > ITEM_BYTES


def _spool() -> IO[bytes]:
    return SpooledTemporaryFile(_IN_MEMORY_BYTES)


class Summary:
    """The totals of all items; memory does not grow with their number."""

    def __init__(self, *, keeps_all: bool) -> None:
        self.count = 0
        self.total_bytes = 0
        self.reads = self.writes = 0.0
        self.too_large = 0
        self.forms: Counter[Form] = Counter()
        self.sources: set[str] = set()
        self._first: list[SizedItem] = []
        self._largest: list[tuple[int, int, SizedItem]] = []
        self._all: IO[bytes] | None = _spool() if keeps_all else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._all is not None:
            self._all.close()

    def add(self, item: SizedItem) -> None:
        """Count an item."""
        self.count += 1
        self.total_bytes += item.size_bytes
        self.reads += read_units(item.size_bytes)
        self.writes += write_units(item.size_bytes)
        self.too_large += item.too_large
        self.forms[item.form] += 1
        self.sources.add(item.source)
        self._keep(item)

    def _keep(self, item: SizedItem) -> None:
        if self._all is not None:
            pickle.dump(tuple(item), self._all)
        if self.count <= MAX_SHOWN:
            self._first.append(item)
        entry = (item.size_bytes, -self.count, item)
        if len(self._largest) < MAX_SHOWN:
            heapq.heappush(self._largest, entry)
        elif entry > self._largest[0]:
            heapq.heapreplace(self._largest, entry)

    @property
    def average_bytes(self) -> float:
        """The average size."""
        return round(self.total_bytes / self.count, 1)

    @property
    def largest(self) -> SizedItem:
        """The first of the largest items."""
        return max(self._largest)[2]

    @property
    def shows_all(self) -> bool:
        """Whether `shown` yields every item."""
        return self._all is not None or self.count <= MAX_SHOWN

    def listed_items(self) -> Iterator[SizedItem]:
        """The items to show: all in their order, or the largest ones, largest first."""
        if self._all is not None:
            yield from self._read_back(self._all)
        elif self.shows_all:
            yield from self._first
        else:
            yield from (item for _, _, item in sorted(self._largest, reverse=True))

    def _read_back(self, file: IO[bytes]) -> Iterator[SizedItem]:
        file.seek(0)
        for _ in range(self.count):
            yield SizedItem(*pickle.load(file))  # our own bytes, written above


_UNITS = ("read", "eventual", "tx read", "write", "tx write")
_NUMBERS = range(1, 2 + len(_UNITS))


def print_report(summary: Summary) -> None:
    """Print a row for each item, and then the totals."""
    if not summary.shows_all:
        click.echo(f"The largest {MAX_SHOWN} of {summary.count:,} items (--all shows each):\n")
    _print_rows(summary)
    click.echo()
    print_pairs(_totals(summary))


def _print_rows(summary: Summary) -> None:
    headers = ["item", "bytes", *_UNITS, ""]
    several = len(summary.sources) > 1
    rows = (_item_row(item, several=several) for item in summary.listed_items())
    if summary.count <= 1000 or not summary.shows_all:
        print_table(headers, list(rows), right=_NUMBERS)
        return
    # Too many for memory: the largest item has the widest numbers, and the last column needs no width.
    widths = [
        max(map(len, pair)) for pair in zip(headers, _item_row(summary.largest, several=several), strict=True)
    ]
    widths[0] = 0
    for row in chain([headers], rows):
        name, *cells = row
        numbers = "  ".join(cell.rjust(width) for cell, width in zip(cells[:-1], widths[1:], strict=False))
        click.echo("  ".join(filter(None, (numbers, name, cells[-1]))))


def _item_row(item: SizedItem, *, several: bool) -> list[str]:
    note = f"{item.form}; above 400 KB, DynamoDB rejects it" if item.too_large else item.form
    mark = "! " if item.too_large else ""
    units = [_format_units(each) for each in (*_read_costs(item.size_bytes), *_write_costs(item.size_bytes))]
    return [_item_label(item, several=several), f"{item.size_bytes:,}", *units, f"{mark}{note}"]


def _item_label(item: SizedItem, *, several: bool) -> str:
    position = f"line {item.line}" if item.line == item.number else f"line {item.line}, item {item.number}"
    return f"{item.source}, {position}" if several else position


def _read_costs(size_bytes: int) -> tuple[float, float, float]:
    eventual = read_units(size_bytes, consistent=False)
    return read_units(size_bytes), eventual, read_units(size_bytes, transactional=True)


def _write_costs(size_bytes: int) -> tuple[float, float]:
    return write_units(size_bytes), write_units(size_bytes, transactional=True)


def _format_units(number: float) -> str:
    return f"{number:,.1f}".removesuffix(".0")


def _totals(summary: Summary) -> Iterator[tuple[str, str]]:
    forms = ", ".join(f"{count:,} {form}" for form, count in summary.forms.items())
    largest = summary.largest
    where = _item_label(largest, several=len(summary.sources) > 1)
    yield "items", f"{summary.count:,} ({forms})"
    yield "bytes", f"{summary.total_bytes:,} in all, {_format_units(summary.average_bytes)} on average"
    yield "largest", f"{largest.size_bytes:,} bytes ({where})"
    reads, writes = summary.reads, summary.writes
    strong, eventual, transactional = map(_format_units, (reads, reads / 2, reads * 2))
    yield "read units", f"{strong} strong, {eventual} eventual, {transactional} transactional, item by item"
    yield (
        "write units",
        f"{_format_units(writes)} standard, {_format_units(writes * 2)} transactional, item by item",
    )
    if summary.too_large:
        yield "too large", f"{summary.too_large:,} above 400 KB (409,600 bytes), which DynamoDB rejects"


def print_document(summary: Summary) -> None:
    """Print one JSON document, item by item."""
    click.echo('{\n  "items": [')
    for index, item in enumerate(summary.listed_items()):
        click.echo(
            ("    " if not index else ",\n    ") + as_json(_item_document(item), indent=None), nl=False
        )
    inner = as_json(_total_document(summary)).replace("\n", "\n  ")
    click.echo(f'\n  ],\n  "shows_all": {as_json(summary.shows_all)},\n  "total": {inner}\n}}')


def _item_document(item: SizedItem) -> dict[str, Any]:
    strong, eventual, transactional = _read_costs(item.size_bytes)
    standard, transactional_write = _write_costs(item.size_bytes)
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


def _total_document(summary: Summary) -> dict[str, Any]:
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
