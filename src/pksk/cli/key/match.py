"""The command `pksk key match`."""

from __future__ import annotations

from typing import Any

import click

from pksk.cli.commands import command
from pksk.cli.field_types import written
from pksk.cli.output import json_option, on_terminal, print_json, print_table
from pksk.cli.typed_template import TemplateOptions, TypedTemplate, template_options
from pksk.errors import quote

__all__ = ["match"]


@command(
    "pksk key match 'ORDER#{id}#LINE#{n:04d}' 'ORDER#7#LINE#0012'",
    "pksk key match '{product_id}::{day}' 1::2025-12-31 -t product_id=int -t day=date --json",
    "pksk key match '{n:06d}' -- -999994",
)
@click.argument("template")
@click.argument("key")
@template_options()
@json_option
def match(template: str, key: str, options: TemplateOptions, wants_json: bool) -> None:
    """Print the values that a key was made of, one field a line.

    A key that the template cannot have made is refused, with exit code 2 and the first part that does not fit. Put
    -- before a key that begins with a hyphen.
    """
    typed = options.template(template)
    values = typed.template.parse(key)
    lost = [field for field in typed.template.fields if field not in values]
    if wants_json:
        print_json({"template": template, "key": key, "values": _plain(values), "not_given_back": lost})
        return
    _print(typed, values)
    if lost:
        pieces = ", ".join(map(quote, lost))
        click.echo(f"The key holds only a piece of {pieces}, which cannot be given back.", err=True)


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """JSON's own types where they are exact; a Decimal stays text, since JSON readers make floats."""
    exact = (bool, int, str)
    return {field: value if isinstance(value, exact) else written(value) for field, value in values.items()}


def _print(typed: TypedTemplate, values: dict[str, Any]) -> None:
    if not values:
        return
    if on_terminal():
        rows = [[field, typed.types[field].name, written(value)] for field, value in values.items()]
        print_table(["field", "type", "value"], rows)
        return
    for field, value in values.items():
        click.echo(f"{field}={written(value)}")
