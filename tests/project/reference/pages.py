"""What is generated from the code: the pages of docs/reference, and the picture of the README's program."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from pksk.cli.app import app
from pksk.cli.explain import explanations, first_sentence
from tests.project.reference.limits import limit_lines
from tests.project.reference.names import api_lines
from tests.project.snippets import blocks
from tests.project.tree import ROOT

__all__ = ["FOLDER", "PICTURE", "pages", "picture"]

FOLDER = ROOT / "docs" / "reference"
PICTURE = ROOT / "docs" / "shop.svg"
_WIDTH = 80 - 2  # click leaves two columns free
_MADE = "Generated from the code by `make reference`."


def pages() -> dict[str, str]:
    """Each page by the name of its file."""
    made: dict[str, Callable[[], Iterator[str]]] = {
        "api.md": api_lines,
        "command-line.md": _commands,
        "errors.md": _errors,
        "limits.md": limit_lines,
    }
    titles = {
        "api.md": "Reference: names",
        "command-line.md": "Reference: commands",
        "errors.md": "Reference: error codes",
        "limits.md": "Reference: limits",
    }
    return {
        name: "\n".join([f"# {titles[name]}", "", _MADE, "", *lines()]).rstrip() + "\n"
        for name, lines in made.items()
    }


def picture() -> str:
    """The keys and partitions of the first program in README.md, drawn as its reader would draw them."""
    program = next(
        block for block in blocks((ROOT / "README.md").read_text("utf-8")) if block.info == "python"
    )
    command = (sys.executable, "-m", "pksk", "design", "shop.py", "--format", "svg", "--items", "orders")
    with TemporaryDirectory() as folder:
        (Path(folder) / "shop.py").write_text(program.text, "utf-8")
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return done.stdout.decode("utf-8")


def _commands() -> Iterator[str]:
    yield "The output of `--help` for every command. [The command line](../command-line.md) has examples."
    for path, command in _walk(app, ("pksk",)):
        yield from ("", f"## {' '.join(path)}", "", "```text")
        yield from (line.rstrip() for line in _help(command, path).splitlines())
        yield "```"


def _help(command: click.Command, path: tuple[str, ...]) -> str:
    """The help of a command on a terminal of eighty columns or more."""
    settings = {**app.context_settings, "terminal_width": _WIDTH}
    return command.get_help(click.Context(command, info_name=" ".join(path), **settings))


def _walk(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _walk(inner, (*path, name))


def _errors() -> Iterator[str]:
    yield "Every error that pksk raises has a stable code. `pksk explain CODE` prints its meaning and the fix."
    yield from ("", "| code | meaning |", "|---|---|")
    for code, text in explanations().items():
        yield f"| `{code}` | {first_sentence(text).replace('|', chr(92) + '|')} |"
