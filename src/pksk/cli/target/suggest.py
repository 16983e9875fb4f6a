"""Says that a TARGET is not there, and which file or module was probably meant."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

from pksk.errors import FileProblem, did_you_mean, quote

__all__ = ["python_files", "refuse_missing"]

_MOST_NAMED = 5


def refuse_missing(text: str) -> NoReturn:
    """Refuse a TARGET that is neither a module nor a file."""
    path = Path(text)
    if path.is_dir():
        _refuse_folder(text, path)
    what = "file" if text.endswith(".py") or os.sep in text else "module or file"
    problem = f"{text} is not a Python file." if path.exists() else f"{text}: there is no such {what}."
    raise FileProblem("target-missing", problem, fix=_meant(text))


def _refuse_folder(text: str, path: Path) -> NoReturn:
    files = [str(path / name) for name in python_files(path)]
    raise FileProblem(
        "target-missing",
        f"{text} is a folder without __init__.py, so it is no package.",
        expected=f"Files in it: {', '.join(files[:_MOST_NAMED])}." if files else "",
        fix=f"name a file: {_first(files, path.name)}." if files else "name the file that holds the design.",
    )


def _first(files: list[str], stem: str) -> str:
    """The file that carries the folder's name, or else the nearest to `design`, or else any."""
    return next((file for word in (stem, "design") for file in files if Path(file).stem == word), files[0])


def _meant(text: str) -> str:
    near = _near_file(text) or _near_module(text)
    if near:
        return f"did you mean {quote(near, limit=1000)}?"
    if os.sep in text or text.endswith(".py"):
        return "check the name and the folder."
    return "give the file, or run pksk where Python finds the module, or set PYTHONPATH."


def _near_file(text: str) -> str:
    """A file like the one that was named, here or in a folder such as src."""
    named = Path(text if os.sep in text or text.endswith(".py") else text.replace(".", os.sep))
    wanted = named.name.removesuffix(".py")
    if not named.parent.is_dir():
        return _in_src(named.parent / f"{wanted}.py")
    near = did_you_mean(wanted, (name.removesuffix(".py") for name in python_files(named.parent)))
    return str(named.parent / f"{near}.py") if near else _in_src(named.parent / f"{wanted}.py")


def _in_src(path: Path) -> str:
    return str(Path("src") / path) if (Path("src") / path).is_file() else ""


def _near_module(text: str) -> str:
    """A package here whose name is like the first part of a module's."""
    first, dot, rest = text.partition(".")
    packages = [folder.parent.name for folder in Path().glob("*/__init__.py")]
    near = did_you_mean(first, packages) if os.sep not in text else ""
    return f"{near}{dot}{rest}" if near and near != first else ""


def python_files(folder: Path) -> list[str]:
    """The names of the Python files in a folder, in order.

    Example:
        >>> python_files(Path("no such folder"))
        []
    """
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    except OSError:
        return []
