"""Shows a tour: in colour on a terminal, plain in a pipe, as one JSON document on request."""

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

__all__ = ["Document", "Printed"]

# Longer requests are cut.
_LONGEST = 160
_NUMBER = re.compile(r"-?(\d{1,3}(,\d{3})*|\d+)(\.\d+)?(e[+-]\d+)?")


class Printed:
    """Prints what a tour sees as it goes."""

    def __init__(self) -> None:
        self._bar = _bar()
        self._task: Any = None

    def section(self, title: str) -> None:
        """A part begins."""
        click.echo()
        _echo(title, bold=True)

    def step(self, step: Step) -> None:
        """What it was, how it was asked, and what it cost; each in one line where there is room."""
        click.echo()
        name = ", ".join(step.patterns)
        if name and len(step.title) + len(name) + 2 <= _width():
            click.echo(f"{_styled(step.title, fg='cyan')}  {_styled(name, dim=True)}")
        else:
            _echo(step.title, fg="cyan")
            _echo(name, "  ", dim=True)
        for line in step.plan:
            _echo(line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "...", "  ")
        for line in _reckoned(step):
            click.echo(line)
        for problem in step.problems:
            _echo(f"WRONG: {problem}", "  ", fg="red")

    def note(self, text: str) -> None:
        """A remark."""
        click.echo()
        for line in text.splitlines():
            _echo(line)

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> None:
        """Figures."""
        click.echo()
        print_table(headers, rows, right=right)

    def progress(self, what: str, done: int, total: int) -> None:
        """About so many of so many are stored; in a pipe only the end is told."""
        if self._bar is None:
            return
        if self._task is None:
            self._bar.start()
            self._task = self._bar.add_task(what)
            # However the command ends: a bar hides the cursor of the terminal.
            if context := click.get_current_context(silent=True):
                context.call_on_close(self._bar.stop)
        self._bar.update(self._task, completed=done, total=max(total, done))

    def done(self) -> None:
        """What was under way is not any more."""
        if self._bar is not None:
            self._bar.stop()
            self._bar, self._task = _bar(), None

    def filled(self, what: str, done: int) -> None:
        """All of it is stored."""
        self.done()
        click.echo(f"{done:,} {what}")


class Document:
    """Collects what a tour sees, for one JSON document."""

    def __init__(self) -> None:
        self.parts: list[dict[str, Any]] = []

    def section(self, title: str) -> None:
        """A part begins."""
        self.parts.append({"section": title})

    def step(self, step: Step) -> None:
        """One question or change."""
        self.parts.append(step.data())

    def note(self, text: str) -> None:
        """A remark."""
        self.parts.append({"note": text})

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> None:
        """Figures; those to the right are numbers, but for what is none."""
        figures = (
            [_number(cell) if place in right else cell for place, cell in enumerate(row)] for row in rows
        )
        self.parts.append({"table": [dict(zip(headers, row, strict=True)) for row in figures]})

    def progress(self, what: str, done: int, total: int) -> None:
        """Nobody looks at it."""

    def filled(self, what: str, done: int) -> None:
        """What was stored."""
        self.parts.append({"stored": done, "what": what})

    def show(self) -> None:
        """Print all of it."""
        print_json(self.parts)


def _reckoned(step: Step) -> Iterator[str]:
    """The answer, and what it cost in three ways: in columns, or in as many lines as a narrow terminal needs."""
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
    """The number that a cell shows, or its text."""
    if not _NUMBER.fullmatch(cell):
        return cell
    plain = cell.replace(",", "")
    return int(plain) if plain.lstrip("-").isdigit() else float(plain)


def _width() -> int:
    """How long a line may be: as the terminal is wide, and as one likes where there is none."""
    on_screen = sys.stdout is not None and sys.stdout.isatty()
    return max(20, get_terminal_size().columns) if on_screen else sys.maxsize


def _echo(text: str, indent: str = "", **style: Any) -> None:
    """Print a text, and go on in further lines, at a word, where it is longer than a line may be."""
    if len(indent) + len(text) <= _width():
        lines = [text] if text else []
    else:
        lines = wrap(text, _width() - len(indent), subsequent_indent="  ", break_on_hyphens=False)
    for line in lines:
        click.echo(f"{indent}{_styled(line, **style)}")


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
