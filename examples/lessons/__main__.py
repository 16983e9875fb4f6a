"""The command of the lessons: `python -m examples.lessons --help`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

import click

from pksk.cli.output import print_table

from ..tour.command import command_of, run_system
from ..tour.in_memory import check_in_memory
from ..tour.show import Printed
from .ids import IDS
from .measured import FIGURES
from .pairs import PAIRS, Pair
from .system import system

__all__ = ["app"]

app = command_of(system)
_items = click.option(
    "--items", default=400, show_default=True, type=click.IntRange(10, 100_000), help="How many."
)


@app.command()
@click.argument("number", type=click.IntRange(1, len(PAIRS)), required=False)
@_items
@click.pass_context
def compare(context: click.Context, number: int | None, items: int) -> None:
    """Measure mistakes beside what mends them: all, or the pair of a NUMBER.

    Each design gets an engine of its own in memory, and the same calls. With each stand its figures, and one request of
    every kind that it sent.
    """
    check_in_memory(context)
    for place, pair in enumerate(PAIRS, 1):
        if number in (None, place):
            click.echo(f"{place}. {pair.title}: {pair.calls}. {pair.shows}\n")
            print_table(("keys", *FIGURES), list(_rows(pair, items)), right=(1, 2, 3, 4))
            click.echo()


@app.command()
@_items
@click.pass_context
def ids(context: click.Context, items: int) -> None:
    """Measure in memory what ids cost: counted one by one, in blocks, or random."""
    check_in_memory(context)
    print_table(("ids", *FIGURES), list(_rows(IDS, items)), right=(1, 2, 3, 4))


def _rows(pair: Pair, items: int) -> Iterator[tuple[str, ...]]:
    """The figures of each side, with progress on the way."""
    shown = Printed()
    for side in pair.sides:
        # About as many requests follow as items are stored before.
        figures = side.measured(items, partial(shown.progress, side.name, total=2 * items))
        shown.done()
        yield (side.name, *figures.row)


if __name__ == "__main__":
    sys.exit(run_system(app, "lessons"))
