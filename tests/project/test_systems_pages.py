"""The pages that map each system's requirements: every file, test and command that they name exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pksk.cli.app import app
from tests.project.tree import ROOT, relative

SYSTEMS = ("parks", "pantry", "heatmap", "records", "lessons")
PAGES = [ROOT / "docs" / "systems" / f"{name}.md" for name in SYSTEMS]
IN_BACKTICKS = re.compile(r"`([^`\n]+)`")
FOLDERS = ("examples/", "tests/", "docs/", "src/", "benchmarks/")
EXAMPLE = re.compile(r"python -m (examples\.\w+)(?: ([a-z][\w-]*))?")


def named(page: Path) -> list[str]:
    return IN_BACKTICKS.findall(page.read_text("utf-8"))


def files(page: Path) -> Iterator[tuple[str, str]]:
    """The files that a page names, each with what it names in it."""
    for text in named(page):
        if text.startswith(FOLDERS):
            path, _, inside = text.partition("::")
            yield path, inside


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    found = list(files(page))

    assert found
    assert [path for path, _ in found if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_test_and_function_that_a_page_names_is_there(page: Path) -> None:
    inside = [(path, name) for path, name in files(page) if name]

    assert [f"{path}::{name}" for path, name in inside if name not in _definitions(ROOT / path)] == []


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_command_that_a_page_names_is_there(page: Path) -> None:
    commands = [text.split() for text in named(page) if text.startswith("pksk ")]
    context = click.Context(app)

    assert [words for words in commands if app.get_command(context, words[1]) is None] == []
    assert [words for words in commands if words[1] == "demo" and {*words[2:3]} - {*SYSTEMS}] == []


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_command_of_an_example_that_a_page_names_is_there(page: Path) -> None:
    found = [match for text in named(page) if (match := EXAMPLE.match(text))]

    assert [match[0] for match in found if not _is_command(match[1], match[2])] == []


def _is_command(module: str, command: str | None) -> bool:
    from importlib import import_module

    group = import_module(f"{module}.__main__").app
    return command is None or group.get_command(click.Context(group), command) is not None


def _definitions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = {node.name for node in ast.walk(tree) if isinstance(node, kinds)}
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return names | {target.id for target in targets if isinstance(target, ast.Name)}
