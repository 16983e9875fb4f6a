"""Prints: tables, colour and progress on a terminal, plain columns in a pipe, JSON on request."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pksk.transfer.progress import OnProgress, Progress


json_option = click.option("--json", "wants_json", is_flag=True, help="Print one JSON document.")


def on_terminal() -> bool:
    """Whether the output goes to a terminal and the user wants colour."""
    quiet = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout is not None and sys.stdout.isatty() and not quiet


def as_json(document: object, indent: int | None = 2) -> str:
    """A document as JSON; escapes characters that a terminal would obey, or that standard output cannot encode."""
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    is_plain = text.replace("\n", "").isprintable() and _fits(text)
    return text if is_plain else json.dumps(document, indent=indent)


def print_json(document: object) -> None:
    """Print one JSON document."""
    click.echo(as_json(document))


def escape_unencodable() -> None:
    """Let standard output write an escape for each character that its encoding lacks, instead of failing."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _fits(text: str) -> bool:
    """Whether the encoding of standard output has all these characters."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def print_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names and values, one pair a line."""
    rows = list(pairs)
    if not on_terminal():
        _print_lines(align_columns(rows))
        return
    from pksk.cli.rich_output import draw_pairs

    draw_pairs(rows)


def print_table(headers: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """Print a table; the columns in `right` are aligned to the right."""
    if not on_terminal():
        _print_lines(align_columns([headers, *rows], right=right))
        return
    from pksk.cli.rich_output import draw_table

    draw_table(headers, rows, right)


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


def align_columns(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), indent: str = "") -> list[str]:
    """Lines with the cells of each column one below the other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = (
        "  ".join(
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return [f"{indent}{line}".rstrip() for line in aligned]


def format_count(value: float, thing: str) -> str:
    """A number of things, with a plural."""
    text = format_number(value)
    return f"{text} {thing}" if text == "1" else f"{text} {thing}s"


def format_number(value: float) -> str:
    """A number without trailing zeros.

    Example:
        >>> format_number(12000.0), format_number(0.5), format_number(1 / 3)
        ('12,000', '0.5', '0.33')
    """
    if value and abs(value) < 0.01:
        return f"{value:.2g}"
    return f"{value:,.2f}".rstrip("0").rstrip(".")


@contextmanager
def _bar(columns: Callable[[Any], tuple[Any, ...]]) -> Iterator[Any]:
    """A bar with these columns of `rich.progress`; None unless standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    from pksk.cli.rich_output import draw_progress

    with draw_progress(columns) as bar:
        yield bar


@contextmanager
def transfer_progress() -> Iterator[OnProgress]:
    """A callback that shows the progress of an export or import; it does nothing in a pipe."""
    with _bar(
        lambda rich: (
            "{task.description}",
            rich.BarColumn(),
            rich.TaskProgressColumn(),
            rich.TimeRemainingColumn(),
        )
    ) as bar:
        tasks: dict[str, Any] = {}

        def show(progress: Progress) -> None:
            if progress.step not in tasks:
                tasks[progress.step] = bar.add_task(progress.step)
            bar.update(tasks[progress.step], completed=progress.done, total=max(1, progress.total))

        yield show if bar else lambda _progress: None


_WORTH_A_BAR_BYTES = 1 << 24


@contextmanager
def reading_progress(total_bytes: int | None) -> Iterator[Callable[[int], None]]:
    """A callback for the number of bytes read so far; None is an unknown total."""
    if total_bytes is not None and total_bytes < _WORTH_A_BAR_BYTES:
        yield lambda _read: None
        return
    with _bar(lambda rich: (rich.BarColumn(), rich.DownloadColumn(), rich.TimeRemainingColumn())) as bar:
        task = bar.add_task("", total=total_bytes) if bar else None
        yield (lambda read: bar.update(task, completed=read)) if bar else lambda _read: None


@contextmanager
def checking_progress() -> Iterator[Callable[[str, int], None] | None]:
    """A callback for what `serve --check` verifies and its number of rows; None in a pipe."""
    with _bar(lambda rich: (rich.SpinnerColumn(), "{task.description}", rich.TimeElapsedColumn())) as bar:
        task = bar.add_task("opening") if bar else None
        yield (lambda what, rows: bar.update(task, description=f"{what}: {rows:,} rows")) if bar else None
