"""The command `pksk key render`."""

from __future__ import annotations

import click

from pksk.cli.assignments import plain_values
from pksk.cli.commands import command
from pksk.cli.output import json_option, print_json
from pksk.cli.typed_template import TemplateOptions, template_options

__all__ = ["render"]


@command(
    "pksk key render 'ORDER#{id}' id=7",
    "pksk key render '{product_id}::{day}' product_id=1 day=2025-12-31 -t product_id=int -t day=date",
    "pksk key render 'ORDER#{n:06d}' n=-5 --json",
    "pksk key render 'INV#{state}' state=paid -t state=literal:open,paid",
)
@click.argument("template")
@click.argument("values", nargs=-1, metavar="[FIELD=VALUE]...")
@template_options()
@json_option
def render(template: str, values: tuple[str, ...], options: TemplateOptions, wants_json: bool) -> None:
    """Print the key that a template makes of these values."""
    typed = options.template(template)
    key = typed.template.render(plain_values(typed, values))
    if wants_json:
        size = len(key.encode())
        print_json(
            {
                "template": template,
                "key": key,
                "bytes": size,
                "limit": typed.template.limit,
                "role": options.role,
            }
        )
    else:
        click.echo(key)
