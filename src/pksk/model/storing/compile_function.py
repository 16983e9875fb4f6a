"""Compiles functions from source that is generated for one entity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class NotCompiled(Exception):
    """A compiled function cannot handle a value; the slower uncompiled function handles it."""


class Names(dict[str, Any]):
    """The objects that generated source refers to, by name."""

    def new(self, prefix: str, value: Any) -> str:
        """A new name for an object."""
        name = f"{prefix}{len(self)}"
        self[name] = value
        return name


def compile_function(name: str, lines: Iterable[str], names: Mapping[str, Any]) -> Any:
    """Compiles the lines, which may use these names, and returns the function of this name that they define.

    Only repr() of names and text of our own may enter the lines.
    """
    # A plain dict: Python looks up names in a dict subclass much more slowly.
    space = dict(names)
    exec(compile("\n".join(lines), f"<pksk {name}>", "exec"), space)
    return space[name]


def is_plain_name(name: Any) -> bool:
    """Whether an attribute name is always valid, so that reads and writes of items need not check it."""
    return type(name) is str and name != "" and not any("\ud800" <= each <= "\udfff" for each in name)
