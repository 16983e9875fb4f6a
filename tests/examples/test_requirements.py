"""The REQUIREMENTS.md of each system: every file, test, command and member that it names exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import click
import pytest

import pksk
from pksk.cli.app import app
from tests.project.tree import ROOT, relative

SYSTEMS = ("parks", "pantry", "heatmap", "records", "lessons")
PAGES = [ROOT / "examples" / name / "REQUIREMENTS.md" for name in SYSTEMS]
IN_BACKTICKS = re.compile(r"`([^`\n]+)`")
FOLDERS = ("examples/", "tests/", "docs/", "src/", "benchmarks/")
EXAMPLE = re.compile(r"python -m (examples\.\w+) ?(.*)")
MEMBER = re.compile(r"([A-Za-z_]\w*)\.(?!(?:py|md|toml|db)$)([a-z_]\w*)")


def names_in(page: Path) -> list[str]:
    return IN_BACKTICKS.findall(page.read_text("utf-8"))


def files(page: Path) -> Iterator[tuple[str, str]]:
    """The files that a page names, each with what it names in it."""
    for text in names_in(page):
        if text.startswith(FOLDERS):
            path, _, inside = text.partition("::")
            yield path, inside


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    found = list(files(page))

    assert found
    assert [path for path, _ in found if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_test_and_function_that_a_page_names_exists(page: Path) -> None:
    inside = [(path, name) for path, name in files(page) if name]

    assert [f"{path}::{name}" for path, name in inside if name not in _definitions(ROOT / path)] == []


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    commands = [text.split() for text in names_in(page) if text.startswith("pksk ")]

    assert [words for words in commands if _unknown(app, words[1:])] == []
    assert [words for words in commands if words[1] == "demo" and {*words[2:3]} - {*SYSTEMS}] == []


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_command_of_an_example_that_a_page_names_exists(page: Path) -> None:
    found = [match for text in names_in(page) if (match := EXAMPLE.fullmatch(text))]

    assert [
        text for text in names_in(page) if text.startswith("python ") and not EXAMPLE.fullmatch(text)
    ] == []
    assert [match[0] for match in found if _unknown(_group(match[1]), match[2].split())] == []


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_member_of_a_class_that_a_page_names_exists(page: Path) -> None:
    found = [match for text in names_in(page) if (match := MEMBER.fullmatch(text))]

    assert [match[0] for match in found if not _is_member(page.parent.name, match[1], match[2])] == []


def test_missing_commands_and_members_are_found() -> None:
    assert _unknown(app, ["demo", "--item", "5"]) == ["--item"]
    assert _unknown(app, ["key", "rendr"]) == ["rendr"]
    assert _unknown(_group("examples.pantry"), ["layouts", "--days", "7"]) == ["--days"]
    assert _unknown(app, ["demo", "pantry", "--items", "400"]) == []
    assert _is_member("parks", "Booking", "by_id")
    assert not _is_member("parks", "Booking", "by_number")


def _unknown(command: click.Command, words: list[str]) -> list[str]:
    """The subcommand or the options of a command line that the command does not have."""
    while isinstance(command, click.Group) and words:
        inner = command.get_command(click.Context(command), words[0])
        if inner is None:
            return words[:1]
        command, words = inner, words[1:]
    known = {text for param in command.params for text in (*param.opts, *param.secondary_opts)}
    return [word for word in words if word.startswith("-") and word.partition("=")[0] not in known]


def _group(module: str) -> click.Group:
    group: click.Group = import_module(f"{module}.__main__").app
    return group


def _is_member(system: str, owner: str, member: str) -> bool:
    """Whether a class of the example, or of pksk, has a member; `db` is a store."""
    if owner == "db":
        return hasattr(pksk.Store, member)
    homes = [pksk, *_modules(system)]
    owners = [getattr(home, owner) for home in homes if hasattr(home, owner)]
    return any(hasattr(each, member) for each in owners)


def _modules(system: str) -> Iterator[ModuleType]:
    for path in sorted((ROOT / "examples" / system).rglob("*.py")):
        if not path.stem.startswith("__"):
            yield import_module(relative(path).removesuffix(".py").replace("/", "."))


def _definitions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = {node.name for node in ast.walk(tree) if isinstance(node, kinds)}
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return names | {target.id for target in targets if isinstance(target, ast.Name)}
