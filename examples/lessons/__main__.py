"""The command of the lessons: `python -m examples.lessons --help`."""

from __future__ import annotations

import sys

import click

from pksk.cli.output import print_table

from ..tour.command import command_of, run_system
from .ids import costs_of_ids
from .pairs import PAIRS
from .system import system
from .tour import FIGURES

__all__ = ["app"]

app = command_of(system)
_items = click.option(
    "--items", default=400, show_default=True, type=click.IntRange(10, 100_000), help="How many."
)


@app.command()
@click.argument("number", type=click.IntRange(1, len(PAIRS)), required=False)
@_items
def compare(number: int | None, items: int) -> None:
    """Measure mistakes beside what mends them: all, or the pair of a NUMBER.

    Each design gets an engine of its own, and the same calls.
    """
    for place, pair in enumerate(PAIRS, 1):
        if number in (None, place):
            click.echo(f"{place}. {pair.title}: {pair.calls}. {pair.shows}\n")
            rows = [(side.name, *side.measured(items).row) for side in pair.sides]
            print_table(("keys", *FIGURES), rows, right=(1, 2, 3, 4))
            click.echo()


@app.command()
@_items
def ids(items: int) -> None:
    """Measure what ids cost: counted one by one, in blocks, or random."""
    rows = [(name, *figures.row) for name, figures in costs_of_ids(items)]
    print_table(("ids", *FIGURES), rows, right=(1, 2, 3, 4))


if __name__ == "__main__":
    sys.exit(run_system(app, "lessons"))
