"""The reference agrees with the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import pytest

import pksk
from pksk import limits
from pksk.schema import quotas
from tests.cli.run_pksk import pksk_process
from tests.project.reference.environment import VARIABLES
from tests.project.reference.limits import bounds
from tests.project.reference.names import MODULES, in_module
from tests.project.reference.pages import FOLDER, PICTURE, pages, picture
from tests.project.snippets import blocks
from tests.project.tree import PACKAGE, ROOT, documents, python_files, relative

MADE = pages()
SECTION = re.compile(r"^## (pksk[^\n]*)\n\n```text\n(.*?)^```", re.M | re.S)
VARIABLE = re.compile(r"(?<![A-Z_])PKSK_[A-Z_]+")


@pytest.mark.parametrize("name", MADE)
def test_the_reference_is_up_to_date(name: str) -> None:
    assert (FOLDER / name).read_text("utf-8") == MADE[name], "make reference writes it anew"


def test_the_picture_of_the_readme_shows_its_first_program() -> None:
    assert PICTURE.read_text("utf-8") == picture(), "make reference draws it again"


def test_the_reference_has_every_name_that_is_exported() -> None:
    missing = [name for name in pksk.__all__ if f"### {name}\n" not in MADE["api.md"]]

    assert missing == ["__version__"]


def test_every_page_of_the_reference_is_generated() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(MADE)


def test_a_name_that_a_document_imports_is_in_the_reference() -> None:
    known = {("pksk", name) for name in pksk.__all__} | {
        (module, name) for module in MODULES for name in in_module(module)
    }

    assert [where for module, name, where in _imported() if (module, name) not in known] == []


def test_a_property_is_shown_as_a_call_only_if_it_is_a_function() -> None:
    cached = [
        (kind, name)
        for kind in [getattr(pksk, name) for name in pksk.__all__]
        if isinstance(kind, type)
        for name, member in vars(kind).items()
        if isinstance(member, cached_property) and not name.startswith("_")
    ]
    called = {name for kind, name in cached if f"| `{name}(" in _entry(kind.__name__)}

    assert len(cached) > 10
    assert called <= {"render", "match"}


def test_methods_have_their_parameters_and_defaults() -> None:
    assert "| `put(entity: E \\| Put[E], *, when: Condition \\| None = None) -> E` |" in _entry("Store")
    assert "| `explain(*, items: int" in _entry("Query")


@pytest.mark.parametrize("name", ["pksk", "pksk demo", "pksk key render", "pksk backup list"])
def test_help_in_the_reference_is_the_output_of_the_command(name: str) -> None:
    shown = dict(SECTION.findall(MADE["command-line.md"]))[name]

    printed = pksk_process(*name.split()[1:], "--help", environment={"COLUMNS": "120"}).out

    assert [line.rstrip() for line in printed.splitlines()] == shown.splitlines()


def test_environment_variables_are_those_the_code_reads() -> None:
    sources = [*python_files(PACKAGE), *(ROOT / "examples").rglob("*.py")]
    pages = [path for path in documents() if path.parent != FOLDER]
    found = {name for path in (*sources, *pages) for name in VARIABLE.findall(path.read_text("utf-8"))}

    assert found == set(VARIABLES)


@pytest.mark.parametrize("module", [limits, quotas], ids=lambda module: module.__name__)
def test_every_limit_has_a_description_and_a_source(module: object) -> None:
    found = list(bounds(module))  # type: ignore[arg-type]

    assert len(found) > 10
    assert [each.name for each in found if not each.meaning or not each.source.startswith("https://")] == []


def _entry(name: str) -> str:
    return MADE["api.md"].partition(f"\n### {name}\n")[2].partition("\n### ")[0]


def _imported() -> Iterator[tuple[str, str, str]]:
    """What Python in documents imports from pksk: the module, the name, and where."""
    for document in documents():
        for block in blocks(document.read_text("utf-8")):
            if block.info == "python" or block.file:
                yield from _imports(document, block.text)


def _imports(document: Path, code: str) -> Iterator[tuple[str, str, str]]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "pksk":
            for each in node.names:
                yield node.module or "", each.name, f"{relative(document)}: {node.module}.{each.name}"
