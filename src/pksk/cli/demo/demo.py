"""The command `pksk demo`."""

from __future__ import annotations

import click

from pksk.cli.commands import Choice, command
from pksk.cli.demo.found import SYSTEMS, demonstrate, next_steps
from pksk.cli.output import json_option, print_pairs

__all__ = ["demo"]


@command("pksk demo lessons", "pksk demo pantry records --items 400", "pksk demo heatmap --items 300 --json")
@click.argument("names", nargs=-1, type=Choice(SYSTEMS), metavar="[NAME]...")
@click.option(
    "--target", default="memory:", show_default=True, help="Where to run: whatever pksk.connect takes."
)
@click.option("--items", type=click.IntRange(100, 10_000_000), help="About how many items each system gets.")
@json_option
def demo(names: tuple[str, ...], target: str, items: int | None, wants_json: bool) -> None:
    """Run five example systems, and check every answer.

    NAME is one of parks, pantry, heatmap, records, lessons; without any, all run. Each is filled with generated data
    and asked every question of its design. What a question was estimated to cost, what it costs by the items that it
    met, and what was consumed stand side by side. Exit code 1 means that an answer was wrong, or that a price was not
    what was consumed.
    """
    wrong = demonstrate(names or SYSTEMS, target, items, as_json=wants_json)
    if not wants_json:
        click.echo("\nNext:" if not wrong else f"\nNot as it should be: {', '.join(wrong)}.")
        print_pairs((f"  {line}", about) for line, about in (() if wrong else next_steps()))
    if wrong:
        raise click.exceptions.Exit(1)
