"""Completion in shells."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.run_pksk import pksk, pksk_process, process_environment


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_calls_pksk(shell: str) -> None:
    ran = pksk("completion", shell)

    assert (ran.code, ran.err) == (0, "")
    assert f"_PKSK_COMPLETE={shell}_complete" in ran.out


def _fish(line: str) -> list[str]:
    words = line.split(" ")
    settings = {"_PKSK_COMPLETE": "fish_complete", "COMP_WORDS": line, "COMP_CWORD": words[-1]}
    found = pksk_process(environment=settings).out.splitlines()
    return [each.split(",", 1)[1].split("\t")[0] for each in found if "," in each]


def test_commands_are_completed() -> None:
    assert _fish("pksk ") == [
        "demo",
        "new",
        "design",
        "plan",
        "cost",
        "key",
        "doc-id",
        "size",
        "serve",
        "export",
        "import",
        "backup",
        "explain",
        "completion",
    ]
    assert _fish("pksk key re") == ["render"]


def test_options_are_completed() -> None:
    assert _fish("pksk key compare --f") == ["--fail"]


def test_error_codes_are_completed() -> None:
    assert _fish("pksk explain key-too") == ["key-too-long"]


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
