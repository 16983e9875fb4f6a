"""What a person at a terminal sees."""

from __future__ import annotations

import os
import pty
import sys
from pathlib import Path

import pytest

from tests.cli.run_pksk import process_environment, terminal_output


def _seen(*args: str, **settings: str) -> str:
    environment = process_environment({"TERM": "xterm-256color", "COLUMNS": "100", **settings})
    if not settings:
        environment.pop("NO_COLOR", None)
    child, terminal = pty.fork()
    if child == 0:
        os.execve(sys.executable, [sys.executable, "-m", "pksk", *args], environment)
    return terminal_output(child, terminal)


# Python 3.12 and later warn of a fork where threads run; the child is replaced at once.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


def test_a_terminal_gets_a_table() -> None:
    assert "────" in _seen("key", "match", "A#{x}", "A#1")


def test_a_terminal_without_colour_gets_plain_text() -> None:
    assert _seen("key", "match", "A#{x}", "A#1", NO_COLOR="1") == "x=1\n"
    assert _seen("key", "match", "A#{x}", "A#1", TERM="dumb") == "x=1\n"


def test_a_key_on_a_terminal_is_not_decorated() -> None:
    assert _seen("key", "render", "A#{x}", "x=[red]") == "A#[red]\n"


def test_markup_in_a_value_is_shown_as_it_is() -> None:
    assert "[red]" in _seen("key", "match", "A#{x}", "A#[red]")


def test_an_explanation_is_laid_out() -> None:
    assert "## " not in _seen("explain", "key-nan")


def test_exports_and_imports_show_their_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = (f'{{"Item": {{"id": {{"S": "{number}"}}}}}}\n' for number in range(10_000))
    Path("items.json").write_text("".join(lines))
    seen = _seen("import", "items.json", "items", "--key", "id:S")

    assert "checking" in seen
    assert "writing" in seen
    assert "10,000 from 1 file" in seen
    assert "exporting" in _seen("export", "items", "exports")
    assert "━" not in _seen("import", "exports", "copy", TERM="dumb")
