"""Locates a TARGET: the module or file that it names, or the nearest one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

from pksk.dataclass import dataclass
from pksk.errors import FileError, did_you_mean, quote


@dataclass(frozen=True)
class TargetLocation:
    """A module to import, and the folders to find it in.

    `file` is set if the TARGET names a file. `alone` means that the file is in no package, and runs by itself.
    """

    text: str
    name: str
    module: str
    folders: tuple[str, ...]
    file: Path | None = None
    alone: bool = False


def locate_target(target: str) -> TargetLocation:
    """The module and the name in a TARGET.

    Example:
        >>> locate_target("shop.orders:Order").module, locate_target("shop.orders:Order").name
        ('shop.orders', 'Order')
    """
    text, name = _split(target)
    path = Path(os.path.abspath(text))
    if _names_a_file(text):
        return _locate_path(text, name, path)
    if not all(part.isidentifier() for part in text.split(".")):
        refuse_missing_target(text)
    return TargetLocation(text, name, text, (os.getcwd(),))


def _split(target: str) -> tuple[str, str]:
    """The module or file, and the name after the last colon."""
    text, colon, name = target.rpartition(":")
    if target and (not colon or os.path.lexists(target) or os.sep in name):
        return target, ""
    if not text or not all(part.isidentifier() for part in name.split(".")):
        _refuse_form(target)
    return text, name


def _refuse_form(target: str) -> NoReturn:
    raise FileError(
        "target-form",
        f"{quote(target)} is not a module and not a file.",
        expected="A TARGET is a module, a file, a package folder, or one of these with :NAME after it.",
        fix="write for example shop.orders, shop/orders.py or shop/orders.py:Order.",
    )


def _names_a_file(text: str) -> bool:
    if text.endswith(".py") or os.sep in text or text.startswith("."):
        return True
    # A file here takes precedence over a module of the standard library.
    return text in sys.stdlib_module_names and (os.path.isdir(text) or os.path.isfile(f"{text}.py"))


def _locate_path(text: str, name: str, path: Path) -> TargetLocation:
    if not path.exists() and path.with_name(f"{path.name}.py").is_file() and os.sep not in text:
        path = path.with_name(f"{path.name}.py")
    if path.is_dir():
        path /= "__init__.py"
    if path.suffix != ".py" or not path.is_file():
        refuse_missing_target(text)
    root, module = _package(path)
    if root is None:
        return TargetLocation(text, name, path.stem, _folders(path.parent), path, alone=True)
    _check_free(text, module.partition(".")[0])
    return TargetLocation(text, name, module, _folders(root), path)


def _folders(nearest: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys((str(nearest), os.getcwd())))


def _package(path: Path) -> tuple[Path | None, str]:
    """The folder that holds the package of a file, and the full name of its module."""
    folder = path.parent
    parts = [] if path.stem == "__init__" else [path.stem]
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        parts.insert(0, folder.name)
        folder = folder.parent
    return (folder if folder != path.parent else None), ".".join(parts)


def _check_free(text: str, package: str) -> None:
    if package in sys.stdlib_module_names:
        raise FileError(
            "target-hidden",
            f"{text}: its package {quote(package)} has the name of a module of the standard library.",
            expected="Python imports its own module under that name.",
            fix=f"rename the folder, for example to {package}_design.",
        )


_MOST_LISTED = 5


def refuse_missing_target(text: str) -> NoReturn:
    """Raise the error of a TARGET that is neither a module nor a file."""
    path = Path(text)
    if path.is_dir():
        _refuse_folder(text, path)
    what = "file" if text.endswith(".py") or os.sep in text else "module or file"
    problem = f"{text} is not a Python file." if path.exists() else f"{text}: there is no such {what}."
    raise FileError("target-missing", problem, fix=_missing_fix(text))


def _refuse_folder(text: str, path: Path) -> NoReturn:
    files = [str(path / name) for name in python_files(path)]
    raise FileError(
        "target-missing",
        f"{text} is a folder without __init__.py, which is not a package.",
        expected=f"Files in it: {', '.join(files[:_MOST_LISTED])}." if files else "",
        fix=f"write a file: {_likely_file(files, path.name)}."
        if files
        else "write the file that holds the design.",
    )


def _likely_file(files: list[str], stem: str) -> str:
    """The file with the folder's name, or else `design.py`, or else the first one."""
    return next((file for word in (stem, "design") for file in files if Path(file).stem == word), files[0])


def _missing_fix(text: str) -> str:
    near = _near_file(text) or _near_module(text)
    if near:
        return f"did you mean {quote(near, limit=1000)}?"
    if os.sep in text or text.endswith(".py"):
        return "check the name and the folder."
    return "write a file, or run pksk where Python finds the module, or set PYTHONPATH."


def _near_file(text: str) -> str:
    """A file with a similar name in its folder, or the file in `src`."""
    path = Path(text if os.sep in text or text.endswith(".py") else text.replace(".", os.sep))
    wanted = path.name.removesuffix(".py")
    if not path.parent.is_dir():
        return _in_src(path.parent / f"{wanted}.py")
    near = did_you_mean(wanted, (name.removesuffix(".py") for name in python_files(path.parent)))
    return str(path.parent / f"{near}.py") if near else _in_src(path.parent / f"{wanted}.py")


def _in_src(path: Path) -> str:
    return str(Path("src") / path) if (Path("src") / path).is_file() else ""


def _near_module(text: str) -> str:
    """The module in a package here with a similar name."""
    first, dot, rest = text.partition(".")
    packages = [folder.parent.name for folder in Path().glob("*/__init__.py")]
    near = did_you_mean(first, packages) if os.sep not in text else ""
    return f"{near}{dot}{rest}" if near and near != first else ""


def python_files(folder: Path) -> list[str]:
    """The sorted names of the Python files in a folder.

    Example:
        >>> python_files(Path("no such folder"))
        []
    """
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    except OSError:
        return []
