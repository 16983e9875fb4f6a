"""A progress bar on standard error, where a person looks and there is much to read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress"]

_WORTH_A_BAR_BYTES = 1 << 24


@contextmanager
def progress(total_bytes: int | None) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of bytes read so far; None is a total that nobody knows.

    Example:
        >>> with progress(10) as advance:
        ...     advance(5)
    """
    small = total_bytes is not None and total_bytes < _WORTH_A_BAR_BYTES
    if small or sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda _read: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total_bytes)
        yield lambda read: bar.update(task, completed=read)
