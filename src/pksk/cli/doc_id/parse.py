"""The command `pksk doc-id parse`."""

from __future__ import annotations

import click

from pksk.cli.commands import command
from pksk.cli.field_types import written
from pksk.cli.output import json_option, print_json, print_pairs
from pksk.keys import parse_doc_id
from pksk.values import to_wire

__all__ = ["parse"]


@command("pksk doc-id parse 'geozone::park_1#1'", "pksk doc-id parse 'QUEUE%237#%n12' --json")
@click.argument("doc_id", metavar="ID")
@json_option
def parse(doc_id: str, wants_json: bool) -> None:
    """Print the keys that a document id was made of.

    Each with its name, its DynamoDB type and its value, B as hex.
    """
    partition, sort = parse_doc_id(doc_id)
    keys = {"pk": partition} if sort is None else {"pk": partition, "sk": sort}
    wires = {name: to_wire(key) for name, key in keys.items()}
    if wants_json:
        print_json(wires)
    else:
        print_pairs((name, f"{next(iter(wires[name]))}  {written(key)}") for name, key in keys.items())
