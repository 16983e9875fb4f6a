"""Checks the name of a new design, which becomes a module and a table."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from keyword import iskeyword
from typing import NoReturn

from pksk.cli.target.own_lines import is_own
from pksk.errors import InvalidValue, quote

__all__ = ["checked_name"]

# DynamoDB asks for at least three characters in the name of a table, file systems for less than 255.
_SHORTEST, _LONGEST = 3, 100
_FOUND_BY_PYTEST = ("conftest", "test", "tests")


def checked_name(name: str) -> str:
    """The name, if Python can import a module and DynamoDB can have a table of it.

    Example:
        >>> checked_name("web-shop")
        Traceback (most recent call last):
        pksk.errors.InvalidValue: 'web-shop' cannot be the name of a module.
        A name has letters, digits and underscores of ASCII, and begins with a letter.
        Fix: pksk new web_shop  (pksk explain new-name)
    """
    if "/" in name:
        folder, _, last = name.rstrip("/").rpartition("/")
        _refuse(
            f"{quote(name)} is a path.",
            "A name is of the new folder itself.",
            f"pksk new {_proposed(last)} --here {folder or '/'}",
        )
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        expected = "A name has letters, digits and underscores of ASCII, and begins with a letter."
        _refuse(f"{quote(name)} cannot be the name of a module.", expected, f"pksk new {_proposed(name)}")
    if not _SHORTEST <= len(name) <= _LONGEST:
        expected = f"It has {_SHORTEST} to {_LONGEST} characters, since the table is called so too."
        _refuse(f"{quote(name)} has {len(name)} characters.", expected, f"pksk new {_proposed(name)}")
    if iskeyword(name):
        _refuse(f"{quote(name)} is a keyword of Python.", "", f"pksk new {name}_design")
    _check_free(name)
    return name


def _check_free(name: str) -> None:
    """Refuse a name by which something else is imported already."""
    if name in sys.stdlib_module_names or name in _FOUND_BY_PYTEST:
        whose = "Python's own" if name in sys.stdlib_module_names else "one that pytest looks for"
        _refuse(f"{quote(name)} is a module, {whose}.", "", f"pksk new {name}_design")
    if _is_installed(name):
        problem = f"{quote(name)} is the name of a package that is installed here."
        _refuse(problem, "A module of this name would hide it, or be hidden.", f"pksk new {name}_design")


def _is_installed(name: str) -> bool:
    """Whether a package has the name; what the author wrote is told by its folder, when that is made."""
    try:
        spec = find_spec(name)
    except ValueError:  # a module that was not imported from anywhere
        return True
    return spec is not None and spec.origin is not None and not is_own(spec.origin)


def _proposed(name: str) -> str:
    """A name near to this one that can be had."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[: _LONGEST - len("design_")].lower()
    if not plain or not plain[0].isalpha():
        plain = f"design_{plain}".rstrip("_")
    return plain if len(plain) >= _SHORTEST and not iskeyword(plain) else f"{plain}_design"


def _refuse(problem: str, expected: str, fix: str) -> NoReturn:
    raise InvalidValue("new-name", problem, expected=expected, fix=fix)
