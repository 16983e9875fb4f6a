"""What follows a write once it is stored: everything that need not stand or fall with it."""

from __future__ import annotations

from collections.abc import Iterable

from pksk.engine.core import Core
from pksk.engine.streams.upkeep import follow_commit

from .write import Outcome, Write

__all__ = ["committed", "committed_one"]


def committed(core: Core, done: Iterable[tuple[Write, Outcome]], *, doubled: bool = False) -> None:
    """Note writes that were stored, after their block; nothing of this may fail the call.

    In a transaction the tables themselves bear the double.
    """
    for write, outcome in done:
        committed_one(core, write, outcome, doubled)


def committed_one(core: Core, write: Write, outcome: Outcome, doubled: bool = False) -> None:
    """Note one write that was stored, or will be with others."""
    shared = core.shared
    if shared is None or not shared.takes(lambda: _follow(core, write, outcome, doubled)):
        _follow(core, write, outcome, doubled)


def _follow(core: Core, write: Write, outcome: Outcome, doubled: bool) -> None:
    table = write.table
    if outcome.vector_bytes:
        table.searched.touch(table.spaces(outcome.vector_bytes), write.key)
        core.meter.wrote_vectors(write, outcome.vector_bytes)
    core.meter.wrote(write, outcome, doubled)
    core.growth.grew(core, write, outcome)
    if table.changes is not None:
        follow_commit(core, table)
