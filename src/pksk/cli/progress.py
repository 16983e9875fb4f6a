"""Progress bars on standard error, shown on a terminal only."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pksk.transfer.progress import OnProgress, Progress


@contextmanager
def _bar(columns: Callable[[Any], tuple[Any, ...]]) -> Iterator[Any]:
    """A bar with these columns of `rich.progress`; None unless standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    from rich import console, progress

    made = columns(progress)
    with progress.Progress(*made, console=console.Console(stderr=True), transient=True) as bar:
        yield bar


@contextmanager
def transfer_progress() -> Iterator[OnProgress]:
    """A callback that shows the progress of an export or import; it does nothing in a pipe."""
    with _bar(
        lambda rich: (
            "{task.description}",
            rich.BarColumn(),
            rich.TaskProgressColumn(),
            rich.TimeRemainingColumn(),
        )
    ) as bar:
        tasks: dict[str, Any] = {}

        def show(progress: Progress) -> None:
            if progress.step not in tasks:
                tasks[progress.step] = bar.add_task(progress.step)
            bar.update(tasks[progress.step], completed=progress.done, total=max(1, progress.total))

        yield show if bar else lambda _progress: None


_WORTH_A_BAR_BYTES = 1 << 24


@contextmanager
def reading_progress(total_bytes: int | None) -> Iterator[Callable[[int], None]]:
    """A callback for the number of bytes read so far; None is an unknown total.

    Example:
        >>> with reading_progress(10) as advance:
        ...     advance(5)
    """
    if total_bytes is not None and total_bytes < _WORTH_A_BAR_BYTES:
        yield lambda _read: None
        return
    with _bar(lambda rich: (rich.BarColumn(), rich.DownloadColumn(), rich.TimeRemainingColumn())) as bar:
        task = bar.add_task("", total=total_bytes) if bar else None
        yield (lambda read: bar.update(task, completed=read)) if bar else lambda _read: None


@contextmanager
def checking_progress() -> Iterator[Callable[[str, int], None] | None]:
    """A callback for what `serve --check` verifies and its number of rows; None in a pipe."""
    with _bar(lambda rich: (rich.SpinnerColumn(), "{task.description}", rich.TimeElapsedColumn())) as bar:
        task = bar.add_task("opening") if bar else None
        yield (lambda what, rows: bar.update(task, description=f"{what}: {rows:,} rows")) if bar else None
