"""The pages of docs/reference, made from the code itself: its docstrings, commands, explanations and limits."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import click

from pksk import limits
from pksk.cli.app import app
from pksk.cli.explanations import explanations, first_sentence
from tests.project.reference.names import api_lines
from tests.project.tree import PACKAGE, ROOT

__all__ = ["FOLDER", "pages"]

FOLDER = ROOT / "docs" / "reference"
_MADE = "Made from the code by `make reference`; a test holds it to the code."


def pages() -> dict[str, str]:
    """Each page by the name of its file."""
    made: dict[str, Callable[[], Iterator[str]]] = {
        "api.md": api_lines,
        "command-line.md": _commands,
        "errors.md": _errors,
        "limits.md": _limits,
    }
    titles = {
        "api.md": "Reference: what `pksk` exports",
        "command-line.md": "Reference: commands",
        "errors.md": "Reference: error codes",
        "limits.md": "Reference: limits",
    }
    return {
        name: "\n".join([f"# {titles[name]}", "", _MADE, "", *lines()]).rstrip() + "\n"
        for name, lines in made.items()
    }


def _commands() -> Iterator[str]:
    yield "[The command line](../command-line.md) shows them at work."
    for path, command in _walk(app, ("pksk",)):
        context = click.Context(command, info_name=" ".join(path), max_content_width=100, terminal_width=100)
        yield from ("", f"## {' '.join(path)}", "", "```text")
        yield from (line.rstrip() for line in command.get_help(context).splitlines())
        yield "```"


def _walk(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _walk(inner, (*path, name))


def _errors() -> Iterator[str]:
    yield "Every error that pksk raises has a code that stays the same; `pksk explain CODE` has an example and the fix."
    yield from ("", "| code | what it says |", "|---|---|")
    for code, text in explanations().items():
        yield f"| `{code}` | {first_sentence(text).replace('|', chr(92) + '|')} |"


def _limits() -> Iterator[str]:
    yield "Those of DynamoDB, which pksk knows and checks before a request is sent; `pksk.limits` has them as numbers."
    yield f"They are from [AWS's own list]({_source()})."
    yield from ("", "| name | value |", "|---|---|")
    tree = ast.parse((PACKAGE / "limits.py").read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield f"| `{node.target.id}` | {getattr(limits, node.target.id):,} |"


def _source() -> str:
    return next(word for word in (limits.__doc__ or "").split() if word.startswith("https://"))
