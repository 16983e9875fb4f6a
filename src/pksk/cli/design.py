"""The command `pksk design`: the key table of a design and its access patterns, in four formats."""

from __future__ import annotations

from typing import Any

import click

from pksk.cli.commands import Choice, command
from pksk.cli.output import json_option, on_terminal, print_json

__all__ = ["FORMATS", "design"]

FORMATS = ("table", "markdown", "json", "mermaid")


@command(
    "pksk design shop/shop.py",
    "pksk design shop/shop.py:Order",
    "pksk design shop/shop.py --format markdown",
    "pksk design shop/shop.py --format mermaid",
)
@click.argument("target")
@click.option(
    "--format",
    "form",
    type=Choice(FORMATS),
    default="table",
    show_default=True,
    help="How to write it; Mermaid draws the entities.",
)
@json_option
@click.pass_context
def design(ctx: click.Context, target: str, form: str, wants_json: bool) -> None:
    """Print the key table of a design, and its access patterns.

    TARGET is a module, a file or a package folder, and :NAME after it a table, an entity or a list of tables
    there. Each row is an entity with the templates of its keys in the table and in every index; then come the
    access patterns with their plans and costs.
    """
    # An error is a document too where one is asked for, in either way.
    ctx.params["wants_json"] = wants_json = wants_json or form == "json"
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
