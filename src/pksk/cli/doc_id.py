"""The commands `pksk doc-id ...`: document ids of keys, and back."""

from __future__ import annotations

import click

from pksk import keys
from pksk.cli.commands import Choice, Group
from pksk.cli.field_types import field_type, format_value
from pksk.cli.output import json_option, print_json, print_pairs
from pksk.keys.document_id import KeyValue
from pksk.values import to_wire


@click.group(
    cls=Group,
    examples=("pksk doc-id make geozone::park_1 1", "pksk doc-id parse 'QUEUE%237#%n12'"),
)
def doc_id() -> None:
    """Convert two keys to a document id, and back.

    An id is <pk>#<sk>, at most 512 bytes. % and # inside the keys are written %25 and %23, so that it can be parsed.
    """


_READ_AS = {"S": "str", "N": "Decimal", "B": "bytes"}
_KEY_TYPE = Choice(list(_READ_AS))


@doc_id.command(
    examples=(
        "pksk doc-id make geozone::park_1 1",
        "pksk doc-id make 'QUEUE#7' 12 --sk-type N",
        "pksk doc-id make 00ff --pk-type B --json",
    )
)
@click.argument("pk")
@click.argument("sk", required=False)
@click.option(
    "--pk-type", type=_KEY_TYPE, default="S", show_default=True, help="Type of the partition key; B as hex."
)
@click.option(
    "--sk-type", type=_KEY_TYPE, default="S", show_default=True, help="Type of the sort key; B as hex."
)
@json_option
def make(pk: str, sk: str | None, pk_type: str, sk_type: str, wants_json: bool) -> None:
    """Print the document id of an item with these keys."""
    partition = _key("PK", pk, pk_type)
    text = keys.doc_id(partition, None if sk is None else _key("SK", sk, sk_type))
    if wants_json:
        print_json({"id": text, "bytes": len(text.encode()), "hashed": keys.is_hashed_doc_id(text)})
    else:
        click.echo(text)


def _key(name: str, text: str, kind: str) -> KeyValue:
    value: KeyValue = field_type(_READ_AS[kind]).read(name, text)
    return value


@doc_id.command(
    examples=("pksk doc-id parse 'geozone::park_1#1'", "pksk doc-id parse 'QUEUE%237#%n12' --json")
)
@click.argument("text", metavar="ID")
@json_option
def parse(text: str, wants_json: bool) -> None:
    """Print the keys in a document id.

    Each key has its name, its DynamoDB type and its value, B as hex.
    """
    partition, sort = keys.parse_doc_id(text)
    parts = {"pk": partition} if sort is None else {"pk": partition, "sk": sort}
    wires = {name: to_wire(key) for name, key in parts.items()}
    if wants_json:
        print_json(wires)
    else:
        print_pairs((name, f"{next(iter(wires[name]))}  {format_value(key)}") for name, key in parts.items())
