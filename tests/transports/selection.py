"""Which tests take which ways into engines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from .transports import TRANSPORTS

__all__ = ["ALWAYS", "ENGINE", "ON_DEMAND", "transports_of"]

ENGINE: Final = Path(__file__).parent.parent / "engine"
# Folders of tests that speak to engines by calls. These take all ways whenever they run,
ALWAYS: Final = frozenset({"operations"})
# and these with PKSK_WAYS=all, as `.ci/run` sets, since they have many more calls.
ON_DEMAND: Final = frozenset(
    {"backups", "expiry", "partiql", "placement", "streams", "tables", "vectors", "writes"}
)
_TAKING_ALL: Final = ALWAYS | ON_DEMAND if os.environ.get("PKSK_WAYS") == "all" else ALWAYS


def transports_of(path: Path) -> tuple[str, ...]:
    """The ways that the tests of a file take: all of them, or `call` alone."""
    takes_all = path.parent.parent == ENGINE and path.parent.name in _TAKING_ALL
    return TRANSPORTS if takes_all else TRANSPORTS[:1]
