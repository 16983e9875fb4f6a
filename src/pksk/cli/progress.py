"""Progress bars on standard error, shown on a terminal only."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pksk.transfer.progress import OnProgress, Progress, ignore_progress

__all__ = ["reading_progress", "transfer_progress"]


@contextmanager
def transfer_progress() -> Iterator[OnProgress]:
    """A function to tell of progress; in a pipe it tells nobody."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield ignore_progress
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as shown:
        tasks = {}

        def tell(progress: Progress) -> None:
            if progress.step not in tasks:
                tasks[progress.step] = shown.add_task(progress.step)
            shown.update(tasks[progress.step], completed=progress.done, total=max(1, progress.total))

        yield tell


_WORTH_A_BAR_BYTES = 1 << 24


@contextmanager
def reading_progress(total_bytes: int | None) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of bytes read so far; None is a total that nobody knows.

    Example:
        >>> with reading_progress(10) as advance:
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
