"""Lessons in keys, as designs: `pksk design examples/lessons/design.py` prints them.

`patterns` has the shapes to use, `mistakes` the ones to avoid, each with its fix.
"""

from __future__ import annotations

from pksk import Table

from . import mistakes, patterns

__all__ = ["TABLES"]

TABLES = [
    each for module in (patterns, mistakes) for each in vars(module).values() if isinstance(each, Table)
]
