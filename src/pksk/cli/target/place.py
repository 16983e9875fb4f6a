"""Reads a TARGET: which module or file it names, and what in it."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from pksk.cli.target.suggest import refuse_missing
from pksk.errors import FileProblem, quote

__all__ = ["Place", "place"]


@dataclass(frozen=True)
class Place:
    """A module to import, and the folders that it is found in.

    `file` is set where a file was named. `alone` means that the file is in no package, and is run by itself.
    """

    text: str
    name: str
    module: str
    folders: tuple[str, ...]
    file: Path | None = None
    alone: bool = False


def place(target: str) -> Place:
    """What a TARGET stands for.

    Example:
        >>> place("shop.orders:Order").module, place("shop.orders:Order").name
        ('shop.orders', 'Order')
    """
    text, name = _split(target)
    path = Path(os.path.abspath(text))
    if _names_a_file(text):
        return _of_path(text, name, path)
    if not all(part.isidentifier() for part in text.split(".")):
        refuse_missing(text)
    return Place(text, name, text, (os.getcwd(),))


def _split(target: str) -> tuple[str, str]:
    """The module or file, and the name after the last colon."""
    text, colon, name = target.rpartition(":")
    if target and (not colon or os.path.lexists(target) or os.sep in name):
        return target, ""
    if not text or not all(part.isidentifier() for part in name.split(".")):
        _refuse_form(target)
    return text, name


def _refuse_form(target: str) -> NoReturn:
    raise FileProblem(
        "target-form",
        f"{quote(target)} names no module and no file.",
        expected="A TARGET is a module, a file, a package folder, or one of these with :NAME after it.",
        fix="write for example shop.orders, shop/orders.py or shop/orders.py:Order.",
    )


def _names_a_file(text: str) -> bool:
    if text.endswith(".py") or os.sep in text or text.startswith("."):
        return True
    # Python's own module is never meant where a file of that name lies here.
    return text in sys.stdlib_module_names and (os.path.isdir(text) or os.path.isfile(f"{text}.py"))


def _of_path(text: str, name: str, path: Path) -> Place:
    if not path.exists() and path.with_name(f"{path.name}.py").is_file() and os.sep not in text:
        path = path.with_name(f"{path.name}.py")
    if path.is_dir():
        path /= "__init__.py"
    if path.suffix != ".py" or not path.is_file():
        refuse_missing(text)
    root, module = _package(path)
    if root is None:
        return Place(text, name, path.stem, _folders(path.parent), path, alone=True)
    _check_free(text, module.partition(".")[0])
    return Place(text, name, module, _folders(root), path)


def _folders(nearest: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys((str(nearest), os.getcwd())))


def _package(path: Path) -> tuple[Path | None, str]:
    """The folder that holds the package of a file, and the file's real name in it."""
    folder = path.parent
    parts = [] if path.stem == "__init__" else [path.stem]
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        parts.insert(0, folder.name)
        folder = folder.parent
    return (folder if folder != path.parent else None), ".".join(parts)


def _check_free(text: str, package: str) -> None:
    if package in sys.stdlib_module_names:
        raise FileProblem(
            "target-hidden",
            f"{text}: its package {quote(package)} has the name of one of Python's own modules.",
            expected="Whoever imports that name gets Python's.",
            fix=f"rename the folder, for example to {package}_design.",
        )
