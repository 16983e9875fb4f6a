"""Finds and loads the design that a command is given: a module, a file, a package, or a name in one."""

from __future__ import annotations

from .load import Target, load
from .search_path import on_path

__all__ = ["Target", "load", "on_path"]
