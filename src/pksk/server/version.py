"""The version of pksk, which its package knows."""

from __future__ import annotations

from importlib import import_module

__all__ = ["version"]


def version() -> str:
    """What `pksk.__version__` says; loaded by name, as the package also leads to what a server must not need.

    Example:
        >>> version().count(".")
        2
    """
    return str(import_module("pksk").__version__)
