"""The command `pksk size`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import click

from pksk.cli.commands import command
from pksk.cli.output import json_option
from pksk.cli.size.detect import items_in
from pksk.cli.size.json_stream import JsonStream
from pksk.cli.size.progress import progress
from pksk.cli.size.report import print_document, print_report
from pksk.cli.size.source import Source, sources
from pksk.cli.size.summary import SizedItem, Summary
from pksk.errors import FileProblem
from pksk.values import item_size

__all__ = ["size"]


@command(
    "pksk size orders.jsonl",
    "pksk size export-1.json.gz export-2.json.gz --json",
    "pksk size --all - < orders.jsonl",
    """pksk size '{"pk": "CUST#1", "total": 12.50}'""",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True))
@click.option(
    "--all", "keeps_all", is_flag=True, help="Show every item, and not only the largest 20 of many."
)
@json_option
def size(files: tuple[str, ...], keeps_all: bool, wants_json: bool) -> None:
    """Size items and count their capacity units.

    FILE holds one item, an array of items, or one item a line, in plain JSON or in DynamoDB JSON as exports and the
    AWS command line write it; gzip is unpacked. - is standard input, and {...} an item itself. Units are per item:
    strong, eventually consistent and transactional reads, then standard and transactional writes.
    """
    with Summary(keeps_all=keeps_all) as summary:
        _read(sources(files), summary)
        (print_document if wants_json else print_report)(summary)


def _read(found: list[Source], summary: Summary) -> None:
    for source in found:
        source.check()
    sizes = [source.size_bytes for source in found]
    total = None if None in sizes else sum(each or 0 for each in sizes)
    with progress(total) as advance:
        done = 0
        for source, length in zip(found, sizes, strict=True):
            _add_all(summary, source, partial(_advance, advance, done))
            done += length or 0


def _advance(advance: Callable[[int], None], before: int, read: int) -> None:
    advance(before + read)


def _add_all(summary: Summary, source: Source, advance: Callable[[int], None]) -> None:
    number = 0
    for line, value in JsonStream(source.label, source.chunks(advance)):
        for form, item in items_in(value, f"{source.label}, line {line}"):
            number += 1
            summary.add(SizedItem(item_size(item), source.label, line, number, form))
    if not number:
        raise FileProblem(
            "file-empty",
            f"{source.label}: there is no item in it.",
            fix="check that the file was written to its end, and that it is the right one.",
        )
