"""The command line `pksk`, which needs the extra `cli`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 2 wrong input, 130 interrupted, 141 output closed.

    Example:
        >>> main(["key", "render", "ORDER#{id}", "id=7"])
        ORDER#7
        0
    """
    missing = [name for name in ("click", "rich") if find_spec(name) is None]
    if missing:
        print(
            f'The command line of pksk cannot import {" and ".join(missing)}.\nFix: pip install "pksk[cli]"',
            file=sys.stderr,
        )
        return 2
    from pksk.cli.app import run

    return run(args)
