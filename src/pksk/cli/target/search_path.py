"""Runs code of a design: where Python looks for its modules, and where what it prints goes."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout

__all__ = ["on_path"]


@contextmanager
def on_path(folders: Sequence[str]) -> Iterator[None]:
    """Run code of a design, whose modules are in these folders: before installed packages, after Python's own.

    A file `random.py` beside a design is then no danger to anyone who imports `random`. What the code prints goes
    to standard error, since the output is ours.

    Example:
        >>> with on_path(["shop"]):
        ...     found = "shop" in sys.path
        >>> found, "shop" in sys.path
        (True, False)
    """
    before = list(sys.path)
    moved = {os.path.abspath(folder) for folder in folders}
    others = [entry for entry in before if os.path.abspath(entry) not in moved]
    at = _after_python(others)
    sys.path[:] = [*others[:at], *folders, *others[at:]]
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        known = {*before, *folders}
        sys.path[:] = [*before, *(entry for entry in sys.path if entry not in known)]


def _after_python(path: Sequence[str]) -> int:
    """The position behind Python's own modules."""
    own = [os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
    own += [os.path.join(folder, "lib-dynload") for folder in own]
    places = [index for index, entry in enumerate(path) if os.path.realpath(entry or ".") in own]
    return max(places, default=-1) + 1
