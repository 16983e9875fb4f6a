"""Compiles functions from generated source: what is known of an entity is written out in advance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class NotCompiled(Exception):
    """Says that something is for the careful way, of which every compiled function has one."""


class Names(dict[str, Any]):
    """The objects that generated source names.

    Example:
        >>> names = Names(date="...")
        >>> names.new("render", str.upper), names["render1"]("a")
        ('render1', 'A')
    """

    def new(self, prefix: str, value: Any) -> str:
        """A name for one more object."""
        name = f"{prefix}{len(self)}"
        self[name] = value
        return name


def compile_function(name: str, lines: Iterable[str], names: Mapping[str, Any]) -> Any:
    """The function of this name that the lines define, which may use these names.

    Only repr() of names and text of our own may enter the lines.

    Example:
        >>> compile_function("double", ["def double(n):", "    return TWO * n"], {"TWO": 2})(4)
        8
    """
    # A plain dict: Python finds names in one of a subclass much slower.
    space = dict(names)
    exec(compile("\n".join(lines), f"<pksk {name}>", "exec"), space)
    return space[name]


def is_plain_name(name: Any) -> bool:
    """Whether an attribute name needs no check of its own whenever an item is made or read.

    Example:
        >>> is_plain_name("total"), is_plain_name("")
        (True, False)
    """
    return type(name) is str and name != "" and not any("\ud800" <= each <= "\udfff" for each in name)
