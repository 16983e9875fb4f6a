"""Where `pksk demo` finds its examples, and what it prints at the end."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

from pksk.cli import demo


def test_the_next_commands_exist(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)

    files = [text.rpartition(" ")[2] for text, _ in demo.next_steps() if text.endswith((".py", ".md"))]

    assert [Path(name).name for name in files] == ["design.py", "tutorial.md"]
    assert all(Path(name).exists() for name in files)


def test_the_examples_of_a_checkout_are_found_from_any_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each not in ("", str(demo._CHECKOUT))])

    assert demo._examples_package() == "examples"
    assert PathFinder.find_spec("examples", sys.path) is not None


def test_the_systems_are_those_of_the_examples() -> None:
    found = {path.parent.name for path in (demo._CHECKOUT / "examples").glob("*/comparisons.py")}

    assert found == set(demo.SYSTEMS)


def test_a_missing_page_is_not_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(demo, "_CHECKOUT", tmp_path)

    assert not [text for text, _ in demo.next_steps() if "tutorial" in text]
