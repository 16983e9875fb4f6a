"""Shows a tour: in colour on a terminal, plain in a pipe, as one JSON document on request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from pksk.capacity import Cost
from pksk.cli.output import on_terminal, print_json, print_table

from .step import Step

__all__ = ["Document", "Printed"]

_WIDTH = 160


class Printed:
    """Prints what a tour sees as it goes."""

    def __init__(self) -> None:
        self._bar = _bar()
        self._task: Any = None

    def section(self, title: str) -> None:
        """A part begins."""
        click.echo(f"\n{_styled(title, bold=True)}")

    def step(self, step: Step) -> None:
        """Three lines: what it was, how it was asked, and what it cost."""
        name = f"  {_styled(', '.join(step.patterns), dim=True)}" if step.patterns else ""
        click.echo(f"\n{_styled(step.title, fg='cyan')}{name}")
        for line in step.plan:
            click.echo(f"  {line if len(line) <= _WIDTH else line[: _WIDTH - 3] + '...'}")
        click.echo(f"  {step.answer:<22}  {_reckoned(step)}")
        for problem in step.problems:
            click.echo(_styled(f"  WRONG: {problem}", fg="red"))

    def note(self, text: str) -> None:
        """A remark."""
        click.echo(f"\n{text}")

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
        self._bar.update(self._task, completed=done, total=max(total, done))

    def filled(self, what: str, done: int) -> None:
        """All of it is stored."""
        if self._bar is not None:
            self._bar.stop()
            self._bar, self._task = _bar(), None
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
        """Figures."""
        self.parts.append({"table": [dict(zip(headers, row, strict=True)) for row in rows]})

    def progress(self, what: str, done: int, total: int) -> None:
        """Nobody looks at it."""

    def filled(self, what: str, done: int) -> None:
        """What was stored."""
        self.parts.append({"stored": done, "what": what})

    def show(self) -> None:
        """Print all of it."""
        print_json(self.parts)


def _reckoned(step: Step) -> str:
    figures = (("estimated", step.estimated), ("priced", step.priced), ("consumed", step.consumed))
    return "  ".join(f"{name} {_units(cost):<16}" for name, cost in figures).rstrip()


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
