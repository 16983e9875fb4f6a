"""One screen of a system: its keys, its most telling comparison, what the tour proved, and what to type next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import click

from pksk import BoundKey
from pksk.capacity import Cost
from pksk.cli.output import on_terminal, print_table

from .printing import print_text, table_data
from .step import Step
from .system import System
from .tour import Tour

_WIDTH = 100
_KEY_HEADERS = ("Key", "In", "Partition key", "Sort key")


@dataclass(frozen=True)
class Screen:
    """What `pksk demo` shows of a system, after its whole tour."""

    system: System
    tour: Tour

    def show(self) -> None:
        """Print the screen, in at most 100 columns where the tables allow it."""
        click.echo()
        print_text(f"{self.system.name}: {self.system.about}", bold=True)
        _print_table(_KEY_HEADERS, self._keys())
        if self.tour.finding:
            title, *lines = self.tour.finding
            print_text(title, width=_WIDTH, fg="cyan")
            click.echo("\n" + "\n".join(lines) + "\n")
        if (comparison := self.tour.comparison) is not None:
            print_text(comparison.title, width=_WIDTH, fg="cyan")
            _print_table(comparison.headers, comparison.rows, comparison.right)
            print_text(comparison.conclusion, width=_WIDTH, hanging="")
        click.echo()
        for label, text in self._proofs():
            print_text(f"{label}: {text}", width=_WIDTH, fg="green" if not self.problems else None)
        for problem in self.problems:
            print_text(f"WRONG: {problem}", width=_WIDTH, fg="red")
        width = max(len(line) for line, _ in self._commands())
        for line, about in self._commands():
            print_text(f"$ {line.ljust(width)}  {about}", width=_WIDTH, dim=True)

    def data(self) -> dict[str, Any]:
        """The same as JSON-compatible data."""
        comparison = self.tour.comparison
        return {
            "system": self.system.name,
            "about": self.system.about,
            "keys": table_data(_KEY_HEADERS, self._keys(), ()),
            "comparison": comparison
            and {
                "title": comparison.title,
                "table": table_data(comparison.headers, comparison.rows, comparison.right),
                "conclusion": comparison.conclusion,
            },
            "finding": list(self.tour.finding),
            "proof": self.tour.proof,
            "steps": len(self.tour.steps),
            "priced": self._total("priced").data(),
            "consumed": self._total("consumed").data(),
            "problems": self.problems,
            "next": [line for line, _ in self._commands()],
        }

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong, with the title of its step."""
        return [f"{step.title}: {problem}" for step in self.tour.steps for problem in step.problems]

    def _keys(self) -> list[Sequence[str]]:
        return [self._key(each) for each in self.system.keys]

    def _key(self, key: BoundKey[Any]) -> Sequence[str]:
        source = key.entity_key.source
        where = "table" if source.index is None else "index"
        texts = (self._shortened(" | ".join(each)) for each in (source.pk, source.sk))
        return (f"{key.entity.__name__}.{key.name}", where, *texts)

    def _shortened(self, template: str) -> str:
        for long, short in self.system.short_names.items():
            template = template.replace(long, short)
        return template

    def _proofs(self) -> Iterator[tuple[str, str]]:
        if self.tour.proof:
            yield "Proof", self.tour.proof
        steps = self.tour.steps
        right = sum(step.right for step in steps)
        answers = f"all {right:,}" if right == len(steps) else f"{right:,} of {len(steps):,}"
        priced, consumed = (_both(self._total(name)) for name in ("priced", "consumed"))
        equal = (
            ": exactly what the engine consumed"
            if priced == consumed
            else f", but the engine consumed {consumed}"
        )
        yield (
            "Checked",
            f"{answers} steps returned the expected results, on {self.tour.stored:,} items. Their requests were priced "
            f"at {priced}{equal}.",
        )

    def _total(self, name: str) -> Cost:
        costs: Iterator[Cost] = (getattr(step, name) for step in self.tour.steps)
        return sum(costs, Cost())

    def _commands(self) -> list[tuple[str, str]]:
        package = self.system.run_tour.__module__.rpartition(".")[0]
        return [
            (f"pksk demo {self.system.name} --all", "every step with its requests and costs"),
            *((f"python -m {package} {line}", about) for line, about in self.system.commands),
        ]


class Waiting:
    """Shows only which part of a tour is running, and only on a terminal."""

    def __init__(self) -> None:
        self._status: Any = None
        if on_terminal():
            from rich.console import Console

            self._status = Console().status("")
            self._status.start()
            # It hides the cursor, so it must be stopped however the command ends.
            if context := click.get_current_context(silent=True):
                context.call_on_close(self._status.stop)

    def section(self, title: str) -> None:
        """Show which part is running."""
        if self._status is not None:
            self._status.update(title.partition(":")[0])

    def stop(self) -> None:
        """Remove it."""
        if self._status is not None:
            self._status.stop()

    def step(self, step: Step) -> None:
        """The screen is printed from the steps of the whole tour."""

    def note(self, text: str) -> None:
        """Not shown."""

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> None:
        """Not shown."""

    def progress(self, what: str, count: int, total: int) -> None:
        """Not shown."""

    def filled(self, what: str, count: int) -> None:
        """Not shown."""


def _print_table(headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> None:
    # On a terminal the table brings empty lines of its own.
    is_plain = not on_terminal()
    if is_plain:
        click.echo()
    print_table(headers, rows, right=right)
    if is_plain:
        click.echo()


def units(number: float) -> str:
    """Capacity units to the half, which `g` would round where there are many."""
    return f"{number:,.1f}".removesuffix(".0")


def _both(cost: Cost) -> str:
    return f"{units(cost.read)} read and {units(cost.write)} write units"
