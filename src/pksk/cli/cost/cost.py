"""The command `pksk cost`."""

from __future__ import annotations

import click

from pksk.cli.commands import command
from pksk.cli.output import json_option, print_json

__all__ = ["cost"]


@command(
    "pksk cost shop/shop.py",
    "pksk cost shop/shop.py --region ap-northeast-2",
    "pksk cost shop/shop.py --json",
)
@click.argument("target")
@click.option("--region", default="us-east-1", show_default=True, help="Whose prices to use.")
@click.option("--prices", metavar="FILE", help="A price file of your own, in place of the one that pksk has.")
@json_option
def cost(target: str, region: str, prices: str | None, wants_json: bool) -> None:
    """Print what a design costs in a month.

    There is a line for each access pattern, for each table and index, and for all together. The figures are
    estimates from the rates, counts and sizes that the design declares; what it does not declare is listed as
    missing, and not counted. TARGET is a module, a file or a package folder.
    """
    from pksk.capacity import Prices
    from pksk.cli.cost.bill import print_bill
    from pksk.cli.target import load, on_path
    from pksk.model.cost.month import month

    known = Prices.load(prices)
    found = load(target)
    with on_path(found.folders):
        bill = month(found.tables, known, region)
    if wants_json:
        print_json(bill.data())
    else:
        print_bill(bill)
