"""Prints a tour step by step: in colour on a terminal, plain in a pipe, or as one JSON document."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

import click

from pksk.capacity import Cost
from pksk.cli.output import on_terminal, print_json, print_table

from .step import Step

# Longer requests are cut.
_LONGEST = 160
_NUMBER = re.compile(r"-?(\d{1,3}(,\d{3})*|\d+)(\.\d+)?(e[+-]\d+)?")


class Printed:
    """Prints the events of a tour as they happen."""

    def __init__(self) -> None:
        self._bar = _bar()
        self._task: Any = None

    def section(self, title: str) -> None:
        """Print the title of a part."""
        click.echo()
        print_text(title, bold=True)

    def step(self, step: Step) -> None:
        """Print what a step did, with which requests, and what it cost."""
        click.echo()
        patterns = ", ".join(step.patterns)
        if patterns and len(step.title) + len(patterns) + 2 <= _width():
            click.echo(f"{_styled(step.title, fg='cyan')}  {_styled(patterns, dim=True)}")
        else:
            print_text(step.title, fg="cyan")
            print_text(patterns, "  ", dim=True)
        for line in step.plan:
            print_text(line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "...", "  ")
        for line in _result_lines(step):
            click.echo(line)
        for problem in step.problems:
            print_text(f"WRONG: {problem}", "  ", fg="red")

    def note(self, text: str) -> None:
        """Print a remark."""
        click.echo()
        for line in text.splitlines():
            print_text(line)

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> None:
        """Print figures."""
        click.echo()
        print_table(headers, rows, right=right)

    def progress(self, what: str, count: int, total: int) -> None:
        """Move the progress bar; a pipe has none."""
        if self._bar is None:
            return
        if self._task is None:
            self._bar.start()
            self._task = self._bar.add_task(what)
            # The bar hides the cursor, so it must be stopped however the command ends.
            if context := click.get_current_context(silent=True):
                context.call_on_close(self._bar.stop)
        self._bar.update(self._task, completed=count, total=max(total, count))

    def stop_progress(self) -> None:
        """Remove the progress bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar, self._task = _bar(), None

    def filled(self, what: str, count: int) -> None:
        """Print how many items were stored."""
        self.stop_progress()
        click.echo(f"{count:,} {what}")


class Document:
    """Collects the events of a tour for one JSON document."""

    def __init__(self) -> None:
        self.parts: list[dict[str, Any]] = []

    def section(self, title: str) -> None:
        """Collect the title of a part."""
        self.parts.append({"section": title})

    def step(self, step: Step) -> None:
        """Collect a step."""
        self.parts.append(step.data())

    def note(self, text: str) -> None:
        """Collect a remark."""
        self.parts.append({"note": text})

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> None:
        """Collect figures."""
        self.parts.append({"table": table_data(headers, rows, right)})

    def progress(self, what: str, count: int, total: int) -> None:
        """A document shows no progress."""

    def filled(self, what: str, count: int) -> None:
        """Collect how many items were stored."""
        self.parts.append({"stored": count, "what": what})

    def show(self) -> None:
        """Print all of it."""
        print_json(self.parts)


def table_data(
    headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]
) -> list[dict[str, Any]]:
    """A table as one object per row; cells of the columns in `right` become numbers where they show one."""
    figures = (
        [_number(cell) if column in right else cell for column, cell in enumerate(row)] for row in rows
    )
    return [dict(zip(headers, row, strict=True)) for row in figures]


def print_text(
    text: str, indent: str = "", *, hanging: str = "  ", width: int = sys.maxsize, **style: Any
) -> None:
    """Print a text, wrapped where it is wider than the terminal or than `width`."""
    width = min(width, _width())
    if len(indent) + len(text) <= width:
        lines = [text] if text else []
    else:
        lines = wrap(text, width - len(indent), subsequent_indent=hanging, break_on_hyphens=False)
    for line in lines:
        click.echo(f"{indent}{_styled(line, **style)}")


def _result_lines(step: Step) -> Iterator[str]:
    """The answer and the three costs: in columns, or in several lines on a narrow terminal."""
    costs = (("estimated", step.estimated), ("priced", step.priced), ("consumed", step.consumed))
    figures = [f"{name} {_units(cost)}" for name, cost in costs]
    columns = f"{step.answer:<22}  " + "  ".join(
        each.ljust(len(name) + 17) for each, (name, _) in zip(figures, costs, strict=True)
    )
    line = columns.rstrip()
    if len(line) + 2 <= _width():
        yield f"  {line}"
        return
    yield from wrap(step.answer, _width(), initial_indent="  ", subsequent_indent="    ")
    yield from (f"    {each}" for each in figures)


def _number(cell: str) -> int | float | str:
    """The number in a cell, or its text."""
    if not _NUMBER.fullmatch(cell):
        return cell
    plain = cell.replace(",", "")
    return int(plain) if plain.lstrip("-").isdigit() else float(plain)


def _width() -> int:
    """The width of the terminal; unlimited where there is none."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return max(20, get_terminal_size().columns) if is_terminal else sys.maxsize


def _units(cost: Cost | None) -> str:
    if cost is None:
        return "unknown"
    sides = [f"{units:,g} {side}" for units, side in ((cost.read, "read"), (cost.write, "write")) if units]
    return " + ".join(sides) or "nothing"


def _styled(text: str, **style: Any) -> str:
    return click.style(text, **style) if on_terminal() else text


def _bar() -> Any:
    if not on_terminal():
        return None
    from rich.progress import Progress

    return Progress(transient=True)
