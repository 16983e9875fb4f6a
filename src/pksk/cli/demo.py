"""The command `pksk demo`: runs the example systems."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import click

import pksk
from pksk.cli.commands import Choice, command
from pksk.cli.output import json_option, print_pairs

_CHECKOUT: Final = Path(pksk.__file__).parents[2]
_TUTORIAL: Final = "docs/tutorial.md"
SYSTEMS: Final = ("parks", "pantry", "heatmap", "records", "lessons")


def run_tours(
    names: Iterable[str], target: str, items: int | None, *, all_steps: bool, as_json: bool
) -> list[str]:
    """Run the tours of these systems, and return the names of those in which anything was wrong."""
    package = _examples_package()
    systems = [import_module(f"{package}.{name}.system").system for name in names]
    demonstration = import_module(f"{package}.tour.demonstration")
    show = demonstration.show_steps if all_steps else demonstration.show_screens
    wrong: list[str] = show(systems, target, items, as_json=as_json)
    return wrong


def next_steps() -> list[tuple[str, str]]:
    """What to type or read after a demonstration, each with what it shows; a wheel has no pages to read."""
    package = _examples_package()
    design = (
        _checkout_path("examples/pantry/design.py") if package == "examples" else f"{package}.pantry.design"
    )
    steps = [
        ("pksk new shop", "a design of your own, with its test"),
        (f"pksk design {design}", "what a design is and costs"),
        ("pksk demo --all", "every step of the five systems, with its requests and costs"),
    ]
    if (_CHECKOUT / _TUTORIAL).exists():
        steps.append((str(_checkout_path(_TUTORIAL)), "from an empty folder to a tested application"))
    return steps


def _checkout_path(name: str) -> Path:
    """A file of the checkout, relative if it is in the current folder."""
    return Path(name) if Path(name).exists() else _CHECKOUT / name


def _examples_package() -> str:
    if find_spec("pksk.examples") is not None:
        return "pksk.examples"
    if str(_CHECKOUT) not in sys.path:
        sys.path.append(str(_CHECKOUT))
    return "examples"


@command("pksk demo", "pksk demo pantry records --items 400", "pksk demo lessons --all", "pksk demo --json")
@click.argument("names", nargs=-1, type=Choice(SYSTEMS), metavar="[NAME]...")
@click.option("--all", "all_steps", is_flag=True, help="Print every step, with its requests and costs.")
@click.option(
    "--target", default="memory:", show_default=True, help="Where to run: whatever pksk.connect takes."
)
@click.option("--items", type=click.IntRange(100, 10_000_000), help="About how many items each system gets.")
@json_option
def demo(names: tuple[str, ...], all_steps: bool, target: str, items: int | None, wants_json: bool) -> None:
    """Run five example systems, one screen each.

    NAME is one of parks, pantry, heatmap, records, lessons; without any, all run. Each is filled with generated data,
    and every access pattern of its design is run. Then one screen shows its keys, the most telling comparison, and
    what was proved. Exit code 1 means that an answer was wrong, or that a price was not what was consumed.
    """
    wrong = run_tours(names or SYSTEMS, target, items, all_steps=all_steps, as_json=wants_json)
    if not wants_json:
        click.echo("\nNext:" if not wrong else f"\nNot as it should be: {', '.join(wrong)}.")
        print_pairs((f"  {line}", about) for line, about in (() if wrong else next_steps()))
    if wrong:
        raise click.exceptions.Exit(1)
