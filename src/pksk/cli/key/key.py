"""The group `pksk key`."""

from __future__ import annotations

import click

from pksk.cli.commands import Group

__all__ = ["key"]


@click.group(
    cls=Group,
    members={
        "render": "pksk.cli.key.render",
        "match": "pksk.cli.key.match",
        "bounds": "pksk.cli.key.bounds",
        "compare": "pksk.cli.key.compare",
    },
    examples=(
        "pksk key render 'ORDER#{id}#LINE#{n:04d}' id=7 n=12",
        "pksk key match 'ORDER#{id}#LINE#{n:04d}' 'ORDER#7#LINE#0012'",
        "pksk key bounds 'ORDER#{id}#LINE#{n:04d}' id=7 n:lt=100",
        "pksk key compare 'ORDER#{id}' 'ORDER#{id}#LINE#{n:04d}'",
    ),
)
def key() -> None:
    """Render, match, bound and compare keys.

    A template is literal text and {field} parts, as in 'ORDER#{id}#{day:%Y-%m-%d}'. Put it in single quotes: to
    most shells # and { mean something else.
    """
