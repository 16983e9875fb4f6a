"""The command of the lessons: `python -m examples.lessons --help`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial

import click

from pksk.cli.output import print_table
from pksk.review import Measurement

from ..tour.command import check_in_memory, command_of, run_system
from ..tour.printing import Printed
from .comparisons import HEADERS, ID_LESSON, LESSONS, Lesson
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
    kind. The command says so if the figures do not support the conclusion of a lesson.
    """
    check_in_memory(context)
    for place, lesson in enumerate(LESSONS, 1):
        if number in (None, place):
            measurements = _measured(lesson, items)
            caveat = (
                "" if lesson.holds(measurements) else f"With {items:,} items the figures do not show this: "
            )
            click.echo(f"{place}. {lesson.title}: {lesson.calls}. {caveat}{lesson.conclusion}\n")
            _print("keys", lesson, measurements)
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
    printed, measurements = Printed(), []
    for variant in lesson.variants:
        # About as many requests follow as items are stored before.
        measurements.append(variant.measure(items, partial(printed.progress, variant.name, total=2 * items)))
        printed.stop_progress()
    return measurements


def _print(what: str, lesson: Lesson, measurements: Iterable[Measurement]) -> None:
    rows = [variant.row(figures) for variant, figures in zip(lesson.variants, measurements, strict=True)]
    print_table((what, *HEADERS), rows, right=(1, 2, 3, 4))


if __name__ == "__main__":
    sys.exit(run_system(app, "lessons"))
