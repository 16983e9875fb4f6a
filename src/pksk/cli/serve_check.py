"""Verifies a file of tables for `pksk serve --check`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from pksk.cli.database_file import refuse_missing
from pksk.cli.output import print_json
from pksk.engine.checking import FileReport, Progress, check_file

__all__ = ["check_database"]


def check_database(path: str, *, wants_json: bool) -> None:
    """Verify a file; exits with 1 where something in it is wrong."""
    if not os.path.lexists(path):
        refuse_missing(Path(path))
    with _spinner() as progress:
        report = check_file(path, progress)
    if wants_json:
        print_json(_document(report))
    else:
        click.echo(str(report))
    if not report.is_sound:
        raise click.exceptions.Exit(1)


def _document(report: FileReport) -> dict[str, object]:
    return {
        "file": report.path,
        "sound": report.is_sound,
        "verified": dict(report.counts),
        "problems": list(report.problems),
        "problems_found": report.found,
    }


@contextmanager
def _spinner() -> Iterator[Progress | None]:
    """What to tell of progress, on standard error and where a person looks."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("opening")
        yield lambda what, rows: bar.update(task, description=f"{what}: {rows:,} rows")
