"""Names that a package imports on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_getattr(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a package, from a mapping of names to modules.

    Example:
        >>> lazy_getattr("shapes", {"sqrt": "math"})("sqrt")(9)
        3.0
    """

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return find
