"""What follows a write once it is stored: everything that need not stand or fall with it."""

from __future__ import annotations

from collections.abc import Iterable

from pksk.engine.core import Core

from .write import Outcome, Write

__all__ = ["committed"]


def committed(core: Core, done: Iterable[tuple[Write, Outcome]]) -> None:
    """Note writes that were stored, after their block; nothing of this may fail the call."""
