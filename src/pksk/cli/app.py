"""The application: all commands of `pksk`, and how a run of one ends in an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from itertools import takewhile

import click

import pksk
from pksk.cli.commands import Group
from pksk.cli.output import as_json, encodable

__all__ = ["app", "run", "run_command"]


@click.group(
    cls=Group,
    members={
        "demo": "pksk.cli.demo",
        "new": "pksk.cli.new",
        "design": "pksk.cli.design",
        "plan": "pksk.cli.plan",
        "cost": "pksk.cli.cost",
        "key": "pksk.cli.key",
        "doc-id": "pksk.cli.doc_id:doc_id_commands",
        "size": "pksk.cli.size",
        "serve": "pksk.cli.serve",
        "export": "pksk.cli.export",
        "import": "pksk.cli.import_",
        "backup": "pksk.cli.backup",
        "explain": "pksk.cli.explain",
        "completion": "pksk.cli.completion",
    },
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
    """Turn a DynamoDB key design into something that you can check, run, price and see.

    Output is plain text in a pipe and JSON with --json. Exit code 2 means that pksk refused, and said why.
    """


COMPLETE_VARIABLE = "_PKSK_COMPLETE"

# What a shell reports for a program that a signal ended: 128 and the signal's number.
_INTERRUPTED = 128 + 2
_PIPE_CLOSED = 128 + 13


def run(args: Sequence[str] | None = None) -> int:
    """Run one command; no exception leaves this function but a defect of ours.

    Example:
        >>> run(["doc-id", "make", "QUEUE#7"])
        QUEUE%237
        0
    """
    if COMPLETE_VARIABLE in os.environ:
        _print_completions()
    return run_command(app, "pksk", args)


def run_command(command: click.Command, name: str, args: Sequence[str] | None = None) -> int:
    """Run a command by the name that its users call it by, and give its exit code."""
    encodable()
    given = sys.argv[1:] if args is None else list(args)
    try:
        code = _invoke(command, name, list(given))
        if sys.stdout is not None:  # it is None where it was closed before we started
            sys.stdout.flush()
    except click.UsageError as error:
        return _print_usage_error(error, wants_json="--json" in takewhile(lambda each: each != "--", given))
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
    # Not command.main(): it prints "Aborted!" and ends a broken pipe with 1, each in its own way.
    try:
        with command.make_context(name, args) as context:
            command.invoke(context)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    return 0


def _print_usage_error(error: click.UsageError, *, wants_json: bool) -> int:
    """Say what is wrong with the command line; as a document where one is asked for, like every other error."""
    if wants_json:
        usage, path = (error.ctx.get_usage(), error.ctx.command_path) if error.ctx else ("", "pksk")
        told = {"problem": error.format_message(), "expected": usage, "fix": f"see {path} --help."}
        parts = {"code": None, **told}
        click.echo(as_json({"error": parts}, indent=None), err=True)
    else:
        error.show()
    return error.exit_code


def _print_completions() -> None:
    from pksk.cli.completion import register_bash_completion

    register_bash_completion()
    app.main(args=[], prog_name="pksk", complete_var=COMPLETE_VARIABLE)


def _discard_output() -> int:
    """Python flushes standard output once more at exit, and must find a place to put it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    return _PIPE_CLOSED


def _print_output_error(error: OSError) -> int:
    print(f"Error: {error.strerror or error}.", file=sys.stderr)
    _discard_output()
    return 1
