"""mypy, mypy with Pydantic's plugin, and pyright infer the types asserted in this folder; and the code runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from inspect import getmembers, isfunction, signature
from pathlib import Path

import pytest

# Starts programs, which takes long.
pytestmark = pytest.mark.wider

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FILES = sorted(path for path in HERE.glob("*.py") if path != Path(__file__))
NEVER_RUN = {"type_errors"}


@pytest.mark.parametrize("settings", ["mypy.ini", "mypy_plugin.ini"])
def test_mypy_finds_the_asserted_types_and_errors(settings: str) -> None:
    # Each has a cache of its own, since they run at the same time; `make clean` removes it.
    cache = ROOT / ".mypy_cache" / settings
    found = run("mypy", "--config-file", str(HERE / settings), "--cache-dir", str(cache), *map(str, FILES))

    assert "Success: no issues found" in found


def test_pyright_finds_the_asserted_types_and_errors() -> None:
    found = run("pyright", "--project", str(HERE), "--pythonpath", sys.executable)

    assert "0 errors, 0 warnings" in found


def functions() -> list[Callable[[], None]]:
    """The functions that assert types: they take no arguments."""
    modules = [import_module(f"tests.typing.{path.stem}") for path in FILES if path.stem not in NEVER_RUN]
    found = [each for module in modules for _, each in getmembers(module, isfunction)]
    return [
        each
        for each in found
        if each.__module__.startswith("tests.typing") and not signature(each).parameters
    ]


@pytest.mark.parametrize("function", functions(), ids=lambda function: function.__name__)
def test_the_typed_examples_run(function: Callable[[], None]) -> None:
    function()


def run(checker: str, *arguments: str) -> str:
    """What a checker prints; neither its colours nor a look for newer versions, which would need a network."""
    environment = {**os.environ, "NO_COLOR": "1", "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    command = [sys.executable, "-m", checker, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr
