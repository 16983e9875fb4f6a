"""The command of the lessons: `python -m examples.lessons --help`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial

import click

from pksk.cli.output import print_table

from ..tour.command import check_in_memory, command_of, run_system
from ..tour.printing import Printed
from .ids import IDS
from .measured import FIGURES, Measured
from .pairs import PAIRS, Pair
from .system import system

__all__ = ["app"]

app = command_of(system)
# With fewer, what is read is less than units are counted in, and designs look alike that are not.
_FEWEST_ITEMS = 200
_items = click.option(
    "--items",
    default=400,
    show_default=True,
    type=click.IntRange(_FEWEST_ITEMS, 100_000),
    help="How many.",
)


@app.command()
@click.argument("number", type=click.IntRange(1, len(PAIRS)), required=False)
@_items
@click.pass_context
def compare(context: click.Context, number: int | None, items: int) -> None:
    """Measure mistakes beside what mends them: all, or the pair of a NUMBER.

    Each design gets an engine of its own in memory, and the same calls. With each stand its figures, and one request of
    every kind that it sent. Where figures do not show what others do, that is said.
    """
    check_in_memory(context)
    for place, pair in enumerate(PAIRS, 1):
        if number in (None, place):
            found = _measured(pair, items)
            shown = "" if pair.holds(found) else f"With {items:,} items these figures do not show it: "
            click.echo(f"{place}. {pair.title}: {pair.calls}. {shown}{pair.shows}\n")
            _print("keys", pair, found)
            click.echo()


@app.command()
@_items
@click.pass_context
def ids(context: click.Context, items: int) -> None:
    """Measure in memory what ids cost: counted one by one, in blocks, or random."""
    check_in_memory(context)
    _print("ids", IDS, _measured(IDS, items))


def _measured(pair: Pair, items: int) -> list[Measured]:
    """The figures of each side, with progress on the way."""
    shown, found = Printed(), []
    for side in pair.sides:
        # About as many requests follow as items are stored before.
        found.append(side.measured(items, partial(shown.progress, side.name, total=2 * items)))
        shown.stop_progress()
    return found


def _print(what: str, pair: Pair, found: Iterable[Measured]) -> None:
    rows = [(side.name, *figures.row) for side, figures in zip(pair.sides, found, strict=True)]
    print_table((what, *FIGURES), rows, right=(1, 2, 3, 4))


if __name__ == "__main__":
    sys.exit(run_system(app, "lessons"))
