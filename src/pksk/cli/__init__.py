"""The command line: `pksk`, with the packages of the extra `cli`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 2 refused, 130 interrupted, 141 nobody reads on.

    Example:
        >>> main(["key", "render", "ORDER#{id}", "id=7"])
        ORDER#7
        0
    """
    missing = [name for name in ("click", "rich") if find_spec(name) is None]
    if missing:
        print(
            f"The command line of pksk needs {' and '.join(missing)}, which this Python does not have.\n"
            f"Fix: pip install {' '.join(missing)}",
            file=sys.stderr,
        )
        return 2
    from pksk.cli.app import run

    return run(args)
