"""Names that a package imports on first use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_getattr(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a package, from its modules and the names that each holds.

    A name that was imported becomes an attribute of the package, which is as quick as one imported at the top.

    Example:
        >>> from types import ModuleType
        >>> shapes = sys.modules["shapes"] = ModuleType("shapes")
        >>> shapes.__getattr__ = lazy_getattr("shapes", {"math": "pi sqrt"})
        >>> "sqrt" in vars(shapes), shapes.sqrt(9), "sqrt" in vars(shapes)
        (False, 3.0, True)
    """
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes[name], package), name)
        setattr(sys.modules[package], name, value)
        return value

    return find
