"""The code and commands in README.md and docs/ run and print what is shown."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest

from pksk.cli import main
from tests.cli.run_pksk import forget_modules
from tests.project.snippets import Block, Command, blocks, commands, tidy
from tests.project.test_tutorial import followed_documents
from tests.project.tree import ROOT, documents, relative

# Spellings under which Python would be shown and not run.
NOT_RUN = {"py", "pycon", "python3"}
SHOWN_FROM_THE_ROOT = ("docs", "examples")
RUN = ("pksk ", "python -m examples.")
# Servers and shell syntax run in a process of their own.
FOR_A_SHELL = re.compile(r"[|<>&;$*`]|^pksk serve")

# Blocks that are written into files are tested in test_tutorial.py.
WALKS = followed_documents()

each_document = pytest.mark.parametrize("document", documents(), ids=relative)
PAGES = [path for path in documents() if path not in WALKS]
each_page = pytest.mark.parametrize("document", PAGES, ids=relative)
# The commands of the systems fill places with data, and take as long as all others together.
each_page_by_its_commands = pytest.mark.parametrize(
    "document",
    [
        pytest.param(path, marks=pytest.mark.wider if relative(path).startswith("examples/") else ())
        for path in PAGES
    ],
    ids=relative,
)


@each_document
def test_every_python_block_of_a_document_runs(document: Path) -> None:
    fences = [block for block in blocks(document.read_text("utf-8")) if _shows_python_that_is_not_run(block)]

    assert [f"{relative(document)}:{block.line} {block.info}" for block in fences] == []


@each_page
def test_python_in_a_document_prints_what_the_document_says(document: Path, workplace: Path) -> None:
    # A real module, so that classes, dataclasses and annotations find the names around them.
    module = ModuleType("document")
    sys.modules[module.__name__] = module
    for block in blocks(document.read_text("utf-8")):
        if block.info == "python":
            printed = _run_python(block, document, module)
            assert block.expected is None or tidy(printed) == tidy(block.expected)


@each_page_by_its_commands
def test_commands_in_a_document_print_what_the_document_says(document: Path, workplace: Path) -> None:
    for block in blocks(document.read_text("utf-8")):
        for command in commands(block.text) if block.info == "console" else []:
            if command.text.startswith(RUN):
                assert tidy(_run_command(command)) == tidy(command.expected), command.text


@each_page
def test_no_document_shows_output_that_nothing_checks(document: Path) -> None:
    consoles = [block for block in blocks(document.read_text("utf-8")) if block.info == "console"]
    shown = [command for block in consoles for command in commands(block.text) if command.expected.strip()]

    assert [command.text for command in shown if not command.text.startswith(RUN)] == []


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder beside docs/ and examples/, as in a clone."""
    for name in SHOWN_FROM_THE_ROOT:
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "document", raising=False)
    return tmp_path


def _shows_python_that_is_not_run(block: Block) -> bool:
    language = block.info.split(" ")[0].split("{")[0].lower()
    return language in NOT_RUN or (language == "python" and block.info != "python" and block.file is None)


def _run_python(block: Block, document: Path, module: ModuleType) -> str:
    printed = StringIO()
    # Blank lines in front make a traceback name the line of the document.
    code = compile("\n" * block.line + block.text, relative(document), "exec", dont_inherit=True)
    with redirect_stdout(printed):
        exec(code, vars(module))
    return printed.getvalue()


def _run_command(command: Command) -> str:
    """What a command prints; one of pksk alone runs in this process, which saves its start."""
    settings = {"NO_COLOR": "1", "COLUMNS": "100", "PYTHONUTF8": "1"}
    if command.text.startswith("pksk ") and not FOR_A_SHELL.search(command.text):
        printed = StringIO()
        with (
            redirect_stdout(printed),
            redirect_stderr(printed),
            forget_modules(),
            patch.dict(os.environ, settings),
        ):
            main(shlex.split(command.text)[1:])
        return printed.getvalue()
    beside_python = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command.text,
        shell=True,
        check=False,  # a document may show a command that fails
        env=os.environ | settings | {"PATH": beside_python},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    ).stdout
