"""Commands and groups that show examples, and suggest the right spelling of a mistyped name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from pksk.cli.output import as_json
from pksk.client import ServiceError
from pksk.errors import PkskError, did_you_mean, quote
from pksk.pages import printable


class InputError(click.ClickException):
    """An error of pksk on its way to standard error."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Print the message with nothing around it."""
        click.echo(printable(self.message), file=file, err=file is None)


if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    _StringChoice = click.Choice[str]
else:
    _StringChoice = click.Choice  # before click 8.2 it takes no type


class Choice(_StringChoice):
    """One of several words; the error for a mistyped word suggests the nearest."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word, or raise click's error and a suggestion."""
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
        """Run the command; an error of pksk ends it with exit code 2 and no traceback."""
        try:
            return super().invoke(ctx)
        except PkskError as error:
            wants_json = ctx.params.get("wants_json")
            raise InputError(_error_json(error) if wants_json else str(error)) from error
        except ServiceError as error:
            raise InputError(str(error)) from error


def _error_json(error: PkskError) -> str:
    parts = {"code": error.code, "problem": error.problem, "expected": error.expected, "fix": error.fix}
    return as_json({"error": parts}, indent=None)


class Group(click.Group):
    """A group that lists its commands in the order of their declaration, with examples in its help."""

    command_class = Command

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of their declaration."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest the nearest."""
        name = args[0]
        names = self.list_commands(ctx)
        if name not in names and not ctx.resilient_parsing and not name.startswith("-"):
            near = did_you_mean(name, names)
            hint = f"Did you mean {quote(near)}?" if near else f"Commands are: {', '.join(names)}."
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


def complete_file(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Let the shell complete the names of files, as it does for an argument of type `click.Path`."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


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
