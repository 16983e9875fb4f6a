"""A progress bar for exports and imports, on standard error and where a person looks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pksk.transfer.progress import Progress, Tell, silently

__all__ = ["bar"]


@contextmanager
def bar() -> Iterator[Tell]:
    """A function to tell of progress; in a pipe it tells nobody."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield silently
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
