"""A block that fails at its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

Entered = TypeVar("Entered")


class Stop(Exception):
    """What a test raises in the middle of a block."""


@contextmanager
def failing(block: AbstractContextManager[Entered]) -> Iterator[Entered]:
    """Enter a block, and raise Stop in it when all else is done; it must come out again."""
    try:
        with block as entered:
            yield entered
            raise Stop
    except Stop:
        return
    raise AssertionError("the block kept the exception to itself")
