"""Commands that run in memory, and take no other place: what is measured must be alone."""

from __future__ import annotations

import click
from click.core import ParameterSource

__all__ = ["check_in_memory"]


def check_in_memory(context: click.Context) -> None:
    """Refuse a target that was given and would be left alone."""
    assert context.parent is not None
    given = context.parent.get_parameter_source("target") is ParameterSource.COMMANDLINE
    if given and context.obj != "memory:":
        raise click.UsageError(
            f"'{context.info_name}' runs in memory, and not on {context.obj!r}. Fix: leave --target out.",
            context,
        )
