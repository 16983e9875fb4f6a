"""The files of the project, as its own tests look at them."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "pksk"


def python_files(folder: Path = SOURCE) -> list[Path]:
    return sorted(folder.rglob("*.py"))


@cache
def syntax_trees() -> dict[str, ast.Module]:
    """The syntax tree of each file of the source."""
    return {relative(path): ast.parse(path.read_text("utf-8")) for path in python_files()}


def documents() -> list[Path]:
    """README.md, everything under docs/, and the pages of the examples."""
    beside = (*sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").glob("*/*.md")))
    return [path for path in (ROOT / "README.md", *beside) if path.exists()]


def tracked_files() -> list[Path]:
    """What git holds or is about to hold: new files count before they are committed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in sorted(set(listed.split("\0"))) if name and (ROOT / name).is_file()]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
