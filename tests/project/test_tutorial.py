"""Documents that a reader follows step by step: files are written, commands run, and outputs compared."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.snippets import Block, blocks, commands, tidy
from tests.project.tree import documents, relative


def followed_documents() -> list[Path]:
    """The documents with blocks that are written into files."""
    return [path for path in documents() if any(block.file for block in blocks(path.read_text("utf-8")))]


@pytest.mark.parametrize("document", followed_documents(), ids=relative)
def test_following_a_document_prints_what_it_shows(document: Path, tmp_path: Path) -> None:
    for block in blocks(document.read_text("utf-8")):
        if block.file is not None:
            path = tmp_path / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, "utf-8")
        for command, expected in _commands(block):
            printed = tidy(_run(command, tmp_path))
            assert _same(tidy(expected), printed), f"{command}\n{printed}"


def test_the_tutorial_is_the_document_that_is_followed() -> None:
    assert [path.name for path in followed_documents()] == ["review.md", "tutorial.md"]


def _commands(block: Block) -> list[tuple[str, str]]:
    if block.info == "console":
        return [(command.text, command.expected) for command in commands(block.text)]
    if block.info == "python" and block.expected is not None:
        return [(f"python - <<'END'\n{block.text}END\n", block.expected)]
    return []


def _same(expected: str, printed: str) -> bool:
    """Whether they are equal; three dots in the document match any text."""
    return doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS)


def _run(command: str, folder: Path) -> str:
    beside_python = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PKSK_"))}
    environment = kept | {"PATH": beside_python, "NO_COLOR": "1", "COLUMNS": "80", "PYTHONUTF8": "1"}
    return subprocess.run(
        command,
        shell=True,
        check=False,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    ).stdout
