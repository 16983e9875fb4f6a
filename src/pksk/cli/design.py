"""The command `pksk design`: the key table of a design and its access patterns, in several formats."""

from __future__ import annotations

from typing import Any

import click

from pksk.cli.commands import Choice, command
from pksk.cli.output import json_option, on_terminal, print_json

__all__ = ["FORMATS", "design"]

FORMATS = ("table", "markdown", "json", "mermaid", "svg")


@command(
    "pksk design shop/shop.py",
    "pksk design shop/shop.py:Order",
    "pksk design shop/shop.py --format markdown",
    "pksk design shop/shop.py --format mermaid",
    "pksk design shop/shop.py --format svg",
)
@click.argument("target")
@click.option(
    "--format",
    "form",
    type=Choice(FORMATS),
    default="table",
    show_default=True,
    help="How to write it; Mermaid draws the entities, SVG the partitions.",
)
@click.option(
    "--items", metavar="NAME", help="For SVG: a list of entities in TARGET, drawn in their partitions."
)
@json_option
@click.pass_context
def design(ctx: click.Context, target: str, form: str, items: str | None, wants_json: bool) -> None:
    """Print the key table of a design, and its access patterns.

    TARGET is a module, a file or a package folder, and :NAME after it a table, an entity or a list of tables
    there. Each row is an entity with the templates of its keys in the table and in every index; then come the
    access patterns with their plans and costs.
    """
    # An error is a document too where one is asked for, in either way.
    ctx.params["wants_json"] = wants_json = wants_json or form == "json"
    if items is not None and (form != "svg" or wants_json):
        raise click.UsageError("--items needs --format svg: the other formats show no items.")
    if form == "svg" and not wants_json:
        click.echo(_svg(target, items))
        return
    data = _collect(target)
    if wants_json:
        print_json(data)
    elif form == "table" and on_terminal():
        _print_rich(data)
    else:
        click.echo(_text(data, form))


def _collect(target: str) -> dict[str, Any]:
    from pksk.cli.design_data import design_data
    from pksk.cli.target import load, on_path

    found = load(target)
    with on_path(found.folders):
        return design_data(found.tables, found.only)


def _svg(target: str, items: str | None) -> str:
    from pksk.cli.design_data import design_data
    from pksk.cli.design_partitions import example_items
    from pksk.cli.design_svg import design_svg
    from pksk.cli.target import load, on_path

    found = load(target)
    with on_path(found.folders):
        listed = example_items(found.module, target, items) if items else []
        return design_svg(design_data(found.tables, found.only), listed)


def _text(data: dict[str, Any], form: str) -> str:
    if form == "markdown":
        from pksk.cli.design_markdown import design_markdown as write
    elif form == "mermaid":
        from pksk.cli.design_mermaid import design_mermaid as write
    else:
        from pksk.cli.design_table import plain_text as write
    return write(data)


def _print_rich(data: dict[str, Any]) -> None:
    from rich.console import Console

    from pksk.cli.design_table import terminal_blocks

    console = Console()
    for each in terminal_blocks(data, console.width):
        console.print(each)
