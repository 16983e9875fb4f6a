"""What a demonstration says at its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from pksk.cli import demo


def test_what_comes_next_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)

    files = [text.rpartition(" ")[2] for text, _ in demo.next_steps() if text.endswith((".py", ".md"))]

    assert [Path(name).name for name in files] == ["design.py", "tutorial.md"]
    assert all(Path(name).exists() for name in files)


def test_a_page_that_is_not_installed_is_not_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(demo, "_CHECKOUT", tmp_path)

    assert not [text for text, _ in demo.next_steps() if "tutorial" in text]
