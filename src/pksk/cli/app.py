"""The application: the list of commands of `pksk`, and the exit code of a run."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import takewhile
from keyword import iskeyword
from typing import TYPE_CHECKING

import click

import pksk
from pksk.cli.commands import Group
from pksk.cli.output import as_json, escape_unencodable

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Each command with the first line of its help, so that `pksk --help` and completion import no command.
# `doc-id` is the function `doc_id` in the module `pksk.cli.doc_id`; `import` has an underscore behind.
COMMANDS = {
    "demo": "Run five example systems, one screen each.",
    "new": "Start a design: write a small commented example and its test.",
    "design": "Print the key table of a design, and its access patterns.",
    "plan": "Plan one call of an access pattern.",
    "cost": "Print what a design costs in a month.",
    "check": "Review a design: hot partition keys, scans, indexes that cost and serve nothing.",
    "map": "Show items and shapes on a map, as one HTML page.",
    "key": "Render, match, bound and compare keys.",
    "doc-id": "Convert two keys to a document id, and back.",
    "size": "Size items and count their capacity units.",
    "serve": "Serve DynamoDB's HTTP interface, until Ctrl-C or SIGTERM.",
    "export": "Export a table to files of DynamoDB JSON.",
    "import": "Import an export, or files of items, into a table.",
    "backup": "Back up tables, and restore them.",
    "changes": "Show consumers of changes, and changes as they come.",
    "counts": "Compare counts in cells of a map with what is in them.",
    "sync": "Keep a search index in step with its tables, and verify it.",
    "explain": "Explain an error code or a rule of pksk check, and how to fix the problem.",
    "completion": "Print the completion script of a shell.",
}


class _App(Group):
    """The group of all commands, each of which is imported when it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        name = f"{name}_" if iskeyword(name) else name
        command: click.Command = getattr(import_module(f"pksk.cli.{name}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=about)
            for name, about in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]


@click.group(
    cls=_App,
    examples=(
        "pksk design shop/shop.py",
        "pksk key render 'ORDER#{id}' id=7",
        "pksk size orders.jsonl",
        "pksk explain key-too-long",
        "pksk key --help",
    ),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(pksk.__version__, "-V", "--version", prog_name="pksk", message="%(prog)s %(version)s")
def app() -> None:
    """Turn a DynamoDB key design into code that you can check, run, price and draw.

    Output is plain text in a pipe and JSON with --json. Exit code 2 means that pksk rejected the input; the message
    says why.
    """


COMPLETE_VARIABLE = "_PKSK_COMPLETE"

# Shells report 128 and the signal's number for a program that a signal ended.
_INTERRUPTED = 128 + 2
_PIPE_CLOSED = 128 + 13


def run(args: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Example:
        >>> run(["doc-id", "make", "QUEUE#7"])
        QUEUE%237
        0
    """
    if COMPLETE_VARIABLE in os.environ:
        _print_completions()
    return run_command(app, "pksk", args)


def run_command(command: click.Command, name: str, args: Sequence[str] | None = None) -> int:
    """Run a command under the name that its users type; return its exit code."""
    escape_unencodable()
    words = sys.argv[1:] if args is None else list(args)
    try:
        code = _invoke(command, name, list(words))
        if sys.stdout is not None:  # it is None if it was closed before we started
            sys.stdout.flush()
    except click.UsageError as error:
        return _print_usage_error(error, wants_json="--json" in takewhile(lambda each: each != "--", words))
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _INTERRUPTED
    except BrokenPipeError:
        return _discard_output()
    except OSError as error:
        return _print_output_error(error)
    return code


def _invoke(command: click.Command, name: str, args: list[str]) -> int:
    # Not command.main(): it prints "Aborted!" on an interrupt, and ends a broken pipe with 1.
    try:
        with command.make_context(name, args) as context:
            command.invoke(context)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    return 0


def _print_usage_error(error: click.UsageError, *, wants_json: bool) -> int:
    """Print what is wrong with the command line, as JSON if the user wants JSON."""
    if wants_json:
        usage, path = (error.ctx.get_usage(), error.ctx.command_path) if error.ctx else ("", "pksk")
        parts = {
            "code": None,
            "problem": error.format_message(),
            "expected": usage,
            "fix": f"see {path} --help.",
        }
        click.echo(as_json({"error": parts}, indent=None), err=True)
    else:
        error.show()
    return error.exit_code


def _print_completions() -> None:
    from pksk.cli.completion import register_bash_completion

    register_bash_completion()
    app.main(args=[], prog_name="pksk", complete_var=COMPLETE_VARIABLE)


def _discard_output() -> int:
    """Send standard output to the null device: Python flushes it once more at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    return _PIPE_CLOSED


def _print_output_error(error: OSError) -> int:
    print(f"Error: {error.strerror or error}.", file=sys.stderr)
    _discard_output()
    return 1
