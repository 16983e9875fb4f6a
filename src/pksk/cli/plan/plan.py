"""The command `pksk plan`."""

from __future__ import annotations

import click

from pksk.cli.commands import command
from pksk.cli.output import json_option, print_json

__all__ = ["plan"]


@command(
    "pksk plan shop/shop.py Order.of_customer customer=7",
    "pksk plan shop/shop.py of_customer --json",
)
@click.argument("target")
@click.argument("pattern")
@click.argument("arguments", nargs=-1, metavar="[NAME=VALUE]...")
@json_option
def plan(target: str, pattern: str, arguments: tuple[str, ...], wants_json: bool) -> None:
    """Plan one call of an access pattern.

    It prints the exact requests, and what they are likely to cost. TARGET is a module, a file or a package folder;
    PATTERN is one of its access patterns, with or without its
    entity. Arguments that are not given are taken from the pattern's example.
    """
    from pksk.cli.plan.call import planned
    from pksk.cli.target import load, on_path

    found = load(target)
    with on_path(found.folders):
        explained = planned(found, pattern, arguments)
    if wants_json:
        print_json([each.data() for each in explained])
    else:
        click.echo("\n".join(map(str, explained)))
