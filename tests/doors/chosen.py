"""Which tests take which ways into engines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from .ways import WAYS

__all__ = ["ways_of"]

_ENGINE: Final = Path(__file__).parent.parent / "engine"
_ALL: Final = os.environ.get("PKSK_WAYS") == "all"


def ways_of(path: Path) -> tuple[str, ...]:
    """The ways that the tests of a file take; by default those of operations take all of them."""
    takes_all = path.parent == _ENGINE / "operations" or _ALL
    return WAYS if takes_all else WAYS[:1]
