"""The command of the lessons: `python -m examples.lessons --help`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial

import click

from pksk.cli.output import print_table

from ..tour.command import check_in_memory, command_of, run_system
from ..tour.printing import Printed
from .comparisons import ID_LESSON, LESSONS, Lesson
from .measuring import FIGURES, Measurement
from .system import system

app = command_of(system)
# With fewer items, rounding to whole units hides the differences.
_FEWEST_ITEMS = 200
_items = click.option(
    "--items", default=400, show_default=True, type=click.IntRange(_FEWEST_ITEMS, 100_000), help="How many."
)


@app.command()
@click.argument("number", type=click.IntRange(1, len(LESSONS)), required=False)
@_items
@click.pass_context
def compare(context: click.Context, number: int | None, items: int) -> None:
    """Measure mistakes beside their fixes: all lessons, or the lesson with a NUMBER.

    Each design gets a new engine in memory and the same calls. It is printed with its figures and one request of every
    kind. If the figures do not support the conclusion of the lesson, that is said.
    """
    check_in_memory(context)
    for place, lesson in enumerate(LESSONS, 1):
        if number in (None, place):
            found = _measured(lesson, items)
            shown = "" if lesson.holds(found) else f"With {items:,} items the figures do not show this: "
            click.echo(f"{place}. {lesson.title}: {lesson.calls}. {shown}{lesson.conclusion}\n")
            _print("keys", lesson, found)
            click.echo()


@app.command()
@_items
@click.pass_context
def ids(context: click.Context, items: int) -> None:
    """Measure, in memory, what ids cost: numbers drawn one by one, in blocks, or random ids."""
    check_in_memory(context)
    _print("ids", ID_LESSON, _measured(ID_LESSON, items))


def _measured(lesson: Lesson, items: int) -> list[Measurement]:
    """The figures of each variant, with progress on the way."""
    shown, found = Printed(), []
    for variant in lesson.variants:
        # About as many requests follow as items are stored before.
        found.append(variant.measure(items, partial(shown.progress, variant.name, total=2 * items)))
        shown.stop_progress()
    return found


def _print(what: str, lesson: Lesson, found: Iterable[Measurement]) -> None:
    rows = [(variant.name, *figures.row) for variant, figures in zip(lesson.variants, found, strict=True)]
    print_table((what, *FIGURES), rows, right=(1, 2, 3, 4))


if __name__ == "__main__":
    sys.exit(run_system(app, "lessons"))
