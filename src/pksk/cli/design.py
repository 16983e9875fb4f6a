"""The command `pksk design`: the key table of a design and its access patterns, in several formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from pksk.cli.commands import Choice, command, complete_file
from pksk.cli.design_data import design_data
from pksk.cli.design_markdown import design_markdown
from pksk.cli.design_mermaid import design_mermaid
from pksk.cli.design_partitions import example_items
from pksk.cli.design_svg import design_svg
from pksk.cli.design_table import design_table
from pksk.cli.output import as_json, json_option, on_terminal
from pksk.cli.target import load

# Each format with the function that writes the data of a design in it.
FORMATS: Mapping[str, Callable[[dict[str, Any]], str]] = {
    "table": design_table,
    "markdown": design_markdown,
    "json": as_json,
    "mermaid": design_mermaid,
    "svg": design_svg,
}


@command(
    "pksk design shop/shop.py",
    "pksk design shop/shop.py:Order",
    "pksk design shop/shop.py --format markdown",
    "pksk design shop/shop.py --format mermaid",
    "pksk design shop/shop.py --format svg",
)
@click.argument("target", shell_complete=complete_file)
@click.option(
    "--format",
    "form",
    type=Choice(list(FORMATS)),
    default="table",
    show_default=True,
    help="The output format; Mermaid draws the entities, SVG the partitions.",
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
    form = "json" if wants_json else form
    ctx.params["wants_json"] = form == "json"  # for errors
    if items is not None and form != "svg":
        raise click.UsageError("--items needs --format svg: the other formats show no items.")
    design_target = load(target)
    with design_target.importable():
        data = design_data(design_target.tables, design_target.only)
        entities = example_items(design_target.module, target, items) if items else []
        drawing = design_svg(data, entities) if entities else ""
    if form == "table" and on_terminal():
        from pksk.cli.design_terminal import print_design_table  # rich takes longer to load than the design

        print_design_table(data)
    else:
        click.echo(drawing or FORMATS[form](data))
