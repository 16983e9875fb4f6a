"""Commands that tell what a system refuses in a line, and never with a traceback."""

from __future__ import annotations

from typing import Any, ClassVar

import click

from pksk.cli.commands import Command

__all__ = ["Refusing"]


class Refusing(Command):
    """A command that ends with exit code 1 where it is `refused`, and with the usage and 2 where it is `misused`.

    A system says which of its errors are which:

        class ParksCommand(Refusing):
            refused = (Refusal,)

        app.command_class = ParksCommand
    """

    refused: ClassVar[tuple[type[Exception], ...]] = ()
    misused: ClassVar[tuple[type[Exception], ...]] = ()

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except self.misused as wrong:
            raise click.UsageError(str(wrong), ctx) from wrong
        except self.refused as refusal:
            raise click.ClickException(str(refusal)) from refusal
