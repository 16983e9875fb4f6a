"""The embedded engine: a DynamoDB in this process, which answers as AWS does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.later import later

if TYPE_CHECKING:
    from .engine import Engine as Engine
    from .settings import Delays as Delays
    from .settings import Partitioning as Partitioning

__all__ = ["Delays", "Engine", "Partitioning"]

__getattr__ = later(
    __name__,
    {
        "Delays": "pksk.engine.settings",
        "Engine": "pksk.engine.engine",
        "Partitioning": "pksk.engine.settings",
    },
)
