"""The command `pksk new`: writes a small design to start with, and its test."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from importlib.resources import files
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from secrets import token_hex
from string import Template
from typing import NoReturn

import click

from pksk.cli.commands import command
from pksk.cli.output import json_option, print_json, print_pairs
from pksk.cli.user_frames import is_user_file
from pksk.errors import FileError, InvalidValue, quote

# Each file with its template and its content.
_FILES = {
    "$name.py": ("design.py.txt", "the design: a table, two entities, an index, two access patterns"),
    "test_$name.py": ("test_design.py.txt", "its test"),
}


@command("pksk new bakery", "pksk new library --here .")
@click.argument("name")
@click.option(
    "--here",
    "parent",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path(),
    help="The parent folder, instead of the current one.",
)
@json_option
def new(name: str, parent: Path, wants_json: bool) -> None:
    """Start a design: write a small commented example and its test.

    The files are NAME.py and test_NAME.py in a new folder NAME. Existing files are never overwritten.
    """
    folder = parent / check_name(name)
    templates = files("pksk.cli") / "templates"
    texts = {
        _substitute_name(file, name): _substitute_name((templates / template).read_text("utf-8"), name)
        for file, (template, _) in _FILES.items()
    }
    write_folder(folder, texts)
    paths = [str(folder / file) for file in texts]
    if wants_json:
        print_json({"folder": str(folder), "files": paths})
        return
    print_pairs(zip(paths, (content for _, content in _FILES.values()), strict=True))
    click.echo(f"\nSee it with pksk design {paths[0]}, and test it with pytest {folder}.")


def _substitute_name(text: str, name: str) -> str:
    return Template(text).substitute(name=name)


# The name of a table has at least three characters, that of a file less than 255.
_SHORTEST, _LONGEST = 3, 100
_FOUND_BY_PYTEST = ("conftest", "test", "tests")


def check_name(name: str) -> str:
    """The name, if it can be that of a module and of a table."""
    if "/" in name:
        folder, _, last = name.rstrip("/").rpartition("/")
        _reject_name(
            f"{quote(name)} is a path.",
            "NAME is the name of the new folder itself.",
            f"pksk new {_propose_name(last)} --here {folder or '/'}",
        )
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        expected = "A name has ASCII letters, digits and underscores, and begins with a letter."
        _reject_name(
            f"{quote(name)} cannot be the name of a module.", expected, f"pksk new {_propose_name(name)}"
        )
    if not _SHORTEST <= len(name) <= _LONGEST:
        expected = f"A name has {_SHORTEST} to {_LONGEST} characters; the table gets it too."
        _reject_name(
            f"{quote(name)} has {len(name)} character{'s' if len(name) > 1 else ''}.",
            expected,
            f"pksk new {_propose_name(name)}",
        )
    if iskeyword(name):
        _reject_name(f"{quote(name)} is a keyword of Python.", "", f"pksk new {name}_design")
    _check_free(name)
    return name


def _check_free(name: str) -> None:
    """Reject the name of a module that exists."""
    if name in sys.stdlib_module_names or name in _FOUND_BY_PYTEST:
        owner = "the standard library" if name in sys.stdlib_module_names else "pytest"
        _reject_name(f"{quote(name)} is the name of a module of {owner}.", "", f"pksk new {name}_design")
    if _is_installed(name):
        problem = f"{quote(name)} is the name of an installed package."
        _reject_name(problem, "A module of this name would hide it, or be hidden.", f"pksk new {name}_design")


def _is_installed(name: str) -> bool:
    """Whether an installed package has the name; the user's own files are checked when the folder is created."""
    try:
        spec = find_spec(name)
    except ValueError:  # a module without a spec
        return True
    return spec is not None and spec.origin is not None and not is_user_file(spec.origin)


def _propose_name(name: str) -> str:
    """A similar name that is valid."""
    plain = (
        re.sub(r"[^A-Za-z0-9]+", "_", name.removesuffix(".py"))
        .strip("_")[: _LONGEST - len("design_")]
        .lower()
    )
    if not plain or not plain[0].isalpha():
        plain = f"design_{plain}".rstrip("_")
    return plain if len(plain) >= _SHORTEST and not iskeyword(plain) else f"{plain}_design"


def _reject_name(problem: str, expected: str, fix: str) -> NoReturn:
    raise InvalidValue("new-name", problem, expected=expected, fix=fix)


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Create a folder with these files, which are written into a temporary folder first."""
    if not folder.parent.is_dir():
        raise FileError(
            "new-folder",
            f"{folder.parent}: there is no such folder.",
            fix="create it first, or choose another one with --here.",
        )
    if os.path.lexists(folder):
        _reject_existing(folder)
    unfinished = folder.with_name(f".{folder.name}-{token_hex(4)}")
    try:
        unfinished.mkdir()
        for name, text in files.items():
            (unfinished / name).write_text(text, encoding="utf-8")
        unfinished.rename(folder)
    except OSError as error:
        _reject_unwritable(folder, error)
    finally:
        # Runs after a signal too; once the folder is renamed, there is nothing to remove.
        shutil.rmtree(unfinished, ignore_errors=True)


def _reject_existing(folder: Path) -> NoReturn:
    raise FileError(
        "new-exists",
        f"{folder} already exists, and is not overwritten.",
        fix="choose another name, or another folder with --here.",
    )


def _reject_unwritable(folder: Path, error: OSError) -> NoReturn:
    if os.path.lexists(folder):  # another process has created it
        _reject_existing(folder)
    raise FileError(
        "new-folder",
        f"{folder} cannot be written ({error.strerror or error}); nothing was left behind.",
        fix="free some space, or choose a writable folder with --here.",
    ) from None
