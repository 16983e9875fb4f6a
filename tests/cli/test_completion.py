"""Completion in shells."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pksk.cli.app import COMMANDS, app
from tests.cli.designs import STALL
from tests.cli.run_pksk import pksk, pksk_process, process_environment

# Starts programs, which takes long.
pytestmark = pytest.mark.wider


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_calls_pksk(shell: str) -> None:
    ran = pksk("completion", shell)

    assert (ran.code, ran.err) == (0, "")
    assert f"_PKSK_COMPLETE={shell}_complete" in ran.out


def _completions(line: str) -> list[tuple[str, str]]:
    """The kind and text of each completion, as fish gets them."""
    words = line.split(" ")
    settings = {"_PKSK_COMPLETE": "fish_complete", "COMP_WORDS": line, "COMP_CWORD": words[-1]}
    ran = pksk_process(environment=settings)
    assert ran.err == ""
    pairs = [each.split("\t")[0].partition(",") for each in ran.out.splitlines()]
    return [(kind, text) for kind, comma, text in pairs if comma]


def _fish(line: str) -> list[str]:
    return [text for _, text in _completions(line)]


def test_commands_are_completed() -> None:
    assert _fish("pksk ") == list(COMMANDS)
    assert _fish("pksk key re") == ["render"]


def test_options_are_completed() -> None:
    assert _fish("pksk key compare --f") == ["--fail"]


def test_error_codes_are_completed() -> None:
    assert _fish("pksk explain key-too") == ["key-too-long"]


def commands(group: click.Group, *names: str) -> Iterator[tuple[str, click.Command]]:
    """All commands with their full names."""
    context = click.Context(group)
    for name in group.list_commands(context):
        each = group.get_command(context, name)
        assert each is not None
        if isinstance(each, click.Group):
            yield from commands(each, *names, name)
        else:
            yield " ".join((*names, name)), each


def file_options() -> Iterator[str]:
    """The beginning of a line for each option whose value is a file or a folder."""
    for name, each in commands(app):
        for option in each.params:
            if isinstance(option, click.Option) and {"FILE", "DIR"} & set(
                re.split(r"\W", option.metavar or "")
            ):
                yield f"{name} {option.opts[0]}"


@pytest.mark.parametrize(
    "words", [*file_options(), "design", "plan", "cost", "check", "size", "import", "export orders"]
)
def test_files_are_completed_by_the_shell(words: str) -> None:
    assert _completions(f"pksk {words} sh") == [("file", "sh")]


def test_access_patterns_of_a_design_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stall.py").write_text(STALL + "\nprint('loaded')\n")
    (tmp_path / "broken.py").write_text("raise SystemExit(3)\n")
    monkeypatch.chdir(tmp_path)

    assert "Sale.of_day" in _fish("pksk plan stall.py ")
    assert _fish("pksk plan stall.py Sale.of_d") == ["Sale.of_day"]
    assert _fish("pksk plan stall.py of_c") == ["of_code"]
    assert _fish("pksk plan broken.py ") == []
    assert _fish("pksk plan missing.py ") == []


def test_types_are_completed_after_their_field() -> None:
    assert _fish("pksk key render {day} -t d") == ["day="]
    assert _fish("pksk key render {day} -t day=dat") == ["day=date", "day=datetime"]


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "replies"),
    [
        (["pksk", "key", "bo"], ["bounds"]),
        (["pksk", "explain", "bounds-g"], ["bounds-gap"]),
        # Bash takes -t day=date apart, and replaces only what follows the sign.
        (["pksk", "key", "render", "'{day}'", "-t", "day", "=", "dat"], ["date", "datetime"]),
        (["pksk", "key", "render", "'{day}'", "-t", "day", "="], ["str", "int", "Decimal"]),
    ],
)
def test_bash_completes_with_the_script(words: list[str], replies: list[str], tmp_path: Path) -> None:
    program = tmp_path / "pksk"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pksk "$@"\n')
    program.chmod(0o755)
    quoted = " ".join(f'"{word}"' for word in words)
    script = (
        f"{pksk('completion', 'bash').out}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}\n"
        f'_pksk_completion "{program}"; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )

    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=process_environment(), check=False
    )

    assert done.stdout.split()[: len(replies)] == replies
