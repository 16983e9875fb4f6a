"""The command `pksk doc-id make`."""

from __future__ import annotations

import click

from pksk.cli.commands import Choice, command
from pksk.cli.field_types import field_type
from pksk.cli.output import json_option, print_json
from pksk.keys import doc_id, is_hashed_doc_id
from pksk.keys.docid import KeyValue

__all__ = ["make"]

_READ_AS = {"S": "str", "N": "Decimal", "B": "bytes"}
_kinds = Choice(list(_READ_AS))


@command(
    "pksk doc-id make geozone::park_1 1",
    "pksk doc-id make 'QUEUE#7' 12 --sk-type N",
    "pksk doc-id make 00ff --pk-type B --json",
)
@click.argument("pk")
@click.argument("sk", required=False)
@click.option(
    "--pk-type", type=_kinds, default="S", show_default=True, help="Type of the partition key; B as hex."
)
@click.option(
    "--sk-type", type=_kinds, default="S", show_default=True, help="Type of the sort key; B as hex."
)
@json_option
def make(pk: str, sk: str | None, pk_type: str, sk_type: str, wants_json: bool) -> None:
    """Print the document id of an item with these keys."""
    partition = _key("PK", pk, pk_type)
    text = doc_id(partition, None if sk is None else _key("SK", sk, sk_type))
    if wants_json:
        print_json({"id": text, "bytes": len(text.encode()), "hashed": is_hashed_doc_id(text)})
    else:
        click.echo(text)


def _key(name: str, text: str, kind: str) -> KeyValue:
    value: KeyValue = field_type(_READ_AS[kind]).read(name, text)
    return value
