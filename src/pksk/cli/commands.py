"""Commands and groups that show examples, load late, and know what a mistyped name was meant to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from pksk.cli.output import as_json
from pksk.client import ServiceError
from pksk.errors import PkskError, did_you_mean, quote

__all__ = ["Choice", "Command", "Group", "Refusal", "command"]


class Refusal(click.ClickException):
    """An error of pksk on its way to standard error, as it is."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Print the message with nothing around it."""
        click.echo(self.message, file=file, err=file is None)


if TYPE_CHECKING:
    _Words = click.Choice[str]
else:
    _Words = click.Choice  # before click 8.2 it takes no type


class Choice(_Words):
    """One of several words; who mistypes one is told which was probably meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word, or what click says of another, and the nearest."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            near = did_you_mean(str(value), self.choices)
            if not near:
                raise
            raise click.BadParameter(f"{error.message} Did you mean {quote(near)}?", ctx, param) from error


class Command(click.Command):
    """A command whose help ends with examples, each a line that runs."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, one a line and never wrapped."""
        _write_examples(self.examples, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what pksk refuses ends it with exit code 2 and no traceback."""
        try:
            return super().invoke(ctx)
        except PkskError as error:
            wants_json = ctx.params.get("wants_json")
            raise Refusal(_as_document(error) if wants_json else str(error)) from error
        except ServiceError as error:
            raise Refusal(str(error)) from error


def _as_document(error: PkskError) -> str:
    """An error for programs, on standard error as every other."""
    parts = {"code": error.code, "problem": error.problem, "expected": error.expected, "fix": error.fix}
    return as_json({"error": parts}, indent=None)


class Group(click.Group):
    """A group whose members are imported when they are asked for: `{"render": "pksk.cli.key:render"}`.

    Others can be added to it, as to every group of click.
    """

    def __init__(
        self,
        *args: Any,
        members: Mapping[str, str] | None = None,
        examples: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.members = dict(members or {})
        self.examples = tuple(examples)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order in which a reader needs them."""
        return [*self.members, *self.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command; its function has the name of its module, or stands after a colon."""
        path = self.members.get(cmd_name)
        if path is None:
            return super().get_command(ctx, cmd_name)
        module, _, function = path.partition(":")
        found: click.Command = getattr(import_module(module), function or module.rpartition(".")[2])
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one was probably meant."""
        name = args[0]
        known = self.list_commands(ctx)
        if name not in known and not ctx.resilient_parsing and not name.startswith("-"):
            near = did_you_mean(name, known)
            hint = f"Did you mean {quote(near)}?" if near else f"Commands are: {', '.join(known)}."
            raise click.UsageError(f"No such command {quote(name)}. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, one a line and never wrapped."""
        _write_examples(self.examples, formatter)


def _write_examples(examples: Sequence[str], formatter: click.HelpFormatter) -> None:
    if examples:
        with formatter.section("Examples"):
            for line in examples:
                formatter.write(f"{' ' * formatter.current_indent}{line}\n")


def command(*examples: str, name: str | None = None) -> Callable[[Callable[..., Any]], Command]:
    """Make a command of a function, with these examples in its help.

    Example:
        >>> @command("pksk hello")
        ... def hello() -> None:
        ...     "Say hello."
        >>> hello.examples
        ('pksk hello',)
    """
    return click.command(name=name, cls=Command, examples=examples)
