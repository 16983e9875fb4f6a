"""What follows writes that share a commit, kept until that is done."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import get_ident
from typing import Final

__all__ = ["Shared"]

_LOG: Final = logging.getLogger("pksk.engine")


class Shared:
    """The commit that writes of one thread share: nothing counts as stored before it."""

    __slots__ = ("_steps", "_thread")

    def __init__(self) -> None:
        self._thread = get_ident()
        self._steps: list[Callable[[], None]] = []

    def takes(self, step: Callable[[], None]) -> bool:
        """Keep a step for after the commit; False for a thread that has no part in it."""
        if self._thread != get_ident():
            return False
        self._steps.append(step)
        return True

    def follow(self) -> None:
        """Take all steps, since all is stored; none of them can fail an answer any more."""
        for step in self._steps:
            try:
                step()
            except Exception:
                _LOG.exception("what follows a write failed")
