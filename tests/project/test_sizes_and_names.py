"""Files and functions stay small and have meaningful names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.project.tree import PACKAGE, ROOT, python_files, relative, syntax_trees

MOST_LINES_IN_A_FILE = 500
MOST_LINES_IN_A_FUNCTION = 60
MOST_LINES_IN_THE_README = 120
NAMES_THAT_SAY_NOTHING = {"common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}


def test_no_source_file_is_longer_than_500_lines() -> None:
    lengths = {relative(path): len(path.read_text("utf-8").splitlines()) for path in python_files()}

    assert {name: length for name, length in lengths.items() if length > MOST_LINES_IN_A_FILE} == {}


def test_no_source_function_is_longer_than_60_lines() -> None:
    lengths = {
        where: length for path, tree in syntax_trees().items() for where, length in _functions(path, tree)
    }

    assert {where: length for where, length in lengths.items() if length > MOST_LINES_IN_A_FUNCTION} == {}


def test_no_module_or_folder_has_a_name_without_meaning() -> None:
    named = [path for path in PACKAGE.rglob("*") if path.is_dir() or path.suffix == ".py"]

    assert [relative(path) for path in named if path.stem.strip("_") in NAMES_THAT_SAY_NOTHING] == []


def test_the_readme_has_at_most_120_lines() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= MOST_LINES_IN_THE_README


def _functions(path: str, tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{path}:{node.lineno} {node.name}", (node.end_lineno or 0) - node.lineno + 1
