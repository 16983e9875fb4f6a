"""Which tests call the engine over which transports."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final
from zlib import crc32

from .transports import TRANSPORTS

__all__ = ["ENGINE", "FOLDERS", "SAMPLE", "transports_of"]

ENGINE: Final = Path(__file__).parent.parent / "engine"
# Folders of tests whose calls could all come over HTTP as well.
FOLDERS: Final = frozenset(
    {
        "control_plane",
        "expiry",
        "items",
        "operations",
        "partiql",
        "partitioning",
        "state",
        "streams",
        "vectors",
    }
)
# One test in so many runs over every transport; with PKSK_TRANSPORTS=all, as `.ci/run` sets it, each of them does.
SAMPLE: Final = 1 if os.environ.get("PKSK_TRANSPORTS") == "all" else 12


def transports_of(path: Path, name: str, *, marked: bool = False) -> tuple[str, ...]:
    """The transports of a test function: all of them if it is marked, or in a sample that stays the same."""
    could = path.parent.parent == ENGINE and path.parent.name in FOLDERS
    return TRANSPORTS if marked or (could and crc32(name.encode()) % SAMPLE == 0) else TRANSPORTS[:1]
